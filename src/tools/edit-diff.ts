// What an edit changed, for people and for the model: hunks with a few lines around, made from the splices, so that their
// cost goes by the size of the change and not of the file.
import { cutUtf8 } from "../lib/text/truncate.ts";
import type { Codec, FileView } from "./file-view.ts";
import type { Splice } from "./match-edit.ts";

export interface EditDiff {
  /** Hunks as in a unified diff; at most 64 KB. */
  readonly diff: string;
  /** The first line that is new or, where lines only went, that follows; 1-based, in the new content. */
  readonly firstChangedLine: number;
  /** Lines. */
  readonly additions: number;
  readonly removals: number;
}

const CONTEXT_LINES = 3;
const MAX_DIFF_BYTES = 65_536;
/** Hunks of more lines, and hunks past this many, are told as all old lines against all new ones. */
const MAX_COMPARED_LINES = 4000;
const MAX_COMPARED_HUNKS = 200;
/** Milliseconds for the comparison of one hunk. */
const COMPARE_TIMEOUT = 100;

/** The diff of `splices` (in order, at least one) on the file that `view` shows. */
export async function diffOfSplices(view: FileView, splices: readonly Splice[]): Promise<EditDiff> {
  // Loaded by the first edit: a run without one does not pay for it.
  const { diffArrays } = await import("diff");
  const codec = view.main ?? view.codecs[0];
  const text = view.units;
  const hunks: string[] = [];
  let diffBytes = 0;
  let additions = 0;
  let removals = 0;
  let firstChangedLine = 0;
  let at = 0;
  let line = 1;
  let shift = 0;
  for (const [index, group] of groupSplices(text, splices).entries()) {
    line += countLineEnds(text, at, group.start);
    at = group.start;
    const oldLines = linesOf(text.slice(group.start, group.end));
    const newLines = linesOf(spliced(text, group));
    const isSmall =
      oldLines.length + newLines.length <= MAX_COMPARED_LINES && index < MAX_COMPARED_HUNKS;
    const parts = isSmall
      ? diffArrays(oldLines, newLines, { timeout: COMPARE_TIMEOUT })
      : undefined;
    const steps = parts?.flatMap(({ value, added, removed }) =>
      value.map((one) => ({ sign: signOf(added, removed), line: one })),
    ) ?? [
      ...oldLines.map((one) => ({ sign: "-" as const, line: one })),
      ...newLines.map((one) => ({ sign: "+" as const, line: one })),
    ];
    const added = steps.filter((step) => step.sign === "+").length;
    const removed = steps.filter((step) => step.sign === "-").length;
    additions += added;
    removals += removed;
    if (firstChangedLine === 0)
      firstChangedLine = line + steps.findIndex((step) => step.sign !== " ");
    if (diffBytes <= MAX_DIFF_BYTES) {
      const hunk = renderHunk({ steps, oldLine: line, newLine: line + shift, codec });
      diffBytes += Buffer.byteLength(hunk) + 1;
      hunks.push(hunk);
    }
    shift += added - removed;
  }
  const whole = hunks.join("\n");
  return { diff: headOf(whole, MAX_DIFF_BYTES), firstChangedLine, additions, removals };
}

/** The lines at the start of a diff that fit into `maxBytes`, with a mark if some are left out. */
export function headOf(diff: string, maxBytes: number, maxLines: number = Infinity): string {
  const lines = diff.split("\n", Math.min(maxLines, diff.length) + 1);
  const isShort = lines.length <= maxLines;
  const head = isShort ? diff : lines.slice(0, maxLines).join("\n");
  const fitting = cutUtf8(head, maxBytes);
  if (isShort && fitting === diff) return diff;
  return `${fitting === head ? head : fitting.slice(0, Math.max(0, fitting.lastIndexOf("\n")))}\n…`;
}

type Sign = " " | "+" | "-";

interface Step {
  readonly sign: Sign;
  /** With its line end. */
  readonly line: string;
}

interface Group {
  /** Whole lines: context, the touched ones, context. */
  readonly start: number;
  readonly end: number;
  readonly splices: readonly Splice[];
}

function groupSplices(text: string, splices: readonly Splice[]): Group[] {
  const groups: { start: number; end: number; lineEnd: number; splices: Splice[] }[] = [];
  for (const splice of splices) {
    const last = groups.at(-1);
    // Many places in one line: its ends are looked for once.
    if (last !== undefined && splice.end <= last.lineEnd) {
      last.splices.push(splice);
      continue;
    }
    const endsLine = splice.end > splice.start && text[splice.end - 1] === "\n";
    const lineEnd = endsLine ? splice.end : linesOn(text, splice.end, 0);
    const end = linesOn(text, lineEnd, CONTEXT_LINES - 1);
    const start = linesBack(text, splice.start, CONTEXT_LINES);
    if (last !== undefined && start <= last.end) {
      last.end = Math.max(last.end, end);
      last.lineEnd = lineEnd;
      last.splices.push(splice);
    } else groups.push({ start, end, lineEnd, splices: [splice] });
  }
  return groups;
}

/** The start of the line that is `lines` before that of `at`. */
function linesBack(text: string, at: number, lines: number): number {
  let start = at;
  for (let left = lines; left >= 0; left--) {
    if (start === 0) return 0;
    start = text.lastIndexOf("\n", start - 1) + (left === 0 ? 1 : 0);
    if (start < 0) return 0;
  }
  return start;
}

/** The end of the line that is `lines` after that of `at`. */
function linesOn(text: string, at: number, lines: number): number {
  let end = at;
  for (let left = lines; left >= 0; left--) {
    const found = text.indexOf("\n", end);
    if (found < 0) return text.length;
    end = found + 1;
  }
  return end;
}

function spliced(text: string, group: Group): string {
  let result = "";
  let at = group.start;
  for (const splice of group.splices) {
    result += text.slice(at, splice.start) + splice.units;
    at = splice.end;
  }
  return result + text.slice(at, group.end);
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function countLineEnds(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1))
    count++;
  return count;
}

function signOf(added: boolean, removed: boolean): Sign {
  if (added) return "+";
  return removed ? "-" : " ";
}

function renderHunk(hunk: {
  steps: readonly Step[];
  oldLine: number;
  newLine: number;
  codec: Codec;
}): string {
  const { steps, codec } = hunk;
  const oldCount = steps.filter((step) => step.sign !== "+").length;
  const newCount = steps.filter((step) => step.sign !== "-").length;
  const lines = [`@@ -${hunk.oldLine},${oldCount} +${hunk.newLine},${newCount} @@`];
  let bytes = 0;
  for (const { sign, line } of steps) {
    // The rest would be cut off anyway.
    if (bytes > MAX_DIFF_BYTES) break;
    bytes += line.length + 2;
    lines.push(sign + codec.decode(line.replace(/\r?\n$/, "")));
    if (!line.endsWith("\n")) lines.push("\\ No newline at end of file");
  }
  return lines.join("\n");
}
