// The start of a value's pretty-printed JSON, and how long the whole would be, without ever building the whole.
import { cutUtf8, utf8Length } from "../text/truncate.ts";

export interface PrettyJson {
  /** At most `maxBytes` of UTF-8, whole characters. */
  text: string;
  /** UTF-8 bytes of the whole text; a lower bound when `isCounted` is false. */
  bytes: number;
  isCounted: boolean;
}

/** Deeper parts are printed as `…`. */
const MAX_DEPTH = 500;
/** Parts that are counted; what comes after them is not looked at. */
const MAX_PARTS = 1_000_000;

/** Prints as `JSON.stringify(value, null, 2)` does. Never throws: what JSON cannot hold is shown by its kind. */
export function prettyJson(value: unknown, maxBytes: number): PrettyJson {
  const printer = new Printer(maxBytes);
  try {
    printer.print(value, 0);
  } catch {
    printer.write('"[cannot be read]"');
  }
  const { text, bytes, parts } = printer;
  return { text: cutUtf8(text, maxBytes), bytes, isCounted: parts <= MAX_PARTS };
}

class Printer {
  text = "";
  bytes = 0;
  parts = 0;
  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  write(piece: string): void {
    this.#put(piece);
    this.bytes += utf8Length(piece);
  }

  print(value: unknown, depth: number): void {
    if (++this.parts > MAX_PARTS) return;
    if (typeof value !== "object" || value === null) this.write(leafText(value));
    else if (depth > MAX_DEPTH) this.write('"…"');
    else if (Array.isArray(value)) this.#printList(value, depth);
    else this.#printObject(value as Record<string, unknown>, depth);
  }

  #printList(list: readonly unknown[], depth: number): void {
    if (list.length === 0) return this.write("[]");
    for (let at = 0; at < list.length && this.parts <= MAX_PARTS; at++) {
      this.#breakLine(at === 0 ? "[" : ",", depth + 1);
      this.print(list[at], depth + 1);
    }
    this.#breakLine("", depth);
    this.write("]");
  }

  #printObject(object: Record<string, unknown>, depth: number): void {
    const keys = Object.keys(object).filter((key) => object[key] !== undefined);
    if (keys.length === 0) return this.write("{}");
    let opening = "{";
    for (const key of keys) {
      if (this.parts > MAX_PARTS) break;
      this.#breakLine(opening, depth + 1);
      this.write(`${JSON.stringify(key)}: `);
      this.print(object[key], depth + 1);
      opening = ",";
    }
    this.#breakLine("", depth);
    this.write("}");
  }

  // Counted, not measured: deep indentation is most of a large text.
  #breakLine(before: string, depth: number): void {
    if (this.#isOpen()) this.#put(`${before}\n${"  ".repeat(depth)}`);
    this.bytes += before.length + 1 + depth * 2;
  }

  #put(piece: string): void {
    // A start that is one piece too long is cut at the end.
    if (this.#isOpen()) this.text += piece;
  }

  #isOpen(): boolean {
    return this.bytes <= this.#maxBytes;
  }
}

function leafText(value: unknown): string {
  if (typeof value === "bigint") return `"[${value}n]"`;
  return JSON.stringify(value) ?? (value === undefined ? "null" : `"[${typeof value}]"`);
}
