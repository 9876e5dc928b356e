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
interface Place {
  /** The whole text around. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** From `lineEndFinder`. */
  readonly lineEndAt: (index: number) => string | undefined;
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
  const around = old.ends.length > 0 ? undefined : place.lineEndAt(place.end);
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

/**
 * Tells the line end that stands at `index` of `text` or next after it, else the last one of all; undefined if there is none. Asked in
 * ascending order it looks at each character once.
 */
export function lineEndFinder(text: string): (index: number) => string | undefined {
  const next = /\r\n|\r|\n/g;
  let from = 0;
  let upTo = -1;
  let found: string | undefined;
  return (index) => {
    if (index >= from && index <= upTo) return found;
    next.lastIndex = index;
    const match = next.exec(text);
    from = index;
    upTo = match?.index ?? text.length;
    found = match?.[0] ?? lastLineEnd(text);
    return found;
  };
}

function lastLineEnd(text: string): string | undefined {
  const last = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r"));
  if (last < 0) return undefined;
  return text[last] === "\n" && text[last - 1] === "\r" ? "\r\n" : text[last];
}
