// From the edits that a model asks for to splices of a file's bytes. All edits are looked for in the original; each must be
// found once (or says `all`); none may overlap another. On any doubt there is no plan but the reasons.
import type { Codec, FileView } from "./file-view.ts";
import { evenLineEnds, lineEndFinder, withLineEndsOf } from "./line-ends.ts";
import type { EvenText } from "./line-ends.ts";
import { describeNearest } from "./nearest-region.ts";

export interface Edit {
  readonly oldText: string;
  readonly newText: string;
  /** Replace every place instead of the only one. */
  readonly all?: boolean;
}

/** Units `start` to `end` (not with it) become `units`. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly units: string;
  /** Which edit wants it, from 0. */
  readonly edit: number;
}

export interface EditPlan {
  /** In the order of the file, without those that change nothing. */
  readonly splices: readonly Splice[];
  /** Sentences for the model; if there are any, nothing may be written. */
  readonly problems: readonly string[];
}

/** More places than this are no edit but a job for a command. */
const MAX_PLACES = 200_000;
/** Places that an error counts, and those of which it tells the line. */
const MAX_COUNTED = 1000;
const MAX_LINES_TOLD = 8;
/** Reasons told at once; of the rest only the number. */
const MAX_PROBLEMS = 5;

/** Plans `edits` on the file. */
export function planEdits(view: FileView, edits: readonly Edit[]): EditPlan {
  const splices: Splice[] = [];
  const problems: string[] = [];
  // Made once, and only if an edit needs it.
  let even: EvenText | undefined;
  const file: SearchedFile = {
    view,
    hasReturns: view.units.includes("\r"),
    even: () => (even ??= evenLineEnds(view.units)),
  };
  for (const [index, edit] of edits.entries()) {
    const planned = problems.length < MAX_PROBLEMS ? planOne(file, edit, index) : "not looked for";
    if (typeof planned === "string")
      problems.push(edits.length === 1 ? planned : `edits[${index}]: ${planned}`);
    else for (const splice of planned) splices.push(splice);
  }
  splices.sort((a, b) => a.start - b.start || a.end - b.end);
  if (problems.length === 0) problems.push(...overlaps(file, splices));
  const told = problems.slice(0, MAX_PROBLEMS);
  if (problems.length > told.length)
    told.push(`${problems.length - told.length} more edits were not looked for.`);
  return { splices: splices.filter((splice) => changes(view, splice)), problems: told };
}

/** The whole new content. */
export function applySplices(content: Buffer, view: FileView, splices: readonly Splice[]): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (const splice of splices) {
    parts.push(
      content.subarray(at, view.start + splice.start * view.unitBytes),
      view.toBytes(splice.units),
    );
    at = view.start + splice.end * view.unitBytes;
  }
  parts.push(content.subarray(at));
  return Buffer.concat(parts);
}

interface SearchedFile {
  readonly view: FileView;
  /** Whether there is a "\r". */
  readonly hasReturns: boolean;
  even(): EvenText;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

interface Match {
  readonly codec: Codec;
  readonly ranges: readonly Range[];
  /** Found as written, line ends and all. */
  readonly isExact: boolean;
}

function planOne(file: SearchedFile, edit: Edit, index: number): Splice[] | string {
  const unfit = refuse(edit);
  if (unfit !== undefined) return unfit;
  const match = findPlaces(file, edit);
  if (match === undefined) return notFound(file, edit);
  const places = match.ranges.length;
  if (places > MAX_PLACES) {
    return `oldText stands at more than ${MAX_PLACES} places; use a command such as sed for so many.`;
  }
  if (places > 1 && edit.all !== true) return ambiguous(file, match);
  const codec = isAscii(edit.oldText) && !isAscii(edit.newText) ? file.view.main : match.codec;
  if (codec === undefined) return unknownEncoding(edit.newText);
  const units = codec.encode(edit.newText);
  if (typeof units !== "string") return noCode(units.without, codec);
  // Who names "\r" in a text that is there as written speaks of line ends, and gets those that are asked for.
  const isMeant = match.isExact && edit.oldText.includes("\r");
  const asGiven = isMeant || !(units.includes("\n") && (units.includes("\r") || file.hasReturns));
  const { units: text } = file.view;
  const lineEndAt = lineEndFinder(text);
  return match.ranges.map(({ start, end }) => ({
    start,
    end,
    units: asGiven ? units : withLineEndsOf({ text, start, end, lineEndAt }, units),
    edit: index,
  }));
}

function refuse({ oldText, newText }: Edit): string | undefined {
  if (oldText === "") {
    return "oldText is empty. To insert text, take a line next to the place as oldText and repeat it in newText; to make or fill a file use write.";
  }
  if (oldText === newText) return "oldText and newText are the same, so nothing would change.";
  if (!newText.isWellFormed()) {
    return "newText holds half of a surrogate pair (an escape like \\ud83d without its second half); send the whole character.";
  }
  return undefined;
}

function findPlaces(file: SearchedFile, edit: Edit): Match | undefined {
  const isAll = edit.all === true;
  for (const codec of file.view.codecs) {
    const wanted = codec.encode(edit.oldText);
    if (typeof wanted !== "string") continue;
    const exact = findRanges(file.view.units, wanted, isAll);
    const hasOtherEnds = /[\r\n]/.test(wanted) && (wanted.includes("\r") || file.hasReturns);
    // With `all`, the even view finds the exact places too.
    if (exact.length > 0 && !(isAll && hasOtherEnds))
      return { codec, ranges: exact, isExact: true };
    if (!hasOtherEnds) continue;
    const even = file.even();
    const ranges = findRanges(even.text, evenLineEnds(wanted).text, isAll).map(
      ({ start, end }) => ({
        start: even.toOriginal(start),
        end: even.toOriginal(end),
      }),
    );
    if (ranges.length > 0) return { codec, ranges, isExact: exact.length === ranges.length };
  }
  return undefined;
}

/** All places side by side if all are wanted; else as many as an error may count, overlapping ones too. */
function findRanges(text: string, wanted: string, isAll: boolean): Range[] {
  const ranges: Range[] = [];
  const step = isAll ? wanted.length : 1;
  const most = isAll ? MAX_PLACES : MAX_COUNTED;
  for (
    let at = text.indexOf(wanted);
    at >= 0 && ranges.length <= most;
    at = text.indexOf(wanted, at + step)
  ) {
    ranges.push({ start: at, end: at + wanted.length });
  }
  return ranges;
}

function changes(view: FileView, { start, end, units }: Splice): boolean {
  return units.length !== end - start || view.units.slice(start, end) !== units;
}

function ambiguous(file: SearchedFile, { ranges }: Match): string {
  const count = ranges.length > MAX_COUNTED ? `more than ${MAX_COUNTED}` : `${ranges.length}`;
  const lines = lineNumbers(
    file.view.units,
    ranges.slice(0, MAX_LINES_TOLD).map((range) => range.start),
  );
  const more = ranges.length > MAX_LINES_TOLD ? ", …" : "";
  return (
    `oldText stands at ${count} places (lines ${lines.join(", ")}${more}). ` +
    "Add lines around it until only one is meant, or set all: true to change every one."
  );
}

function overlaps(file: SearchedFile, splices: readonly Splice[]): string[] {
  for (const [index, next] of splices.entries()) {
    const before = splices[index - 1];
    if (before === undefined || before.end <= next.start) continue;
    const [line] = lineNumbers(file.view.units, [next.start]);
    return [
      `edits[${before.edit}] and edits[${next.edit}] overlap at line ${line}. Join them into one edit.`,
    ];
  }
  return [];
}

/** Of ascending places, the 1-based lines that they are in. */
function lineNumbers(text: string, places: readonly number[]): number[] {
  let line = 1;
  let at = 0;
  return places.map((place) => {
    for (let end = text.indexOf("\n", at); end >= 0 && end < place; end = text.indexOf("\n", at)) {
      line++;
      at = end + 1;
    }
    return line;
  });
}

function notFound(file: SearchedFile, { oldText }: Edit): string {
  const codec = file.view.codecs.find((one) => typeof one.encode(oldText) === "string");
  const wanted = codec?.encode(oldText);
  if (codec === undefined || typeof wanted !== "string") {
    return "oldText not found: it holds characters that the file's encoding does not have.";
  }
  const even = evenLineEnds(wanted).text;
  return `oldText not found. ${describeNearest({ text: file.even().text, wanted: even, codec })}`;
}

function noCode(character: string, codec: Codec): string {
  return (
    `newText holds ${nameCharacter(character)}, which the file's encoding (${codec.encoding}) does not have. ` +
    "Write it another way, or convert the file to UTF-8 first (iconv)."
  );
}

function unknownEncoding(newText: string): string {
  const character = [...newText].find((one) => !isAscii(one)) ?? "";
  return (
    `The file is neither UTF-8 nor windows-1252, so there is no telling how to write ${nameCharacter(character)} into it. ` +
    "Use ASCII only, or convert the file to UTF-8 first (iconv)."
  );
}

function nameCharacter(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `${JSON.stringify(character)} (U+${code})`;
}

function isAscii(text: string): boolean {
  return !/\P{ASCII}/u.test(text);
}
