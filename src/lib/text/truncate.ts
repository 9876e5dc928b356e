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

/** Keeps whole lines from the start. */
export function truncateHead(text: string, limits: TruncateLimits = {}): Truncation {
  const { maxLines = DEFAULT_MAX_LINES, maxBytes = DEFAULT_MAX_BYTES } = limits;
  const { totalLines, totalBytes } = measure(text);
  if (totalLines <= maxLines && totalBytes <= maxBytes) {
    return whole(text, totalLines, totalBytes);
  }
  let end = 0;
  let lines = 0;
  let bytes = 0;
  while (lines < Math.min(maxLines, totalLines)) {
    const next = lineEnd(text, lines === 0 ? 0 : end + 1);
    const start = lines === 0 ? 0 : end + 1;
    const size = utf8Length(text.slice(start, next)) + (lines === 0 ? 0 : 1);
    if (bytes + size > maxBytes) break;
    bytes += size;
    end = next;
    lines++;
  }
  const content = text.slice(0, end);
  return {
    ...cut({ content, lines, bytes }, totalLines, totalBytes),
    truncatedBy: lines >= maxLines ? "lines" : "bytes",
    firstLineExceedsLimit: lines === 0 && maxLines > 0,
  };
}

/** Keeps whole lines from the end; of a last line over the byte limit, its end. */
export function truncateTail(text: string, limits: TruncateLimits = {}): Truncation {
  const { maxLines = DEFAULT_MAX_LINES, maxBytes = DEFAULT_MAX_BYTES } = limits;
  const { totalLines, totalBytes } = measure(text);
  if (totalLines <= maxLines && totalBytes <= maxBytes) {
    return whole(text, totalLines, totalBytes);
  }
  const stop = text.endsWith("\n") ? text.length - 1 : text.length;
  let start = stop;
  let lines = 0;
  let bytes = 0;
  while (lines < Math.min(maxLines, totalLines)) {
    const before = lines === 0 ? stop : start - 1;
    const next = before <= 0 ? 0 : text.lastIndexOf("\n", before - 1) + 1;
    const size = utf8Length(text.slice(next, before)) + (lines === 0 ? 0 : 1);
    if (bytes + size > maxBytes) break;
    bytes += size;
    start = next;
    lines++;
  }
  if (lines > 0 || maxLines <= 0) {
    const content = text.slice(start, stop);
    const truncatedBy = lines >= maxLines ? "lines" : "bytes";
    return { ...cut({ content, lines, bytes }, totalLines, totalBytes), truncatedBy };
  }
  const last = text.slice(text.lastIndexOf("\n", stop - 1) + 1, stop);
  const content = cutUtf8End(last, maxBytes);
  return {
    ...cut({ content, lines: 1, bytes: utf8Length(content) }, totalLines, totalBytes),
    truncatedBy: "bytes",
    lastLinePartial: true,
  };
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

/** Bytes of a text as UTF-8; a lone surrogate counts as the replacement character. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) continue;
    if (code < 0x800) bytes += 1;
    else if (isHighSurrogate(code) && isLowSurrogate(text.charCodeAt(at + 1))) {
      bytes += 2;
      at++;
    } else bytes += 2;
  }
  return bytes;
}

/** The longest start of a text within `maxBytes` of UTF-8, in whole characters. */
export function cutUtf8(text: string, maxBytes: number): string {
  let bytes = 0;
  let at = 0;
  while (at < text.length) {
    const units = unitsAt(text, at);
    bytes += utf8Length(text.slice(at, at + units));
    if (bytes > maxBytes) break;
    at += units;
  }
  return text.slice(0, at);
}

/** The longest end of a text within `maxBytes` of UTF-8, in whole characters. */
function cutUtf8End(text: string, maxBytes: number): string {
  let bytes = 0;
  let at = text.length;
  while (at > 0) {
    const units =
      at > 1 && isLowSurrogate(text.charCodeAt(at - 1)) && isHighSurrogate(text.charCodeAt(at - 2))
        ? 2
        : 1;
    bytes += utf8Length(text.slice(at - units, at));
    if (bytes > maxBytes) break;
    at -= units;
  }
  return text.slice(at);
}

/** `51 KB`, `1.2 MB`: powers of 1,024. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`;
  if (bytes < 1024 ** 3) return `${(bytes / 1024 ** 2).toFixed(1)} MB`;
  return `${(bytes / 1024 ** 3).toFixed(1)} GB`;
}

function measure(text: string): { totalLines: number; totalBytes: number } {
  let breaks = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) breaks++;
  const open = text.length > 0 && !text.endsWith("\n") ? 1 : 0;
  return { totalLines: breaks + open, totalBytes: utf8Length(text) };
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at < 0 ? text.length : at;
}

function whole(content: string, totalLines: number, totalBytes: number): Truncation {
  return {
    ...cut({ content, lines: totalLines, bytes: totalBytes }, totalLines, totalBytes),
    truncated: false,
  };
}

function cut(
  { content, lines, bytes }: { content: string; lines: number; bytes: number },
  totalLines: number,
  totalBytes: number,
): Truncation {
  return {
    content,
    truncated: true,
    truncatedBy: null,
    totalLines,
    totalBytes,
    outputLines: lines,
    outputBytes: bytes,
    firstLineExceedsLimit: false,
    lastLinePartial: false,
  };
}

function unitsAt(text: string, at: number): number {
  const pair = isHighSurrogate(text.charCodeAt(at)) && isLowSurrogate(text.charCodeAt(at + 1));
  return pair ? 2 : 1;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
