// Finds a window of lines in a file that is read piece by piece, keeps only what can be shown, and stops at once when it has
// that, unless it shall count the lines to the end.

const NEWLINE = 0x0a;
/** A character cut off at the limit can still be recognised as one. */
const SLACK_BYTES = 4;

export interface LineWindowRequest {
  /** 1-based. */
  readonly firstLine: number;
  /** The byte in the first line to start at, 1-based. */
  readonly column: number;
  readonly maxLines: number;
  /** At least so much is kept, if there is so much, and at most a few bytes more. */
  readonly maxBytes: number;
  /** Bytes at the start of the file that are no text: a byte order mark. */
  readonly skipBytes: number;
  /** Go on to the end of the file for the number of its lines. */
  readonly countAll: boolean;
}

export interface LineWindow {
  /** `no_such_column`: the line is there, and `firstLineBytes` tells its length. */
  readonly found: "lines" | "no_such_line" | "no_such_column";
  /** From the first line's column on: whole lines, up to where a limit was met or the file ended. */
  readonly bytes: Buffer;
  /** Whether `bytes` goes to the end of the file. */
  readonly atEnd: boolean;
  /** Lines of the file as far as it was read (which for `no_such_column` is up to that line); all of them if `countedAll`. */
  readonly lines: number;
  readonly countedAll: boolean;
  /** Bytes of the first line without its end, if its end was reached. */
  readonly firstLineBytes?: number;
}

/** Fed with a file's pieces in order. A line ends with "\n"; the last one also with the file. */
export class LineScanner {
  readonly #request: LineWindowRequest;
  #areLinesShort = false;
  #phase: "skip" | "column" | "collect" | "count" = "skip";
  /** How many line ends were seen. */
  #ends = 0;
  #lastByte = NEWLINE;
  #skipBytes: number;
  #columnLeft: number;
  /** How far into the window's first line the scan is; frozen by `#firstLineBytes`. */
  #inFirstLine = 0;
  #firstLineBytes: number | undefined;
  #noColumn = false;
  readonly #parts: Buffer[] = [];
  #kept = 0;
  #keptLines = 0;
  /** Whether something came after what was kept. */
  #more = false;

  constructor(request: LineWindowRequest) {
    this.#request = request;
    this.#skipBytes = request.skipBytes;
    this.#columnLeft = request.column - 1;
  }

  /** All that can be shown was found; only counting is left. */
  get hasWindow(): boolean {
    return this.#phase === "count";
  }

  /** Takes the next piece (nothing of it is kept but copies); true when no more are needed. */
  feed(chunk: Buffer): boolean {
    let at = Math.min(this.#skipBytes, chunk.length);
    this.#skipBytes -= at;
    if (at === chunk.length) return false;
    this.#lastByte = chunk[chunk.length - 1] ?? NEWLINE;
    if (this.#phase === "skip") at = this.#skip(chunk, at);
    if (this.#phase === "column") at = this.#skipColumns(chunk, at);
    if (this.#noColumn) return true;
    if (this.#phase === "collect") at = this.#collect(chunk, at);
    if (this.#phase === "count" && at < chunk.length) {
      this.#more = true;
      if (this.#request.countAll) this.#count(chunk, at);
    }
    return this.#phase === "count" && !this.#request.countAll;
  }

  /** What was found. `fileEnded`: the last piece fed was the file's last. */
  finish(fileEnded: boolean): LineWindow {
    const countedAll = fileEnded && (this.#request.countAll || !this.#more);
    const lines = this.#ends + (countedAll && this.#lastByte !== NEWLINE ? 1 : 0);
    // A file that ends with a line end has no line after it.
    const isThere = this.#phase !== "skip" && (!countedAll || lines >= this.#request.firstLine);
    const isLine = this.#noColumn || isThere;
    if (isLine && fileEnded) {
      this.#firstLineBytes ??= this.#inFirstLine;
      this.#noColumn ||= this.#phase === "column" && this.#request.column > 1;
    }
    const found = isLine ? (this.#noColumn ? "no_such_column" : "lines") : "no_such_line";
    return {
      found,
      bytes: Buffer.concat(this.#parts),
      atEnd: fileEnded && !this.#more,
      lines,
      countedAll,
      ...(this.#firstLineBytes === undefined ? {} : { firstLineBytes: this.#firstLineBytes }),
    };
  }

  #skip(chunk: Buffer, from: number): number {
    const at = this.#passLines(chunk, from, this.#request.firstLine - 1 - this.#ends);
    if (this.#ends === this.#request.firstLine - 1) this.#phase = "column";
    return at;
  }

  /** Goes over `most` line ends, or all of the piece; gives where it stopped. */
  #passLines(chunk: Buffer, from: number, most: number): number {
    let passed = 0;
    let at = from;
    if (this.#areLinesShort) {
      while (passed < most && at < chunk.length) if (chunk[at++] === NEWLINE) passed++;
    } else {
      while (passed < most && at < chunk.length) {
        const end = chunk.indexOf(NEWLINE, at);
        if (end >= 0) passed++;
        at = end < 0 ? chunk.length : end + 1;
      }
    }
    this.#ends += passed;
    // A native search costs as much as a look at some forty bytes.
    if (at - from > 4096) this.#areLinesShort = (at - from) / (passed + 1) < 40;
    return at;
  }

  #skipColumns(chunk: Buffer, from: number): number {
    // Also for column 1: whether the line exists shows only with its first byte.
    if (from === chunk.length) return from;
    if (this.#columnLeft > 0) {
      const end = chunk.indexOf(NEWLINE, from);
      const available = (end < 0 ? chunk.length : end) - from;
      const taken = Math.min(available, this.#columnLeft);
      this.#columnLeft -= taken;
      this.#inFirstLine += taken;
      if (end >= 0 && taken === available) {
        this.#noColumn = true;
        this.#firstLineBytes = this.#inFirstLine;
        return from;
      }
      if (taken === available) return chunk.length;
      this.#phase = "collect";
      return from + taken;
    }
    if (this.#request.column > 1 && chunk[from] === NEWLINE) {
      this.#noColumn = true;
      this.#firstLineBytes = this.#inFirstLine;
      return from;
    }
    this.#phase = "collect";
    return from;
  }

  #collect(chunk: Buffer, from: number): number {
    const { maxLines, maxBytes } = this.#request;
    const room = maxBytes + SLACK_BYTES - this.#kept;
    const limit = Math.min(chunk.length, from + room);
    let at = from;
    while (at < limit && this.#keptLines < maxLines) {
      const end = chunk.indexOf(NEWLINE, at);
      if (end < 0 || end >= limit) {
        this.#walkFirstLine(limit - at);
        at = limit;
        break;
      }
      this.#walkFirstLine(end - at);
      this.#lineEnds();
      this.#keptLines++;
      at = end + 1;
    }
    this.#parts.push(Buffer.from(chunk.subarray(from, at)));
    this.#kept += at - from;
    if (this.#keptLines >= maxLines || this.#kept >= maxBytes + SLACK_BYTES) this.#phase = "count";
    return at;
  }

  #count(chunk: Buffer, from: number): void {
    let at = from;
    if (this.#firstLineBytes === undefined) {
      const end = chunk.indexOf(NEWLINE, at);
      this.#walkFirstLine((end < 0 ? chunk.length : end) - at);
      if (end < 0) return;
      this.#lineEnds();
      at = end + 1;
    }
    this.#passLines(chunk, at, Infinity);
  }

  #walkFirstLine(bytes: number): void {
    if (this.#firstLineBytes === undefined) this.#inFirstLine += bytes;
  }

  #lineEnds(): void {
    this.#ends++;
    this.#firstLineBytes ??= this.#inFirstLine;
  }
}

/** The part of a window that fits, always at a line's end except in an over-long first line. */
export interface Fit {
  /** Bytes from the window's start, without the last shown line's end. */
  readonly length: number;
  readonly lines: number;
  readonly cutBy: "lines" | "bytes" | null;
  /** The first line alone is too long: `length` bytes of it fit, up to a character's border. */
  readonly cutFirstLine: boolean;
}

/**
 * How much of `bytes` may be shown. `atEnd`: nothing follows. `weigh` gives the size in bytes that a line has when shown, and
 * `growth` how many times larger than the raw bytes that can be at most.
 */
export function fitLines(
  bytes: Buffer,
  limits: {
    maxLines: number;
    maxBytes: number;
    atEnd: boolean;
    growth: number;
    weigh(line: Buffer): number;
  },
): Fit {
  let weight = 0;
  let lines = 0;
  let length = 0;
  for (let at = 0; at < bytes.length;) {
    if (lines === limits.maxLines) return { length, lines, cutBy: "lines", cutFirstLine: false };
    const found = bytes.indexOf(NEWLINE, at);
    const end = found < 0 ? bytes.length : found;
    weight += limits.weigh(bytes.subarray(at, end)) + (lines > 0 ? 1 : 0);
    const isWhole = found >= 0 || limits.atEnd;
    if (weight > limits.maxBytes || !isWhole) {
      if (lines > 0) return { length, lines, cutBy: "bytes", cutFirstLine: false };
      const most = Math.min(end, Math.floor(limits.maxBytes / limits.growth));
      return { length: characterBorder(bytes, most), lines: 1, cutBy: "bytes", cutFirstLine: true };
    }
    lines++;
    length = end;
    at = end + 1;
  }
  return { length, lines, cutBy: limits.atEnd ? null : "lines", cutFirstLine: false };
}

/** The last place at or before `at` where a UTF-8 character begins; `at` itself where the bytes are no UTF-8. */
function characterBorder(bytes: Buffer, at: number): number {
  for (let back = 0; back <= 3 && at - back > 0; back++) {
    if (((bytes[at - back] ?? 0) & 0xc0) !== 0x80) return at - back;
  }
  return at;
}
