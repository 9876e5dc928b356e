// The output of a program as a terminal would show it: no escape sequences and no control characters but line break and tab;
// what carriage returns, backspaces, cursor moves and erasures did is done. The grammar of ECMA-48 decides what a sequence is.
// Not known here are the size of the screen and what stood on it before: a program that clears it or jumps about on it gets a
// page of its own, below all that is there.
import { Rows } from "./sanitize-rows.ts";

/** A device control string with line breaks in it (a picture) is a sequence up to this length; else it ends with its line. */
const MAX_STRING = 1_048_576;

// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;
// oxlint-disable-next-line no-control-regex
const STRING_END = /[\u0007\u0018\u001a\u001b\u009c]/g;
/**
 * In order: text; CSI with its parameters, and its final character unless it is cut off; the start of a string, of which OSC is one
 * line's; other escapes; a control character.
 */
const TOKEN =
  // oxlint-disable-next-line no-control-regex
  /(?<text>[^\u0000-\u0008\u000a-\u001f\u007f-\u009f]+)|(?:\u001b\[|\u009b)(?<parameters>[ -?]*)(?<final>[@-~]?)|(?<line>\u001b\]|\u009d)|(?<string>\u001b[PX^_]|[\u0090\u0098\u009e\u009f])|\u001b[ -/]*(?<escape>[0-~]?)|(?<control>[^])/y;

/** Any text, in linear time; what a sequence that is cut off at the end would have done is left out. */
export function screenText(text: string): string {
  if (!CONTROL.test(text)) return text;
  const rows = new Rows();
  const stringEnd = createSearch(text, STRING_END);
  const token = new RegExp(TOKEN);
  while (token.lastIndex < text.length) {
    const part = token.exec(text)?.groups ?? {};
    const { text: plain, final, parameters = "", line, string, escape, control } = part;
    if (plain !== undefined) rows.write(plain);
    else if (final !== undefined) applyControl(rows, final, parameters);
    else if (line !== undefined || string !== undefined) {
      const start = token.lastIndex;
      token.lastIndex = endOfString(text, {
        start,
        end: stringEnd(start),
        isLine: line !== undefined,
      });
    } else if (escape !== undefined) applyEscape(rows, escape);
    else if (control === "\n") rows.newLine();
    else if (control === "\r") rows.toColumn(0);
    else if (control === "\b") rows.moveColumns(-1);
  }
  return rows.toString();
}

/** Finds the next match at or after places that only grow, without looking anywhere twice. */
function createSearch(text: string, pattern: RegExp): (from: number) => number {
  const search = new RegExp(pattern);
  let found = -1;
  return (from) => {
    if (found >= from) return found;
    search.lastIndex = from;
    found = search.exec(text)?.index ?? text.length;
    return found;
  };
}

/** Behind the terminator. An escape that is none begins the next sequence. */
function endOfString(
  text: string,
  { start, end, isLine }: { start: number; end: number; isLine: boolean },
): number {
  const isEnded = text.startsWith("\u001b\\", end) || text[end] === "\u009c";
  if (isLine || !isEnded || end - start > MAX_STRING) {
    const lineEnd = text.slice(start, end).indexOf("\n");
    if (lineEnd >= 0) return start + lineEnd;
  }
  if (end >= text.length || text[end] !== "\u001b") return end + 1;
  return isEnded ? end + 2 : end;
}

function applyControl(rows: Rows, final: string, parameters: string): void {
  // Colours, and other sequences of the same finals, which change no text.
  if (final === "m" || !/^\??[\d;]*$/.test(parameters)) return;
  const numbers = parameters.replace("?", "").split(";", 2).map(Number);
  const [first = 0, second = 0] = numbers;
  const count = first || 1;
  switch (final) {
    case "A":
      return rows.moveRows(-count);
    case "B":
      return rows.moveRows(count);
    case "C":
      return rows.moveColumns(count);
    case "D":
      return rows.moveColumns(-count);
    case "E":
      rows.moveRows(count);
      return rows.toColumn(0);
    case "F":
      rows.moveRows(-count);
      return rows.toColumn(0);
    case "G":
    case "`":
      return rows.toColumn(count - 1);
    case "H":
    case "f":
      return rows.toPlace(count - 1, (second || 1) - 1);
    case "J":
      return first === 0 ? rows.eraseBelow() : first === 2 ? rows.newPage() : undefined;
    case "K":
      return rows.eraseRow(first === 0 ? "after" : first === 1 ? "before" : "all");
    case "P":
      return rows.deleteCells(count);
    case "X":
      return rows.eraseCells(count);
    case "@":
      return rows.insertCells(count);
    case "s":
      return rows.save();
    case "u":
      return rows.restore();
    default:
      return undefined;
  }
}

function applyEscape(rows: Rows, final: string): void {
  if (final === "7") rows.save();
  else if (final === "8") rows.restore();
  else if (final === "D") rows.lineFeed();
  else if (final === "E") rows.newLine();
  else if (final === "M") rows.moveRows(-1);
  else if (final === "c") rows.newPage();
}
