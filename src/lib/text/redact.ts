// Hides secrets: what equals one, in any of the usual encodings, becomes `[redacted:NAME]`. In texts, and in streams of bytes
// where a secret may lie across chunks. It guards against carelessness; who means to get a secret out can write it backwards.
import { formsOf } from "./redact-forms.ts";
import { Needles } from "./redact-needles.ts";

/** Shorter values would hide ordinary words. Characters. */
export const MIN_SECRET_LENGTH = 8;
/** More secrets than that are not looked for. */
export const MAX_SECRETS = 200;
/** A longer form is looked for in parts of at most this. Bytes. */
const MAX_NEEDLE_BYTES = 4096;
/** Of all forms together: the secrets as they are come first, their encodings have the rest. Bytes. */
const MAX_TOTAL_BYTES = 1_048_576;

export interface Secret {
  /** What is shown in its place. */
  readonly name: string;
  readonly value: string;
}

/** Gets bytes in order; they are valid during the call only. */
export type Write = (bytes: Uint8Array) => void;

/** Hides secrets in bytes as they come. What may be the start of one is held back: less than the redactor's `longest`. */
export interface RedactionStream {
  push(chunk: Uint8Array): void;
  /** Writes what was held back. */
  end(): void;
}

export interface Redactor {
  /** Bytes of the longest form of a secret; 0 if there is none. */
  readonly longest: number;
  /** `text` without the secrets. With `isOpen` more will follow: an end that may begin a secret is left out. Linear. */
  text(text: string, options?: { isOpen?: boolean }): string;
  bytes(bytes: Uint8Array, options?: { isOpen?: boolean }): Uint8Array;
  stream(write: Write): RedactionStream;
}

/** Looks for the first 200 secrets of at least 8 characters; of equal values, the first name counts. */
export function createRedactor(secrets: readonly Secret[]): Redactor {
  const { needles, names } = needlesOf(secrets);
  const redactBytes = (bytes: Uint8Array, isOpen: boolean): Uint8Array => {
    if (needles.longest === 0) return bytes;
    const pieces: Uint8Array[] = [];
    const redaction = new Redaction(needles, names, (piece) => pieces.push(piece));
    redaction.push(bytes);
    const { hasHidden, heldBytes } = redaction;
    if (!hasHidden && (!isOpen || heldBytes === 0)) return bytes;
    if (!isOpen) redaction.end();
    return join(pieces);
  };
  return {
    longest: needles.longest,
    stream: (write) =>
      needles.longest === 0 ? { push: write, end: () => {} } : new Redaction(needles, names, write),
    bytes: (bytes, { isOpen = false } = {}) => redactBytes(bytes, isOpen),
    text: (text, { isOpen = false } = {}) => {
      if (needles.longest === 0) return text;
      const bytes = new TextEncoder().encode(text);
      const clean = redactBytes(bytes, isOpen);
      // A text without secrets stays as it is, also where it is no UTF-8.
      return clean === bytes ? text : new TextDecoder("utf-8", { ignoreBOM: true }).decode(clean);
    },
  };
}

function needlesOf(secrets: readonly Secret[]): { needles: Needles; names: Uint8Array[] } {
  const encoder = new TextEncoder();
  const found = new Map<string, string>();
  for (const { name, value } of secrets) {
    if (value.length >= MIN_SECRET_LENGTH && !found.has(value) && found.size < MAX_SECRETS)
      found.set(value, name);
  }
  const forms = [...found].map(([value, name]) => ({ name, forms: formsOf(value) }));
  const rounds = Math.max(0, ...forms.map((one) => one.forms.length));
  const bytes: Uint8Array[] = [];
  const names: Uint8Array[] = [];
  let total = 0;
  for (let round = 0; round < rounds; round++) {
    for (const { name, forms: own } of forms) {
      const form = own[round];
      if (form === undefined || form.length < MIN_SECRET_LENGTH) continue;
      for (const part of parts(encoder.encode(form))) {
        total += part.length;
        if (total > MAX_TOTAL_BYTES) return { needles: new Needles(bytes), names };
        bytes.push(part);
        names.push(encoder.encode(`[redacted:${shownName(name)}]`));
      }
    }
  }
  return { needles: new Needles(bytes), names };
}

function shownName(name: string): string {
  return name.replaceAll(/[^\w.-]/g, "_").slice(0, 100);
}

/** Parts of about the same size, none over the bound. */
function parts(bytes: Uint8Array): Uint8Array[] {
  const count = Math.ceil(bytes.length / MAX_NEEDLE_BYTES);
  const size = Math.ceil(bytes.length / count);
  return Array.from({ length: count }, (_, n) => bytes.subarray(n * size, (n + 1) * size));
}

/** A piece of the stream that will be a mark; places count from the stream's start. */
interface Span {
  start: number;
  end: number;
  mark: Uint8Array;
  /** The mark is written; the rest of the span is only left out. */
  isTold: boolean;
}

class Redaction implements RedactionStream {
  readonly #needles: Needles;
  readonly #marks: readonly Uint8Array[];
  readonly #write: Write;
  #state = 0;
  /** What was pushed, and how much of it is written or left out. Bytes. */
  #pushed = 0;
  #done = 0;
  /** From `#done` to `#pushed`. */
  #held: Uint8Array = new Uint8Array(0);
  /** In order, apart from each other, none ended before `#done`. */
  readonly #spans: Span[] = [];
  #lastSpan: Span | undefined;

  constructor(needles: Needles, marks: readonly Uint8Array[], write: Write) {
    this.#needles = needles;
    this.#marks = marks;
    this.#write = write;
  }

  /** Something was left out so far. */
  get hasHidden(): boolean {
    return this.#lastSpan !== undefined || this.#spans.length > 0;
  }

  get heldBytes(): number {
    return this.#held.length;
  }

  push(chunk: Uint8Array): void {
    const start = this.#pushed;
    this.#pushed += chunk.length;
    this.#state = this.#needles.scan(chunk, this.#state, (end, length, needle) =>
      this.#add({
        start: start + end - length,
        end: start + end,
        mark: this.#marks[needle] ?? new Uint8Array(0),
        isTold: false,
      }),
    );
    this.#flush(this.#pushed - this.#needles.depth(this.#state), { chunk, start });
  }

  end(): void {
    this.#state = 0;
    this.#flush(this.#pushed, { chunk: new Uint8Array(0), start: this.#pushed });
  }

  /** What overlaps becomes one span, under the name of the part that begins first. */
  #add(added: Span): void {
    let span = added;
    for (let last = this.#spans.at(-1); last && last.end > added.start; last = this.#spans.at(-1)) {
      this.#spans.pop();
      span = { ...(last.start <= span.start ? last : span), end: added.end };
    }
    this.#spans.push(span);
  }

  /** Writes all before `safe`: no span to come begins before it. */
  #flush(safe: number, from: { chunk: Uint8Array; start: number }): void {
    let settled = 0;
    for (const span of this.#spans) {
      if (span.start >= safe) break;
      this.#writeUpTo(span.start, from);
      if (!span.isTold) this.#tell(span);
      this.#done = Math.max(this.#done, Math.min(span.end, safe));
      if (span.end > safe) {
        span.start = safe;
        break;
      }
      this.#lastSpan = span;
      settled++;
    }
    this.#spans.splice(0, settled);
    this.#writeUpTo(safe, from);
    this.#held = this.#unwritten(from);
  }

  #unwritten({ chunk, start }: { chunk: Uint8Array; start: number }): Uint8Array {
    // A copy: the chunk is the caller's.
    if (this.#done >= start) return new Uint8Array(chunk.subarray(this.#done - start));
    return join([this.#held.subarray(this.#done - start + this.#held.length), chunk]);
  }

  /** Parts of one secret that touch each other are one mark. */
  #tell(span: Span): void {
    span.isTold = true;
    if (this.#lastSpan?.end === span.start && equal(this.#lastSpan.mark, span.mark)) return;
    this.#write(span.mark);
  }

  #writeUpTo(to: number, { chunk, start }: { chunk: Uint8Array; start: number }): void {
    if (to <= this.#done) return;
    const heldStart = start - this.#held.length;
    const held = this.#held.subarray(
      Math.max(0, this.#done - heldStart),
      Math.max(0, to - heldStart),
    );
    if (this.#done < start && held.length > 0) this.#write(held);
    const fresh = chunk.subarray(Math.max(0, this.#done - start), Math.max(0, to - start));
    if (fresh.length > 0) this.#write(fresh);
    this.#done = to;
  }
}

function equal(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

function join(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
