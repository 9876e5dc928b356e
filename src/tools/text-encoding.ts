// Which encoding a file's bytes are in, and the way there and back. Nothing is guessed beyond what the bytes show: a byte
// order mark, valid UTF-8, else windows-1252, in which every byte is some character.
import { isUtf8 } from "node:buffer";

export type TextEncoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

/** A byte order mark at the start of a file; `length` in bytes. */
export interface ByteOrderMark {
  readonly encoding: Exclude<TextEncoding, "windows-1252">;
  readonly length: number;
}

/** The mark that `head`, the first bytes of a file, begins with. */
export function byteOrderMark(head: Uint8Array): ByteOrderMark | undefined {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf)
    return { encoding: "utf-8", length: 3 };
  if (head[0] === 0xff && head[1] === 0xfe) return { encoding: "utf-16le", length: 2 };
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: "utf-16be", length: 2 };
  return undefined;
}

/** What 0x80 to 0x9f are in windows-1252; where it has nothing, the control character of that number, as in web pages. */
const HIGH =
  "\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f" +
  "\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178";

/** Every byte becomes one character. (TextDecoder is not used: some versions of node take the label for latin-1.) */
export function decodeWindows1252(bytes: Uint8Array): string {
  // oxlint-disable-next-line no-control-regex
  return asBuffer(bytes)
    .toString("latin1")
    .replace(/[\u0080-\u009f]/g, (byte) => HIGH[byte.charCodeAt(0) - 0x80] ?? byte);
}

/** The bytes of `text` in windows-1252, or the first character that has none there. */
export function encodeWindows1252(text: string): Uint8Array | { without: string } {
  const bytes = new Uint8Array(text.length);
  let at = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const high = HIGH.indexOf(character);
    if (high >= 0) bytes[at++] = 0x80 + high;
    else if (code < 0x80 || (code >= 0xa0 && code < 0x100)) bytes[at++] = code;
    else return { without: character };
  }
  return bytes.subarray(0, at);
}

/** UTF-16 without its mark as text; a last odd byte is left out, lone surrogates stay. */
export function decodeUtf16(bytes: Uint8Array, encoding: "utf-16le" | "utf-16be"): string {
  const even = asBuffer(bytes.subarray(0, bytes.length & ~1));
  return encoding === "utf-16le"
    ? even.toString("utf16le")
    : Buffer.from(even).swap16().toString("utf16le");
}

/** How much of `bytes` is UTF-8. */
export interface Utf8Check {
  readonly valid: boolean;
  /** Characters of several bytes that are in order. */
  readonly multibyte: number;
  /** Bytes that belong to no character. */
  readonly stray: number;
}

/** Checks `bytes`; a character cut off at the very end counts as in order. */
export function checkUtf8(bytes: Uint8Array): Utf8Check {
  const whole = bytes.subarray(0, bytes.length - cutTail(bytes));
  if (isUtf8(whole)) return { valid: true, multibyte: 0, stray: 0 };
  let multibyte = 0;
  let stray = 0;
  for (let at = 0; at < whole.length;) {
    const length = characterLength(whole, at);
    if (length > 1) multibyte++;
    if (length === 0) stray++;
    at += Math.max(1, length);
  }
  return { valid: false, multibyte, stray };
}

/** How many bytes at the end begin a character that they do not finish: 0 to 3. */
export function cutTail(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const wanted = leadLength(byte);
    return wanted > back ? back : 0;
  }
  return 0;
}

/** 0 for a byte that begins no whole character. */
function characterLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = leadLength(first);
  const second = bytes[at + 1] ?? 0;
  // Neither longer than needed, nor half of a surrogate pair, nor past the last character there is.
  if (first === 0xe0 && second < 0xa0) return 0;
  if (first === 0xed && second > 0x9f) return 0;
  if (first === 0xf0 && second < 0x90) return 0;
  if (first === 0xf4 && second > 0x8f) return 0;
  for (let next = 1; next < length; next++) {
    if (((bytes[at + next] ?? 0) & 0xc0) !== 0x80) return 0;
  }
  return length;
}

/** How many bytes a character has that begins with `first` (0x80 or more); 0 if none does. */
function leadLength(first: number): number {
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
