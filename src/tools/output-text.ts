// A command's bytes as the text that a reader of the terminal would see: no escape codes, the last state of what was written over.
import { sanitizeText } from "../lib/text/sanitize.ts";

/** UTF-8, with U+FFFD for broken bytes; without escape sequences and control characters but line break and tab. */
export function outputText(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes);
  return sanitizeText(text.includes("\r") || text.includes("\b") ? lastStates(text) : text);
}

/** Of lines that were written over with carriage returns, the last state; of characters struck over, the later one. */
function lastStates(text: string): string {
  return text
    .split("\n")
    .map(lastState)
    .join("\n")
    .replaceAll(/[^\n\b]\u0008/g, "");
}

function lastState(line: string): string {
  if (!line.includes("\r")) return line;
  for (let end = line.length; end > 0;) {
    const start = line.lastIndexOf("\r", end - 1) + 1;
    const state = line.slice(start, end);
    // An escape sequence that only clears the line is no state.
    if (sanitizeText(state) !== "") return state;
    end = start - 1;
  }
  return "";
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
