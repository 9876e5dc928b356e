// What a search of file contents is asked and what it gives, whichever way it is made.
import type { PathTest } from "./path-glob.ts";
import type { RuleScope, SearchRoot } from "./search-root.ts";

/** Characters of a line that are shown. */
const MAX_SHOWN = 500;
/** Characters before a match that is far into its line. */
const LEAD = 100;
/** Of longer lines only the start is known when they are shown. Bytes. */
export const LONG_LINE_BYTES = 65_536;

/** Where a search ends by itself. */
export interface SearchBounds {
  /** Matching lines. */
  matches: number;
  /** Lines that are kept, with their context. */
  lines: number;
  /** Milliseconds. */
  timeMs: number;
}

export interface Search {
  root: SearchRoot;
  scope: RuleScope;
  pattern: string;
  literal: boolean;
  ignoreCase: boolean;
  /** Lines around each match. */
  context: number;
  /** Which files, by their path from the root. */
  isWanted: PathTest;
  /** The glob behind that, as it was written. */
  glob: string | undefined;
  bounds: SearchBounds;
  signal: AbortSignal | undefined;
}

export interface FoundLine {
  /** From 1. */
  line: number;
  /** At most 500 characters, and what was cut. */
  text: string;
  /** False for a line of context. */
  isMatch: boolean;
}

export interface FoundFile {
  /** Relative to the root; of a root that is a file, its name. */
  path: string;
  lines: FoundLine[];
  matches: number;
}

export interface SearchOutcome {
  /** In no particular order. */
  files: FoundFile[];
  /** Why the search ended before everything was seen. */
  endedBy?: "matches" | "time";
  /** Relative to the root. */
  unreadable: string[];
  /** The root is a binary file, which is not searched. */
  isBinaryRoot: boolean;
}

/** Collects what is found, and says when it is enough. */
export class Findings {
  readonly files: FoundFile[] = [];
  readonly #bounds: SearchBounds;
  #matches = 0;
  #lines = 0;

  constructor(bounds: SearchBounds) {
    this.#bounds = bounds;
  }

  get isFull(): boolean {
    return this.#matches > this.#bounds.matches || this.#lines > this.#bounds.lines;
  }

  add(file: FoundFile): void {
    if (file.matches === 0) return;
    this.files.push(file);
    this.#matches += file.matches;
    this.#lines += file.lines.length;
  }
}

/** The part of a line that is shown: its start, or what is around a match that lies beyond. */
export function shownPart(line: string, matchAt = 0): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  if (text.length <= MAX_SHOWN) return text;
  const from = matchAt + LEAD > MAX_SHOWN ? matchAt - LEAD : 0;
  const start = from > 0 && isLowSurrogate(text.charCodeAt(from)) ? from + 1 : from;
  let end = Math.min(text.length, start + MAX_SHOWN);
  if (end < text.length && isLowSurrogate(text.charCodeAt(end))) end--;
  const before = start > 0 ? "[...] " : "";
  return `${before}${text.slice(start, end)}${end < text.length ? "... [truncated]" : ""}`;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
