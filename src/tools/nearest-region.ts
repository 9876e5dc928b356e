// Where in a file a text was probably meant that is not there, and in which character the two first differ.
import type { Codec } from "./file-view.ts";

/** Both with "\n" as the only line end, in the codec's units. */
export interface Missing {
  readonly text: string;
  readonly wanted: string;
  readonly codec: Codec;
}

/** How much of the wanted text is compared, in units and lines: the place is clear long before. */
const MAX_WANTED = 65_536;
const MAX_WANTED_LINES = 400;
/** Lines of the file that are compared. */
const MAX_FILE_LINES = 500_000;
const MAX_SHOWN_LINES = 6;
const MAX_SHOWN_CHARACTERS = 160;

/** A few lines: the nearest place with line numbers, and the first differing character with its code point. */
export function describeNearest(missing: Missing): string {
  const { text, codec } = missing;
  if (text === "") return "The file is empty; use write to fill it.";
  const wanted = missing.wanted.slice(0, MAX_WANTED);
  const hint = unescapedHint(missing);
  const place = nearestPlace(text, wanted);
  if (place === undefined) {
    return `Nothing in the file resembles it${hint === "" ? ": read the file again to see what it says now." : `. ${hint}`}`;
  }
  const firstLine = lineOf(text, place.start);
  const lines = shownLines(text, place.start, wanted).map(
    (line, index) => `${firstLine + index}: ${cut(codec.decode(line))}`,
  );
  const difference = firstDifference({ text, wanted, codec }, place);
  return [`Nearest place:`, ...lines, `${difference}${hint === "" ? "" : ` ${hint}`}`].join("\n");
}

interface NearPlace {
  /** Where the wanted text would begin. */
  readonly start: number;
  /** Units that are the same, as a measure. */
  readonly score: number;
}

function nearestPlace(text: string, wanted: string): NearPlace | undefined {
  const enough = Math.min(8, Math.ceil(wanted.length / 3));
  const prefix = longestPrefix(text, wanted);
  // A long beginning in common shows the first difference best.
  if (prefix.score * 2 >= wanted.length && prefix.score >= enough) return prefix;
  const places = [prefix, sameLines(text, wanted), longestSuffix(text, wanted)];
  let best: NearPlace | undefined;
  for (const place of places) if (place && place.score > (best?.score ?? enough - 1)) best = place;
  return best;
}

function longestPrefix(text: string, wanted: string): NearPlace {
  let low = 0;
  let start = 0;
  for (let high = wanted.length; low < high;) {
    const middle = (low + high + 1) >>> 1;
    const at = text.indexOf(wanted.slice(0, middle));
    if (at < 0) high = middle - 1;
    else [low, start] = [middle, at];
  }
  return { start, score: low };
}

function longestSuffix(text: string, wanted: string): NearPlace | undefined {
  let low = 0;
  let end = 0;
  for (let high = wanted.length; low < high;) {
    const middle = (low + high + 1) >>> 1;
    const at = text.indexOf(wanted.slice(wanted.length - middle));
    if (at < 0) high = middle - 1;
    else [low, end] = [middle, at + middle];
  }
  // What comes before the common end cannot be told apart from what comes before the place: show the line it is in.
  const begin = Math.max(0, end - wanted.length);
  const line = text.slice(0, end - low).lastIndexOf("\n") + 1;
  const start = wanted.includes("\n") ? begin : Math.max(begin, line);
  return { start, score: low };
}

/** The place at which most lines are the same but for blanks at their ends. */
function sameLines(text: string, wanted: string): NearPlace | undefined {
  const wantedLines = new Map<string, number[]>();
  for (const [index, line] of wanted.split("\n", MAX_WANTED_LINES).entries()) {
    const key = line.trim();
    if (key.length >= 3) wantedLines.set(key, [...(wantedLines.get(key) ?? []), index].slice(0, 8));
  }
  const scores = new Map<number, number>();
  let best: { line: number; score: number } | undefined;
  let number = 0;
  for (let at = 0; at <= text.length && number < MAX_FILE_LINES; number++) {
    const found = text.indexOf("\n", at);
    const end = found < 0 ? text.length : found;
    // Longer lines cannot be among the wanted ones.
    const key = end - at <= MAX_WANTED ? text.slice(at, end).trim() : "";
    for (const index of wantedLines.get(key) ?? []) {
      const line = Math.max(0, number - index);
      const score = (scores.get(line) ?? 0) + key.length;
      scores.set(line, score);
      if (score > (best?.score ?? 0)) best = { line, score };
    }
    at = end + 1;
  }
  if (best === undefined) return undefined;
  return { start: startOfLine(text, best.line), score: best.score };
}

function startOfLine(text: string, line: number): number {
  let at = 0;
  for (let number = 0; number < line; number++) at = text.indexOf("\n", at) + 1;
  return at;
}

function lineOf(text: string, place: number): number {
  let line = 1;
  for (let end = text.indexOf("\n"); end >= 0 && end < place; end = text.indexOf("\n", end + 1))
    line++;
  return line;
}

function shownLines(text: string, start: number, wanted: string): string[] {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const count = Math.min(MAX_SHOWN_LINES, wanted.split("\n", MAX_SHOWN_LINES).length);
  const lines: string[] = [];
  for (let at = start === 0 ? 0 : lineStart; lines.length < count;) {
    const found = text.indexOf("\n", at);
    const end = found < 0 ? text.length : found;
    // In units, so a little more than is shown.
    lines.push(text.slice(at, Math.min(end, at + MAX_SHOWN_CHARACTERS * 4)));
    if (found < 0) break;
    at = end + 1;
  }
  return lines;
}

function firstDifference({ text, wanted, codec }: Missing, { start }: NearPlace): string {
  let same = 0;
  while (same < wanted.length && start + same < text.length && text[start + same] === wanted[same])
    same++;
  // Back to where the character begins that the units belong to.
  while (
    same > 0 &&
    (codec.continues(wanted.charCodeAt(same)) || codec.continues(text.charCodeAt(start + same)))
  )
    same--;
  const at = start + same;
  const lineStart = at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
  const column = [...codec.decode(text.slice(Math.max(lineStart, at - MAX_WANTED), at))].length + 1;
  const inFile = nameFirst(codec, text.slice(at, at + 4), "the file ends");
  const inWanted = nameFirst(codec, wanted.slice(same, same + 4), "oldText ends");
  return `First difference at line ${lineOf(text, at)}, column ${column}: the file has ${inFile}, oldText has ${inWanted}.`;
}

function nameFirst(codec: Codec, units: string, atEnd: string): string {
  if (units === "") return `no more (${atEnd})`;
  const [character = ""] = codec.decode(units);
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `${JSON.stringify(character)} (U+${code})`;
}

/** Models sometimes escape once too often. Nothing is written on that guess, but it is told. */
function unescapedHint({ text, wanted }: Missing): string {
  if (!wanted.includes("\\") || wanted.length > MAX_WANTED) return "";
  const plain = wanted.replace(
    /\\([nrt"'\\])/g,
    (_, letter: string) => UNESCAPED[letter] ?? letter,
  );
  const at = plain === wanted ? -1 : text.indexOf(plain);
  if (at < 0 || text.includes(plain, at + 1)) return "";
  return `With one level of backslashes taken away it stands at line ${lineOf(text, at)}: send it so, and newText alike.`;
}

const UNESCAPED: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

function cut(line: string): string {
  const characters = [...line];
  return characters.length <= MAX_SHOWN_CHARACTERS
    ? line
    : `${characters.slice(0, MAX_SHOWN_CHARACTERS).join("")}…`;
}
