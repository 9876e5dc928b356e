// Reads ripgrep's JSON lines as they come, with bounded memory: of a line that is very long only its start and its number are kept.
import { Findings, LONG_LINE_BYTES, shownPart } from "./search.ts";
import type { FoundFile, Search } from "./search.ts";

const NEWLINE = 10;
/** Bytes of a record that are kept: escapes make a line up to six times as long. */
const MAX_RECORD_BYTES = LONG_LINE_BYTES * 2;
/** This text cannot be within a JSON string: its quotes would be escaped. */
const NUMBER_KEY = ',"line_number":';
/** The key and a number. Bytes. */
const NUMBER_BYTES = NUMBER_KEY.length + 20;

type Text = { text: string } | { bytes: string };

interface ParsedRecord {
  type: string;
  data: {
    path?: Text | null;
    lines?: Text;
    line_number?: number | null;
    binary_offset?: number | null;
    submatches?: readonly { start: number }[];
  };
}

/** Takes the output of `rg --json`. */
export class RipgrepRecords {
  readonly findings: Findings;
  /** The search ran to its end: a bad pattern never gets there. */
  isComplete = false;
  /** A file was given up for the NUL bytes in it. */
  sawBinary = false;
  readonly #search: Search;
  #file: FoundFile | undefined;
  #parts: Buffer[] = [];
  #length = 0;
  #long: LongRecord | undefined;

  constructor(search: Search) {
    this.#search = search;
    this.findings = new Findings(search.bounds);
  }

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = 0;
    while (from < bytes.length) {
      const end = bytes.indexOf(NEWLINE, from);
      this.#extend(bytes.subarray(from, end < 0 ? bytes.length : end));
      if (end < 0) return;
      this.#endRecord();
      from = end + 1;
    }
  }

  /** What was found so far, also of a file that is not finished. */
  finish(): FoundFile[] {
    if (this.#file) this.findings.add(this.#file);
    this.#file = undefined;
    return this.findings.files;
  }

  /** Whether there is enough, counting the file under way. */
  isFull(): boolean {
    const { matches, lines } = this.#search.bounds;
    const file = this.#file;
    return (
      this.findings.isFull ||
      (file !== undefined && (file.matches > matches || file.lines.length > lines))
    );
  }

  #extend(part: Buffer): void {
    if (this.#long) {
      this.#long.extend(part);
      return;
    }
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#length <= MAX_RECORD_BYTES) return;
    this.#long = new LongRecord(Buffer.concat(this.#parts));
    this.#parts = [];
  }

  #endRecord(): void {
    const record = this.#long ? this.#long.read() : parseRecord(Buffer.concat(this.#parts));
    this.#parts = [];
    this.#length = 0;
    this.#long = undefined;
    if (record) this.#take(record);
  }

  #take({ type, data }: ParsedRecord): void {
    switch (type) {
      case "begin":
        this.#file = { path: pathOf(data.path), lines: [], matches: 0 };
        break;
      case "match":
      case "context":
        this.#takeLine(data, type === "match");
        break;
      case "end":
        this.#endFile(data.binary_offset ?? null);
        break;
      case "summary":
        this.isComplete = true;
        break;
    }
  }

  #takeLine({ lines, line_number, submatches }: ParsedRecord["data"], isMatch: boolean): void {
    const file = this.#file;
    if (!file || typeof line_number !== "number") return;
    const bytes = withoutEnd(bytesOf(lines));
    const isLong = bytes.length > LONG_LINE_BYTES;
    const text = bytes.subarray(0, LONG_LINE_BYTES).toString();
    const start = isLong ? 0 : (submatches?.[0]?.start ?? 0);
    const matchAt = start === 0 ? 0 : bytes.subarray(0, start).toString().length;
    file.lines.push({ line: line_number, text: shownPart(text, matchAt), isMatch });
    if (isMatch) file.matches++;
  }

  #endFile(binaryOffset: number | null): void {
    const file = this.#file;
    this.#file = undefined;
    if (binaryOffset !== null) this.sawBinary = true;
    else if (file && this.#search.isWanted(file.path)) this.findings.add(file);
  }
}

/** A record of which the start is kept, and the line's number is looked for in what follows. */
class LongRecord {
  readonly #start: Buffer;
  #window: Buffer = Buffer.alloc(0);
  #number: number | undefined;

  constructor(start: Buffer) {
    this.#start = start.subarray(0, MAX_RECORD_BYTES);
    this.extend(start);
  }

  extend(part: Buffer): void {
    if (this.#number !== undefined) return;
    // The key may lie across two parts.
    const joint = Buffer.concat([this.#window, part.subarray(0, NUMBER_BYTES)]);
    this.#number = numberIn(joint, false) ?? numberIn(part, false);
    const tail = part.length < NUMBER_BYTES ? Buffer.concat([this.#window, part]) : part;
    this.#window = Buffer.from(tail.subarray(-2 * NUMBER_BYTES));
  }

  read(): ParsedRecord | undefined {
    const number = this.#number ?? numberIn(this.#window, true);
    const start = this.#start.toString();
    const type = /^\{"type":"(match|context)"/.exec(start)?.[1];
    const escaped = /"lines":\{"text":"((?:[^"\\]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*)/.exec(
      start,
    )?.[1];
    const base64 = /"lines":\{"bytes":"([A-Za-z0-9+/]*)/.exec(start)?.[1];
    if (type === undefined || number === undefined) return undefined;
    const lines =
      escaped === undefined
        ? { bytes: (base64 ?? "").slice(0, Math.floor((base64 ?? "").length / 4) * 4) }
        : { text: JSON.parse(`"${escaped.replace(/\uFFFD$/, "")}"`) as string };
    return { type, data: { lines, line_number: number } };
  }
}

/** A number that goes to the end of the bytes may go on after it, unless they are the last. */
function numberIn(bytes: Buffer, areLast: boolean): number | undefined {
  const at = bytes.indexOf(NUMBER_KEY);
  if (at < 0) return undefined;
  const text = bytes.toString("latin1", at + NUMBER_KEY.length, at + NUMBER_BYTES + 1);
  const digits = (areLast ? /^\d+/ : /^\d+(?=\D)/).exec(text)?.[0];
  return digits === undefined ? undefined : Number(digits);
}

function parseRecord(bytes: Buffer): ParsedRecord | undefined {
  if (bytes.length === 0) return undefined;
  try {
    const parsed = JSON.parse(bytes.toString()) as ParsedRecord;
    return typeof parsed.type === "string" && parsed.data ? parsed : undefined;
  } catch {
    // A record that was cut when the search was ended.
    return undefined;
  }
}

function bytesOf(text: Text | undefined | null): Buffer {
  if (!text) return Buffer.alloc(0);
  return "text" in text ? Buffer.from(text.text) : Buffer.from(text.bytes, "base64");
}

function pathOf(text: Text | undefined | null): string {
  return bytesOf(text).toString().replace(/^\.\//, "");
}

function withoutEnd(bytes: Buffer): Buffer {
  return bytes.at(-1) === NEWLINE ? bytes.subarray(0, -1) : bytes;
}
