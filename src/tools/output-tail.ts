// The output of a command, bounded: its end, a little of its start, and a file with the first 64 MB of it when that is
// not all. Bytes are only kept and counted as they come; text is made when it is wanted.
import { closeSync, mkdtempSync, openSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeError } from "../lib/text/describe-error.ts";
import { collapseOverwrites, sanitizeText } from "../lib/text/sanitize.ts";
import { cutUtf8, formatBytes, type Truncation, truncateTail } from "../lib/text/truncate.ts";

/** Raw bytes of the end that are kept: more than is shown, for escape sequences are stripped from them. */
const KEPT_BYTES = 262_144;
/** Bytes of the start that are shown when the middle is left out. */
const HEAD_BYTES = 2048;
/** The most that goes to the file. */
const MAX_SPILL_BYTES = 64 * 1024 * 1024;
/** Lines are counted in outputs up to this size; counting more would cost more than it tells. */
const MAX_COUNTED_BYTES = 16 * 1024 * 1024;

/** What is shown of an output. */
export interface ShownOutput {
  text: string;
  /** Present when something was left out. */
  truncation?: Truncation;
  /** Where the whole lies, or its first 64 MB. */
  fullOutputPath?: string;
}

/** Takes a command's output as it comes. */
export class OutputTail {
  readonly #spillFolder: () => string;
  #kept: Uint8Array[] = [];
  #keptBytes = 0;
  #head: Uint8Array = new Uint8Array(0);
  #totalBytes = 0;
  #lineBreaks = 0;
  #spill: { path: string; file: number; bytes: number } | undefined;
  #spillFailure: string | undefined;

  /** `spillFolder` gives a private folder when it is first needed. */
  constructor(spillFolder: () => string = privateFolder) {
    this.#spillFolder = spillFolder;
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  push(chunk: Uint8Array): void {
    if (this.#head.length < HEAD_BYTES) {
      this.#head = concat([this.#head, chunk.subarray(0, HEAD_BYTES - this.#head.length)]);
    }
    this.#totalBytes += chunk.length;
    if (this.#totalBytes <= MAX_COUNTED_BYTES) this.#lineBreaks += countBreaks(chunk);
    this.#kept.push(chunk);
    this.#keptBytes += chunk.length;
    if (this.#spill) this.#write(chunk);
    else if (this.#keptBytes > KEPT_BYTES) this.#openSpill();
    while (this.#keptBytes - (this.#kept[0]?.length ?? 0) >= KEPT_BYTES) {
      this.#keptBytes -= this.#kept.shift()?.length ?? 0;
    }
  }

  /** The end of the output so far, within the bounds, for a live view. */
  preview(): string {
    return truncateTail(this.#keptText()).content;
  }

  /** What the model sees. Closes the file. */
  finish(): ShownOutput {
    const text = this.#keptText();
    const lostSome = this.#totalBytes > this.#keptBytes;
    const cut = truncateTail(text);
    if (!cut.truncated && !lostSome) return { text };
    if (!this.#spill && !lostSome) this.#openSpill();
    if (this.#spill) closeSync(this.#spill.file);
    const truncation: Truncation = {
      ...cut,
      truncated: true,
      truncatedBy: cut.truncatedBy ?? "bytes",
      totalBytes: this.#totalBytes,
      totalLines: this.#totalLines() ?? cut.totalLines,
    };
    const head = cutUtf8(cleanText(this.#head), HEAD_BYTES);
    const fullOutputPath = this.#spill?.path;
    return {
      text: `${head}\n\n${this.#note(cut)}\n\n${cut.content}`,
      truncation,
      ...(fullOutputPath === undefined ? {} : { fullOutputPath }),
    };
  }

  #keptText(): string {
    return cleanText(concat(this.#kept));
  }

  #totalLines(): number | undefined {
    return this.#totalBytes > MAX_COUNTED_BYTES ? undefined : this.#lineBreaks + 1;
  }

  #note(cut: Truncation): string {
    const lines = this.#totalLines();
    const of = lines === undefined ? "" : ` of ${lines}`;
    const shown = `[Above: the first 2 KB. Left out: the middle of ${formatBytes(this.#totalBytes)}. Below: the last ${cut.outputLines}${of} lines.`;
    const { path, bytes } = this.#spill ?? {};
    if (path === undefined) return `${shown} The whole could not be kept: ${this.#spillFailure}.]`;
    const whole =
      bytes === this.#totalBytes ? "Full output" : `First ${formatBytes(MAX_SPILL_BYTES)}`;
    return `${shown} ${whole}: ${path}]`;
  }

  /** A file that cannot be written is a note, never a failure of the command. */
  #openSpill(): void {
    if (this.#spillFailure !== undefined) return;
    try {
      const path = join(this.#spillFolder(), "output.log");
      this.#spill = { path, file: openSync(path, "wx", 0o600), bytes: 0 };
    } catch (error) {
      this.#spillFailure = describeError(error);
      return;
    }
    for (const chunk of this.#kept) this.#write(chunk);
  }

  #write(chunk: Uint8Array): void {
    const spill = this.#spill;
    if (!spill || spill.bytes >= MAX_SPILL_BYTES) return;
    const part = chunk.subarray(0, MAX_SPILL_BYTES - spill.bytes);
    try {
      let written = 0;
      while (written < part.length) written += writeSync(spill.file, part, written);
      spill.bytes += part.length;
    } catch (error) {
      this.#spillFailure = describeError(error);
      this.#spill = undefined;
      try {
        closeSync(spill.file);
      } catch {
        // It is as closed as it gets.
      }
    }
  }
}

function privateFolder(): string {
  return mkdtempSync(join(tmpdir(), "errand-output-"));
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  if (parts.length === 1 && only) return only;
  return Buffer.concat(parts);
}

/** Broken bytes, also those of a character that was cut, become U+FFFD. */
function cleanText(bytes: Uint8Array): string {
  return sanitizeText(collapseOverwrites(new TextDecoder().decode(bytes)));
}

function countBreaks(chunk: Uint8Array): number {
  let count = 0;
  for (const byte of chunk) if (byte === 10) count++;
  return count;
}
