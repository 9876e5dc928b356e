// The output of a command, bounded: its end, a little of its start, and a file with the first 64 MB of it when that is
// not all. Bytes are only kept and counted as they come; text is made when it is wanted.
import {
  cutUtf8,
  DEFAULT_MAX_LINES,
  formatBytes,
  truncateHead,
  truncateTail,
  utf8Length,
} from "../lib/text/truncate.ts";
import type { Truncation } from "../lib/text/truncate.ts";
import { ByteRing } from "./byte-ring.ts";
import { createRedactor } from "../lib/text/redact.ts";
import type { RedactionStream, Redactor } from "../lib/text/redact.ts";
import { decodingNote, incompleteEnd, outputText, withoutTornStart } from "./output-text.ts";
import type { OutputText } from "./output-text.ts";
import { MAX_SPILL_BYTES } from "./spill-file.ts";
import type { Spilled, SpillFile, SpillStore } from "./spill-file.ts";
import type { ToolPlugs } from "./tool-plugs.ts";

/** Raw bytes of the end that are kept: more than is shown, for escape sequences are stripped from them. */
const KEPT_BYTES = 262_144;
/** A line cut by that is left out if it is shorter than this. Bytes. */
const SHORT_LINE_BYTES = 8192;
/** Bytes of the start that are shown when the middle is left out, and raw bytes kept for them. */
const HEAD_BYTES = 2048;
const KEPT_HEAD_BYTES = 4096;
/** What a live view gets. */
const PREVIEW_RAW_BYTES = 16_384;
const PREVIEW = { maxLines: 100, maxBytes: 8192 };
/** Lines are counted in outputs up to this size; counting more would cost more than it tells. */
const MAX_COUNTED_BYTES = 16 * 1024 * 1024;

/** What is shown of an output. */
export interface ShownOutput {
  text: string;
  /** Bytes that the command gave. */
  totalBytes: number;
  /** What the bytes were taken for, unless it is UTF-8 throughout, and a sentence that says so. */
  decodedAs?: string;
  decodingNote?: string;
  /** Present when something was left out. */
  truncation?: Truncation;
  /** Where the whole lies, or its first 64 MB. */
  fullOutputPath?: string;
}

type StreamName = "stdout" | "stderr";

const NO_SECRETS = createRedactor([]);

/** Takes a command's output as it comes; what it keeps of it is bounded. Secrets stay in this object. */
export class OutputTail {
  readonly #store: SpillStore;
  readonly #redactor: Redactor;
  readonly #codePage: string | undefined;
  readonly #tail = new ByteRing(KEPT_BYTES);
  readonly #carried: Partial<Record<StreamName, Uint8Array>> = {};
  #head: Uint8Array = new Uint8Array(0);
  #totalBytes = 0;
  #lineBreaks = 0;
  #spill: SpillFile | undefined;
  #spilling: RedactionStream | undefined;

  constructor(store: SpillStore, plugs: Pick<ToolPlugs, "redact" | "codePage"> = {}) {
    this.#store = store;
    this.#redactor = plugs.redact?.() ?? NO_SECRETS;
    this.#codePage = plugs.codePage;
  }

  /** What is kept is copied. A character that is cut between chunks of a stream is put together again. */
  add(chunk: Uint8Array, stream: StreamName): void {
    const carried = this.#carried[stream];
    const bytes = carried === undefined ? chunk : Buffer.concat([carried, chunk]);
    const incomplete = incompleteEnd(bytes);
    if (incomplete === 0) {
      delete this.#carried[stream];
      this.#take(bytes);
      return;
    }
    this.#carried[stream] = Buffer.from(bytes.subarray(bytes.length - incomplete));
    this.#take(bytes.subarray(0, bytes.length - incomplete));
  }

  /** The end of the output so far, at most 8 KB, for a live view. */
  preview(): string {
    const isTorn = this.#totalBytes > PREVIEW_RAW_BYTES;
    const raw = this.#tail.last(PREVIEW_RAW_BYTES + this.#redactor.longest);
    return truncateTail(this.#textOf(raw, { isTorn, isOpen: true }).text, PREVIEW).content;
  }

  /** What the model sees, when nothing more comes. Never rejects. */
  async finish(): Promise<ShownOutput> {
    for (const rest of Object.values(this.#carried)) this.#take(rest);
    const totalBytes = this.#totalBytes;
    const isTorn = totalBytes > this.#tail.length;
    const shown = this.#textOf(this.#tail.last(), { isTorn, isOpen: false });
    const { text } = shown;
    const cut = truncateTail(text);
    const end = text.length - (text.endsWith("\n") ? 1 : 0);
    const before = text.slice(0, Math.max(0, end - cut.content.length));
    if (!isTorn && (!cut.truncated || utf8Length(before) <= HEAD_BYTES)) {
      await this.#spill?.close();
      return { text, totalBytes, ...decoding(shown) };
    }
    const spilled = await this.#closeSpill();
    const fullOutputPath = "path" in spilled ? spilled.path : undefined;
    const totalLines = this.#totalLines();
    const head = isTorn
      ? this.#textOf(this.#head, { isTorn: false, isOpen: true })
      : { text: before };
    return {
      text: `${startOf(head.text)}\n\n${this.#note(cut, spilled)}\n\n${cut.content}`,
      totalBytes,
      ...decoding({ ...head, ...shown }),
      truncation: {
        ...cut,
        truncated: true,
        truncatedBy: cut.truncatedBy ?? "bytes",
        totalBytes,
        totalLines: totalLines ?? cut.totalLines,
      },
      ...(fullOutputPath === undefined ? {} : { fullOutputPath }),
    };
  }

  /** With `isTorn` something stands before the bytes that is not there any more, with `isOpen` something comes after them. */
  #textOf(bytes: Uint8Array, { isTorn, isOpen }: { isTorn: boolean; isOpen: boolean }): OutputText {
    const redactor = this.#redactor;
    const hidden = redactor.bytes(bytes, { isOpen });
    // The rest of a secret that was cut off at the start is not known as one.
    const whole = isTorn
      ? withoutTornStart(hidden.subarray(redactor.longest), SHORT_LINE_BYTES)
      : hidden;
    const shown = outputText(
      whole.subarray(0, whole.length - (isOpen ? incompleteEnd(whole) : 0)),
      this.#codePage,
    );
    // Once more, for what escape sequences and other encodings hid.
    return { ...shown, text: redactor.text(shown.text, { isOpen }) };
  }

  #take(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (this.#head.length < KEPT_HEAD_BYTES) {
      this.#head = Buffer.concat([
        this.#head,
        bytes.subarray(0, KEPT_HEAD_BYTES - this.#head.length),
      ]);
    }
    this.#totalBytes += bytes.length;
    if (this.#totalBytes <= MAX_COUNTED_BYTES) this.#lineBreaks += countBreaks(bytes);
    // The tail is the whole as long as it has room.
    if (this.#tail.length + bytes.length > KEPT_BYTES) this.#openSpill();
    this.#tail.push(bytes);
    if (this.#spill?.isFull === false) this.#spilling?.push(bytes);
  }

  /** The file, with all that was taken so far in it. */
  #openSpill(): SpillFile {
    if (this.#spill) return this.#spill;
    const spill = this.#store.create();
    this.#spill = spill;
    this.#spilling = this.#redactor.stream((bytes) => spill.write(bytes));
    this.#spilling.push(this.#tail.last());
    return spill;
  }

  #closeSpill(): Promise<Spilled> {
    const spill = this.#openSpill();
    this.#spilling?.end();
    return spill.close();
  }

  #totalLines(): number | undefined {
    if (this.#totalBytes > MAX_COUNTED_BYTES) return undefined;
    return this.#lineBreaks + (this.#tail.last(1)[0] === 10 ? 0 : 1);
  }

  #note(cut: Truncation, spilled: Spilled): string {
    const total = formatBytes(this.#totalBytes);
    const lines = this.#totalLines();
    const below = cut.lastLinePartial
      ? `the last ${formatBytes(cut.outputBytes)}`
      : `the last ${cut.outputLines} lines`;
    const of = lines === undefined || cut.lastLinePartial ? total : `${lines} lines (${total})`;
    const start = `[The middle is left out: above is the start, below are ${below} of ${of}.`;
    if ("failure" in spilled) return `${start} The rest could not be kept: ${spilled.failure}.]`;
    const what = spilled.isWhole
      ? "Full output"
      : `The first ${formatBytes(MAX_SPILL_BYTES)} of it`;
    return `${start} ${what}: ${spilled.path}]`;
  }
}

function decoding({ decodedAs }: OutputText): Pick<ShownOutput, "decodedAs" | "decodingNote"> {
  return decodedAs === undefined ? {} : { decodedAs, decodingNote: decodingNote(decodedAs) };
}

/** Whole lines, or the start of the first one if that is long. */
function startOf(text: string): string {
  const limits = { maxLines: DEFAULT_MAX_LINES, maxBytes: HEAD_BYTES };
  const lines = truncateHead(text.slice(0, text.lastIndexOf("\n") + 1), limits).content;
  return (lines === "" ? cutUtf8(text, HEAD_BYTES) : lines).trimEnd();
}

function countBreaks(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === 10) count++;
  return count;
}
