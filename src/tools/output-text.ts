// A command's bytes as the text that a reader of the terminal would see.
import { screenText } from "../lib/text/sanitize-screen.ts";

/** UTF-8, with U+FFFD for broken bytes; without escape sequences and control characters but line break and tab. */
export function outputText(bytes: Uint8Array): string {
  return screenText(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
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
