// A file's bytes as a string of its smallest units (bytes, or 16-bit units of UTF-16), in which an edit's texts are looked for.
// Nothing is decoded, so that whatever an edit does not name stays as it is, valid text or not.
import { isUtf8 } from "node:buffer";
import { byteOrderMark, checkUtf8, decodeWindows1252, encodeWindows1252 } from "./text-encoding.ts";
import type { TextEncoding } from "./text-encoding.ts";

/** Between text and units of one encoding. */
export interface Codec {
  readonly encoding: TextEncoding;
  /** The units of `text`, or the first character that has none. */
  encode(text: string): string | { without: string };
  /** For showing: what is no text becomes U+FFFD. */
  decode(units: string): string;
  /** Whether a unit goes on with a character that began before it. */
  continues(unit: number): boolean;
}

export interface FileView {
  /** The content without its byte order mark, one character a unit. */
  readonly units: string;
  /** Bytes in a unit. */
  readonly unitBytes: 1 | 2;
  /** Bytes before the first unit. */
  readonly start: number;
  /** What the file's text may be in, the likeliest first; never empty. */
  readonly codecs: readonly [Codec, ...Codec[]];
  /** What plain ASCII places get their new characters in; undefined if the bytes fit no encoding that is known here. */
  readonly main: Codec | undefined;
  toBytes(units: string): Buffer;
}

/** The view of a file's whole content. */
export function viewFile(content: Buffer): FileView {
  const mark = byteOrderMark(content);
  if (mark?.encoding === "utf-16le" || mark?.encoding === "utf-16be")
    return utf16View(content, mark.encoding);
  const start = mark?.length ?? 0;
  const body = content.subarray(start);
  const units = body.toString("latin1");
  const toBytes = (text: string): Buffer => Buffer.from(text, "latin1");
  const view = { units, unitBytes: 1, start, toBytes } as const;
  if (isUtf8(body)) return { ...view, codecs: [UTF8], main: UTF8 };
  const { multibyte, stray } = checkUtf8(body);
  if (multibyte > stray) return { ...view, codecs: [UTF8, WINDOWS_1252], main: UTF8 };
  // oxlint-disable-next-line no-control-regex
  const fits = !/[\u0081\u008d\u008f\u0090\u009d]/.test(units);
  return { ...view, codecs: [WINDOWS_1252, UTF8], main: fits ? WINDOWS_1252 : undefined };
}

const UTF8: Codec = {
  encoding: "utf-8",
  encode: (text) =>
    text.isWellFormed()
      ? Buffer.from(text, "utf8").toString("latin1")
      : { without: loneHalf(text) },
  decode: (units) => Buffer.from(units, "latin1").toString("utf8"),
  continues: (unit) => (unit & 0xc0) === 0x80,
};

const WINDOWS_1252: Codec = {
  encoding: "windows-1252",
  encode: (text) => {
    const bytes = encodeWindows1252(text);
    return bytes instanceof Uint8Array ? Buffer.from(bytes).toString("latin1") : bytes;
  },
  decode: (units) => decodeWindows1252(Buffer.from(units, "latin1")),
  continues: () => false,
};

function utf16View(content: Buffer, encoding: "utf-16le" | "utf-16be"): FileView {
  const codec: Codec = {
    encoding,
    encode: (text) => (text.isWellFormed() ? text : { without: loneHalf(text) }),
    decode: (units) => units,
    continues: (unit) => unit >= 0xdc00 && unit <= 0xdfff,
  };
  const inOrder = (bytes: Buffer): Buffer =>
    encoding === "utf-16le" ? bytes : Buffer.from(bytes).swap16();
  // A last odd byte is no unit; it stays behind the last one.
  const body = content.subarray(2, 2 + ((content.length - 2) & ~1));
  return {
    units: inOrder(body).toString("utf16le"),
    unitBytes: 2,
    start: 2,
    codecs: [codec],
    main: codec,
    toBytes: (units) => inOrder(Buffer.from(units, "utf16le")),
  };
}

function loneHalf(text: string): string {
  return /\p{Surrogate}/u.exec(text)?.[0] ?? "";
}
