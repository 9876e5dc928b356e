// A command's bytes as the text that a reader of the terminal would see, in whatever encoding they are.
import { isUtf8 } from "node:buffer";
import { screenText } from "../lib/text/sanitize-screen.ts";
import { checkUtf8, decodeWindows1252 } from "./text-encoding.ts";

/** What was made of an output's bytes. */
export interface OutputText {
  text: string;
  /** What they were taken for, unless it is UTF-8 throughout. */
  decodedAs?: string;
}

/** Of bytes with more control characters than one in so many nothing but their text is worth showing. */
const CONTROLS_OF_BINARY = 20;

/** Never throws. Without escape sequences and control characters but line break and tab. `codePage` is what is tried after UTF-8. */
export function outputText(bytes: Uint8Array, codePage?: string): OutputText {
  const { text, ...decoded } = decode(bytes, codePage);
  return { text: screenText(text), ...decoded };
}

function decode(bytes: Uint8Array, codePage: string | undefined): OutputText {
  if (isUtf8(bytes)) return { text: utf8(bytes) };
  const plain = withoutEightBitSequences(bytes);
  if (isUtf8(plain)) return { text: utf8(plain) };
  if (isBinary(plain)) {
    // oxlint-disable-next-line no-control-regex
    const text = utf8(plain).replaceAll(
      /[\uFFFD\u0000-\u0008\u000b-\u001f\u007f-\u009f]+/g,
      "\uFFFD",
    );
    return { text, decodedAs: "binary" };
  }
  const { valid, multibyte, stray } = checkUtf8(plain);
  if (valid || multibyte > stray) return { text: utf8(plain), decodedAs: "utf-8" };
  const local = codePage === undefined ? undefined : decodeStrictly(plain, codePage);
  if (local !== undefined) return { text: local, decodedAs: codePage ?? "" };
  return { text: decodeWindows1252(plain), decodedAs: "windows-1252" };
}

function utf8(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function decodeStrictly(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The sentence that names what an output was taken for. */
export function decodingNote(decodedAs: string): string {
  if (decodedAs === "utf-8") return "[Some bytes of the output are no UTF-8: shown as \uFFFD.]";
  if (decodedAs === "binary") return "[The output holds bytes that are no text: shown as \uFFFD.]";
  return `[The output is no UTF-8; it is shown as ${decodedAs}.]`;
}

/** The encoding that an environment names for its programs' texts; undefined for UTF-8, and for one that is not known here. */
export function codePageOf(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const locale = [env["LC_ALL"], env["LC_CTYPE"], env["LANG"]].find((value) => value);
  const charset = /\.([\w-]+)/.exec(locale ?? "")?.[1] ?? "";
  try {
    const label = charset.replace(/^euc(?=[a-z])/i, "euc-");
    const { encoding } = new TextDecoder(label);
    return label === "" || encoding === "utf-8" ? undefined : encoding;
  } catch {
    return undefined;
  }
}

/**
 * Raw 8-bit sequences make no UTF-8, but say nothing about the encoding either. Only those with parameters are taken for one, and only
 * after ASCII: in other encodings the same bytes are parts of characters.
 */
function withoutEightBitSequences(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const clean = text
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/(?<![\u0080-\u00ff])\u009b([0-?]+[ -/]*[@-~])/g, "\u001b[$1")
    // oxlint-disable-next-line no-control-regex
    .replaceAll(
      /(?<![\u0080-\u00ff])[\u009d\u0090][^\u0007\u001b\u009c\u009d\u0090\n]*(?:\u0007|\u001b\\|\u009c)/g,
      "",
    );
  return clean === text ? bytes : Buffer.from(clean, "latin1");
}

function isBinary(bytes: Uint8Array): boolean {
  let controls = 0;
  for (const byte of bytes) {
    if (byte < 8 || (byte > 13 && byte < 32 && byte !== 27)) controls++;
  }
  return controls * CONTROLS_OF_BINARY > bytes.length;
}

/** How many bytes at the end begin a UTF-8 character that is not complete. */
export function incompleteEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return byte < 0xf5 && length > back ? back : 0;
    }
  }
  return 0;
}

/** Without the rest of a character at the start, and without the rest of a line if that is short: what was cut by bytes. */
export function withoutTornStart(bytes: Uint8Array, shortLine: number): Uint8Array {
  const lineEnd = bytes.subarray(0, shortLine).indexOf(10);
  if (lineEnd >= 0) return bytes.subarray(lineEnd + 1);
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.subarray(start);
}
