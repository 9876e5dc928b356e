// Finds the lines of one file that match, piece by piece, so that memory stays flat for any file and any line.
import type { LinePattern } from "./js-pattern.ts";
import { LONG_LINE_BYTES, shownPart } from "./search.ts";
import type { FoundFile, FoundLine } from "./search.ts";

const NEWLINE = 10;

/** What is looked for. */
export interface LineQuery {
  /** Bytes to be found as they are: the fast way. */
  bytes: Buffer | undefined;
  pattern: LinePattern;
  /** Lines around each match. */
  context: number;
}

/** What ends where a piece of a file does. */
export type PieceEnd = "nowhere" | "line" | "file";

/**
 * Takes a file in pieces of whole lines. A line that is longer than a piece comes in several; it matches if one of them does. What is
 * found is kept in `file`.
 */
export class LineSearch {
  readonly file: FoundFile;
  readonly #query: LineQuery;
  /** Lines before the piece under way. */
  #linesBefore = 0;
  /** Lines at the end of the piece before, for the context of a match. */
  #lastLines: FoundLine[] = [];
  /** Lines still to be shown after the last match. */
  #wantedAfter = 0;
  #lastShown = 0;
  /** The line that goes on from the piece before. */
  #openLine: { shown: FoundLine; isMatch: boolean } | undefined;

  constructor(path: string, query: LineQuery) {
    this.file = { path, lines: [], matches: 0 };
    this.#query = query;
  }

  push(piece: Buffer, ends: PieceEnd): void {
    const endsLine = ends !== "nowhere";
    let at = 0;
    if (this.#openLine) {
      const end = piece.indexOf(NEWLINE);
      at = end < 0 ? piece.length : end + 1;
      this.#continueLine(piece.subarray(0, end < 0 ? piece.length : end));
      if (end >= 0 || endsLine) this.#closeLine();
      if (end < 0) return;
    }
    const whole = endsLine ? piece.length : piece.lastIndexOf(NEWLINE) + 1;
    const lines = new PieceLines(piece.subarray(at, Math.max(at, whole)), this.#linesBefore);
    this.#searchLines(lines);
    // Counting costs as much as searching does.
    if (ends === "file") return;
    this.#keepLast(lines);
    if (whole < piece.length) this.#beginLine(piece.subarray(Math.max(at, whole)));
  }

  #searchLines(lines: PieceLines): void {
    const { bytes, pattern, context } = this.#query;
    const hits = bytes === undefined ? lines.matching(pattern) : lines.holding(bytes);
    let nextAfter = 0;
    for (const hit of hits) {
      nextAfter = this.#showAfter(lines, { from: nextAfter, until: hit.start });
      this.#showBefore(lines, hit);
      this.#show({ line: hit.line, text: lines.shown(hit), isMatch: true });
      this.#wantedAfter = context;
      nextAfter = hit.end + 1;
    }
    this.#showAfter(lines, { from: nextAfter, until: lines.length });
  }

  #keepLast(lines: PieceLines): void {
    const { context } = this.#query;
    if (context > 0) this.#lastLines = lines.last(context, this.#lastLines);
    this.#linesBefore = lines.countAll();
  }

  #showBefore(lines: PieceLines, hit: LineSpan): void {
    const { context } = this.#query;
    if (context === 0) return;
    for (const line of lines.before(hit, context, this.#lastLines)) {
      if (line.line > this.#lastShown) this.#show({ ...line, isMatch: false });
    }
  }

  /** Gives where the first line begins that was not shown. */
  #showAfter(lines: PieceLines, { from, until }: { from: number; until: number }): number {
    let at = from;
    while (this.#wantedAfter > 0 && at < until) {
      // What is shown after a match follows what was shown last.
      const span = lines.span(at, at === 0 ? this.#linesBefore + 1 : this.#lastShown + 1);
      this.#show({ line: span.line, text: lines.shown(span), isMatch: false });
      this.#wantedAfter--;
      at = span.end + 1;
    }
    return at;
  }

  #show(line: FoundLine): void {
    this.#lastShown = line.line;
    this.file.lines.push(line);
    if (line.isMatch) this.file.matches++;
  }

  #beginLine(part: Buffer): void {
    const text = part.subarray(0, LONG_LINE_BYTES).toString();
    const shown = { line: this.#linesBefore + 1, text: shownPart(text), isMatch: false };
    this.#openLine = { shown, isMatch: this.#matches(part) };
  }

  #continueLine(part: Buffer): void {
    if (this.#openLine) this.#openLine.isMatch ||= this.#matches(part);
  }

  #closeLine(): void {
    const open = this.#openLine;
    if (!open) return;
    this.#openLine = undefined;
    this.#linesBefore++;
    if (open.isMatch) {
      for (const line of this.#lastLines) if (line.line > this.#lastShown) this.#show(line);
      this.#show({ ...open.shown, isMatch: true });
      this.#wantedAfter = this.#query.context;
    } else if (this.#wantedAfter > 0) {
      this.#show(open.shown);
      this.#wantedAfter--;
    }
    if (this.#query.context > 0) {
      this.#lastLines = [...this.#lastLines, open.shown].slice(-this.#query.context);
    }
  }

  #matches(part: Buffer): boolean {
    const { bytes, pattern } = this.#query;
    return bytes === undefined ? pattern.line.test(part.toString()) : part.includes(bytes);
  }
}

/** A line of a piece; `end` is where its line break is. */
interface LineSpan {
  start: number;
  end: number;
  line: number;
  /** Where the match begins, from the line's start, in characters. */
  matchAt: number;
}

/** The lines of a piece, numbered as far as somebody asked. */
class PieceLines {
  readonly length: number;
  readonly #piece: Buffer;
  /** The number of the line that begins at `#countedTo`. */
  #line: number;
  #countedTo = 0;

  constructor(piece: Buffer, linesBefore: number) {
    this.#piece = piece;
    this.length = piece.length;
    this.#line = linesBefore + 1;
  }

  /** Lines that hold the bytes. */
  *holding(bytes: Buffer): Generator<LineSpan> {
    for (let at = this.#piece.indexOf(bytes); at >= 0;) {
      const span = this.around(at);
      yield { ...span, matchAt: this.#piece.toString("utf8", span.start, at).length };
      at = span.end + 1 >= this.length ? -1 : this.#piece.indexOf(bytes, span.end + 1);
    }
  }

  /** Lines that match, by one search through the whole text where that is the same. */
  *matching({ line, text }: LinePattern): Generator<LineSpan> {
    const whole = this.#piece.toString();
    const isPlain = whole.length === this.length;
    let byte = 0;
    for (let at = 0; at < whole.length;) {
      if (text) {
        text.lastIndex = at;
        const found = text.exec(whole);
        if (!found) return;
        // The line that the match begins in; an empty one at the very end is none.
        const { index } = found;
        const start = index === 0 ? 0 : whole.lastIndexOf("\n", index - 1) + 1;
        byte = isPlain ? start : byte + Buffer.byteLength(whole.slice(at, Math.max(at, start)));
        at = Math.max(at, start);
        if (at >= whole.length) return;
      }
      const end = whole.indexOf("\n", at);
      const stop = end < 0 ? whole.length : end;
      const part = whole.slice(
        at,
        whole.charCodeAt(stop - 1) === 13 && stop > at ? stop - 1 : stop,
      );
      const match = line.exec(part);
      if (match) yield { ...this.at(byte), matchAt: match.index };
      byte = isPlain ? stop + 1 : this.#lineEnd(byte) + 1;
      at = stop + 1;
    }
  }

  around(at: number): LineSpan {
    return this.at(at === 0 ? 0 : this.#piece.lastIndexOf(NEWLINE, at - 1) + 1);
  }

  /** Of the line that begins there. To be asked from the start to the end. */
  at(start: number): LineSpan {
    return this.span(start, this.#numberOf(start));
  }

  span(start: number, line: number): LineSpan {
    return { start, end: this.#lineEnd(start), line, matchAt: 0 };
  }

  shown({ start, end, matchAt }: LineSpan): string {
    const bytes = this.#piece.subarray(start, end);
    const isLong = bytes.length > LONG_LINE_BYTES;
    return shownPart(bytes.subarray(0, LONG_LINE_BYTES).toString(), isLong ? 0 : matchAt);
  }

  /** Up to `count` lines before one, also of the piece before. */
  before({ start, line }: LineSpan, count: number, earlier: readonly FoundLine[]): FoundLine[] {
    const found: FoundLine[] = [];
    let end = start - 1;
    for (let number = line - 1; end >= 0 && found.length < count; number--) {
      const from = end === 0 ? 0 : this.#piece.lastIndexOf(NEWLINE, end - 1) + 1;
      const span = { start: from, end, line: number, matchAt: 0 };
      found.unshift({ line: number, text: this.shown(span), isMatch: false });
      end = from - 1;
    }
    const missing = count - found.length;
    return missing > 0 ? [...earlier.slice(-missing), ...found] : found;
  }

  /** The last lines of the piece, for the next one. */
  last(count: number, earlier: readonly FoundLine[]): FoundLine[] {
    const end = { start: this.length, end: this.length, line: this.countAll() + 1, matchAt: 0 };
    return this.before(end, count, earlier).slice(-count);
  }

  /** How many lines there are up to the end of the piece. */
  countAll(): number {
    return this.#numberOf(this.length) - 1;
  }

  #lineEnd(start: number): number {
    const end = this.#piece.indexOf(NEWLINE, start);
    return end < 0 ? this.length : end;
  }

  #numberOf(start: number): number {
    let at = this.#countedTo;
    while (at < start) {
      at = this.#lineEnd(at) + 1;
      this.#line++;
    }
    this.#countedTo = at;
    return this.#line;
  }
}
