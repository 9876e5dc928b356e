// How much of a text a model sees: whole lines, whole characters, a bound in lines and one in bytes of UTF-8.

export const DEFAULT_MAX_LINES = 2000;
export const DEFAULT_MAX_BYTES = 51_200;
/** Characters of one line of a search result. */
export const DEFAULT_MAX_LINE_CHARS = 500;

export interface TruncateLimits {
  /** 2,000 if left out. */
  maxLines?: number;
  /** 51,200 if left out. */
  maxBytes?: number;
}

/** A final line break ends the last line; it does not begin another. */
export interface Truncation {
  content: string;
  truncated: boolean;
  truncatedBy: "lines" | "bytes" | null;
  totalLines: number;
  totalBytes: number;
  outputLines: number;
  outputBytes: number;
  /** The first line alone is over the byte limit: the head then is empty. */
  firstLineExceedsLimit: boolean;
  /** The last line alone is over the byte limit: the tail then is its end. */
  lastLinePartial: boolean;
}

/** Keeps whole lines from the start. The cut text ends before a line break; a `\r` before it stays. */
export function truncateHead(text: string, limits: TruncateLimits = {}): Truncation {
  const { maxLines = DEFAULT_MAX_LINES, maxBytes = DEFAULT_MAX_BYTES } = limits;
  const total = measure(text);
  if (total.lines <= maxLines && total.bytes <= maxBytes) return whole(text, total);
  let end = 0;
  let lines = 0;
  let bytes = 0;
  while (lines < Math.min(maxLines, total.lines)) {
    const start = lines === 0 ? 0 : end + 1;
    const next = lineEnd(text, start);
    const size = utf8Length(text, start, next) + (lines === 0 ? 0 : 1);
    if (bytes + size > maxBytes) break;
    bytes += size;
    end = next;
    lines++;
  }
  const firstLineExceedsLimit = lines === 0 && maxLines > 0;
  const head = part({ content: text.slice(0, end), lines, bytes }, total, maxLines);
  return { ...head, firstLineExceedsLimit };
}

/** Keeps whole lines from the end, without the final line break; of a last line over the byte limit, its end. */
export function truncateTail(text: string, limits: TruncateLimits = {}): Truncation {
  const { maxLines = DEFAULT_MAX_LINES, maxBytes = DEFAULT_MAX_BYTES } = limits;
  const total = measure(text);
  if (total.lines <= maxLines && total.bytes <= maxBytes) return whole(text, total);
  const stop = text.endsWith("\n") ? text.length - 1 : text.length;
  let start = stop;
  let lines = 0;
  let bytes = 0;
  while (lines < Math.min(maxLines, total.lines)) {
    const before = lines === 0 ? stop : start - 1;
    const next = before <= 0 ? 0 : text.lastIndexOf("\n", before - 1) + 1;
    const size = utf8Length(text, next, before) + (lines === 0 ? 0 : 1);
    if (bytes + size > maxBytes) break;
    bytes += size;
    start = next;
    lines++;
  }
  if (lines > 0 || maxLines <= 0) {
    return part({ content: text.slice(start, stop), lines, bytes }, total, maxLines);
  }
  const last = text.slice(stop <= 0 ? 0 : text.lastIndexOf("\n", stop - 1) + 1, stop);
  const content = cutUtf8End(last, maxBytes);
  const end = { content, lines: 1, bytes: utf8Length(content) };
  return { ...part(end, total), truncated: true, truncatedBy: "bytes", lastLinePartial: true };
}

/** Cuts one line to `maxChars` UTF-16 units, never within a character. */
export function truncateLine(
  line: string,
  maxChars: number = DEFAULT_MAX_LINE_CHARS,
): { text: string; wasTruncated: boolean } {
  if (line.length <= maxChars) return { text: line, wasTruncated: false };
  const end = isHighSurrogate(line.charCodeAt(maxChars - 1)) ? maxChars - 1 : maxChars;
  return { text: `${line.slice(0, Math.max(0, end))}... [truncated]`, wasTruncated: true };
}

/** Bytes of a text, or of a part of it, as UTF-8; a lone surrogate counts as the replacement character. */
export function utf8Length(text: string, from = 0, to: number = text.length): number {
  let bytes = to - from;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) continue;
    if (code < 0x800) bytes += 1;
    else {
      bytes += 2;
      if (isHighSurrogate(code) && at + 1 < to && isLowSurrogate(text.charCodeAt(at + 1))) at++;
    }
  }
  return bytes;
}

/** The longest start of a text within `maxBytes` of UTF-8, in whole characters. */
export function cutUtf8(text: string, maxBytes: number): string {
  let bytes = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    const pair = isHighSurrogate(code) && isLowSurrogate(text.charCodeAt(at + 1));
    bytes += pair ? 4 : bytesOf(code);
    if (bytes > maxBytes) break;
    at += pair ? 2 : 1;
  }
  return text.slice(0, at);
}

/** The longest end of a text within `maxBytes` of UTF-8, in whole characters. */
function cutUtf8End(text: string, maxBytes: number): string {
  let bytes = 0;
  let at = text.length;
  while (at > 0) {
    const code = text.charCodeAt(at - 1);
    const pair = at > 1 && isLowSurrogate(code) && isHighSurrogate(text.charCodeAt(at - 2));
    bytes += pair ? 4 : bytesOf(code);
    if (bytes > maxBytes) break;
    at -= pair ? 2 : 1;
  }
  return text.slice(at);
}

function bytesOf(code: number): number {
  if (code < 0x80) return 1;
  return code < 0x800 ? 2 : 3;
}

/** `51 KB`, `1.2 MB`: powers of 1,024. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`;
  if (bytes < 1024 ** 3) return `${(bytes / 1024 ** 2).toFixed(1)} MB`;
  return `${(bytes / 1024 ** 3).toFixed(1)} GB`;
}

interface Size {
  lines: number;
  bytes: number;
}

function measure(text: string): Size {
  let breaks = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) breaks++;
  const open = text.length > 0 && !text.endsWith("\n") ? 1 : 0;
  return { lines: breaks + open, bytes: utf8Length(text) };
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at < 0 ? text.length : at;
}

function whole(content: string, { lines, bytes }: Size): Truncation {
  return part({ content, lines, bytes }, { lines, bytes });
}

/** With every line there nothing is cut: a final line break that is one byte too much is no loss. */
function part(
  { content, lines, bytes }: Size & { content: string },
  total: Size,
  maxLines = Infinity,
): Truncation {
  const truncated = lines < total.lines;
  return {
    content,
    truncated,
    truncatedBy: truncated ? (lines >= maxLines ? "lines" : "bytes") : null,
    totalLines: total.lines,
    totalBytes: total.bytes,
    outputLines: lines,
    outputBytes: bytes,
    firstLineExceedsLimit: false,
    lastLinePartial: false,
  };
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
