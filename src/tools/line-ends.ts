// Line ends: a view in which all of them are "\n", the way back from it, and the line ends that new text gets.

/** A text whose line ends are all "\n". */
export interface EvenText {
  readonly text: string;
  /** The index in the original of what stands at `index` here. */
  toOriginal(index: number): number;
}

/** `text` with "\r\n" and lone "\r" as "\n". */
export function evenLineEnds(text: string): EvenText {
  if (!text.includes("\r")) return { text, toOriginal: (index) => index };
  /** Where in the even text the line ends stand that were two characters. */
  const shortened: number[] = [];
  const even = text.replace(/\r\n?/g, (end, at: number) => {
    if (end.length === 2) shortened.push(at - shortened.length);
    return "\n";
  });
  return { text: even, toOriginal: (index) => index + countBelow(shortened, index) };
}

/** How many of the ascending `numbers` are below `limit`. */
function countBelow(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where a new text goes. */
export interface Place {
  /** The whole text around. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/**
 * `newText` with the line ends of its place: lines that stay keep their own, new ones take those of the line that they replace, else
 * of the line before, else of the line that the place is in. Lone "\r" in `newText` are kept; so is all of it if the place has no
 * line end to go by, or if `newText` mixes its line ends where the place has "\n" (then they are meant).
 */
export function withLineEndsOf(place: Place, newText: string): string {
  if (!newText.includes("\n")) return newText;
  const old = splitLines(place.text.slice(place.start, place.end), /\r\n|\r|\n/);
  const fresh = splitLines(newText, /\r\n|\n/);
  const around = old.ends.length > 0 ? undefined : endOfLineAround(place);
  if (old.ends.length === 0 && around === undefined) return newText;
  const isMixed = fresh.ends.includes("\n") && fresh.ends.includes("\r\n");
  const placeIsUnix = old.ends.length > 0 ? old.ends.every((end) => end === "\n") : around === "\n";
  if (placeIsUnix && isMixed) return newText;
  const ends = around === undefined ? alignEnds(old, fresh) : fresh.ends.map(() => around);
  return fresh.lines.map((line, index) => line + (ends[index] ?? "")).join("");
}

interface Lines {
  readonly lines: readonly string[];
  /** One fewer than lines. */
  readonly ends: readonly string[];
}

function splitLines(text: string, end: RegExp): Lines {
  const lines = text.split(end);
  const ends = [...text.matchAll(new RegExp(end, "g"))].map((match) => match[0]);
  return { lines, ends };
}

function alignEnds(old: Lines, fresh: Lines): string[] {
  const most = Math.min(old.ends.length, fresh.ends.length);
  let before = 0;
  while (before < most && old.lines[before] === fresh.lines[before]) before++;
  let after = 0;
  // Line ends belong to the line before them, so the last line, which has none, is left out of the comparison.
  const oldLast = old.ends.length - 1;
  const freshLast = fresh.ends.length - 1;
  while (after < most - before && old.lines[oldLast - after] === fresh.lines[freshLast - after])
    after++;
  return fresh.ends.map((_, index) => {
    const fromBack = fresh.ends.length - index;
    const same = fromBack <= after ? old.ends.length - fromBack : index;
    const lastReplaced = Math.max(0, old.ends.length - after - 1);
    const source = fromBack <= after || index < before ? same : Math.min(index, lastReplaced);
    return old.ends[source] ?? "\n";
  });
}

/** Lines are looked at this far to both sides: in a file of one endless line there is nothing to be found. Characters. */
const MAX_SEARCHED = 65_536;

function endOfLineAround({ text, start, end }: Place): string | undefined {
  const after = /\r\n|\r|\n/.exec(text.slice(end, end + MAX_SEARCHED))?.[0];
  if (after !== undefined) return after;
  const before = text.slice(Math.max(0, start - MAX_SEARCHED), start);
  return /(\r\n|\r|\n)[^\r\n]*$/.exec(before)?.[1];
}
