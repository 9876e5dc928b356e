// The text that `read` shows of a file, and the note that says how to go on.
import type { Truncation } from "../lib/text/truncate.ts";
import type { OpenFile } from "../workspace/workspace.ts";
import { chunksOf } from "./file-chunks.ts";
import type { ChunkOptions } from "./file-chunks.ts";
import { LineScanner, fitLines } from "./line-scanner.ts";
import type { Fit, LineWindow } from "./line-scanner.ts";
import { checkUtf8, decodeWindows1252 } from "./text-encoding.ts";
import type { TextEncoding } from "./text-encoding.ts";

/** The most lines and bytes that one call shows. */
const MAX_LINES = 2000;
const MAX_BYTES = 51_200;
/** Lines are counted to the end in files up to this size, so that the note can tell the total. Bytes. */
const COUNT_BYTES = 16 * 1024 * 1024;

export interface ShownText {
  /** With the note, if there is one. */
  readonly text: string;
  readonly encoding: TextEncoding;
  readonly firstLine: number;
  readonly lastLine: number;
  /** What was cut. Where a large file was not read to its end, `totalLines` is what was seen. */
  readonly truncation?: Truncation;
}

export interface TextRequest {
  /** 1-based. */
  readonly offset: number;
  /** Byte in the line, 1-based. */
  readonly column: number;
  /** The caller's own limit of lines. */
  readonly limit?: number;
  /** Bytes of a byte order mark at the start. */
  readonly skipBytes: number;
}

/** Reads what was asked for. Throws, in words for the model, if the line or the column is not there. */
export async function readText(
  file: OpenFile,
  request: TextRequest,
  options: ChunkOptions = {},
): Promise<ShownText> {
  const maxLines = Math.min(request.limit ?? MAX_LINES, MAX_LINES);
  const window = await scan(file, { ...request, maxLines }, options);
  if (window.found === "no_such_line") {
    const total = window.lines === 1 ? "1 line total" : `${window.lines} lines total`;
    throw new Error(`Offset ${request.offset} is beyond end of file (${total})`);
  }
  if (window.found === "no_such_column") {
    const length = `${window.firstLineBytes ?? 0} bytes in the line`;
    throw new Error(
      `Column ${request.column} is beyond the end of line ${request.offset} (${length})`,
    );
  }
  const start = request.column > 1 ? skipHalfCharacter(window.bytes) : 0;
  const bytes = window.bytes.subarray(start);
  const decoder = decoderFor(bytes);
  const fit = fitLines(bytes, {
    maxLines,
    maxBytes: MAX_BYTES,
    atEnd: window.atEnd,
    growth: decoder.growth,
    weigh: decoder.weigh,
  });
  return compose({
    request: { ...request, column: request.column + start },
    window,
    bytes,
    fit,
    decoder,
    size: file.stat.size,
  });
}

async function scan(
  file: OpenFile,
  request: TextRequest & { maxLines: number },
  options: ChunkOptions,
): Promise<LineWindow> {
  const countAll = file.stat.size <= COUNT_BYTES;
  const scanner = new LineScanner({
    firstLine: request.offset,
    column: request.column,
    maxLines: request.maxLines,
    maxBytes: MAX_BYTES,
    skipBytes: request.skipBytes,
    countAll,
  });
  let position = 0;
  let enough = false;
  for await (const chunk of chunksOf(file, options)) {
    position += chunk.length;
    enough = scanner.feed(chunk);
    // Files that tell no true size, as in /proc, and files that grow: skipping goes on, counting does not.
    if (enough || (countAll && position > 2 * COUNT_BYTES && scanner.hasWindow)) {
      enough = true;
      break;
    }
  }
  return scanner.finish(!enough || position === file.stat.size);
}

/** A column inside a character counts as the one after it: half a character is never shown. */
function skipHalfCharacter(bytes: Buffer): number {
  let at = 0;
  while (at < 3 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return checkUtf8(bytes.subarray(at)).valid ? at : 0;
}

interface Decoder {
  readonly encoding: TextEncoding;
  /** Bytes that are no character and are shown as U+FFFD. */
  readonly stray: number;
  readonly growth: number;
  decode(bytes: Buffer): string;
  weigh(line: Buffer): number;
}

function decoderFor(bytes: Buffer): Decoder {
  const decodeUtf8 = (part: Buffer): string => part.toString("utf8");
  const check = checkUtf8(bytes);
  if (check.valid) {
    return {
      encoding: "utf-8",
      stray: 0,
      growth: 1,
      decode: decodeUtf8,
      weigh: (line) => line.length,
    };
  }
  const isUtf8 = check.multibyte > check.stray;
  const decode = isUtf8 ? decodeUtf8 : decodeWindows1252;
  return {
    encoding: isUtf8 ? "utf-8" : "windows-1252",
    stray: isUtf8 ? check.stray : 0,
    growth: 3,
    decode,
    weigh: (line) => Buffer.byteLength(decode(line)),
  };
}

interface Found {
  readonly request: TextRequest;
  readonly window: LineWindow;
  readonly bytes: Buffer;
  readonly fit: Fit;
  readonly decoder: Decoder;
  readonly size: number;
}

function compose(found: Found): ShownText {
  const { request, bytes, fit, decoder, window } = found;
  const isCut = fit.cutBy !== null;
  // The file's last line end is shown where it fits: whether there is one matters to who edits the end.
  const whole = !isCut && bytes.length <= MAX_BYTES;
  const content = decoder.decode(bytes.subarray(0, whole ? bytes.length : fit.length));
  const notes = [...(isCut ? [howToGoOn(found)] : []), ...encodingNote(decoder)];
  const gap = !isCut && content.endsWith("\n") ? "\n" : "\n\n";
  return {
    text: notes.length === 0 ? content : `${content}${gap}${notes.join("\n")}`,
    encoding: decoder.encoding,
    firstLine: request.offset,
    lastLine: request.offset + Math.max(0, fit.lines - 1),
    ...(isCut
      ? {
          truncation: {
            content,
            truncated: true,
            truncatedBy: fit.cutBy,
            totalLines: window.lines,
            totalBytes: found.size,
            outputLines: fit.lines,
            outputBytes: Buffer.byteLength(content),
            firstLineExceedsLimit: fit.cutFirstLine,
            lastLinePartial: false,
          },
        }
      : {}),
  };
}

function howToGoOn({ request, window, fit }: Found): string {
  const { offset, column, limit } = request;
  if (fit.cutFirstLine) {
    const last = column + fit.length - 1;
    const length = window.firstLineBytes === undefined ? "more" : `${window.firstLineBytes}`;
    return `[Showing bytes ${column}-${last} of ${length} of line ${offset} (50 KB limit). Use offset=${offset} column=${last + 1} to continue.]`;
  }
  const last = offset + fit.lines - 1;
  const next = `Use offset=${last + 1} to continue.`;
  const rest = window.lines - last;
  const byCaller = fit.cutBy === "lines" && limit !== undefined && limit <= MAX_LINES;
  if (byCaller && window.countedAll)
    return `[${rest} more ${rest === 1 ? "line" : "lines"} in file. ${next}]`;
  const total = window.countedAll
    ? `${window.lines}`
    : `more than ${Math.max(window.lines, last)} lines`;
  const limitName = fit.cutBy === "bytes" ? " (50 KB limit)" : "";
  return `[Showing lines ${offset}-${last} of ${total}${limitName}. ${next}]`;
}

function encodingNote(decoder: Decoder): string[] {
  if (decoder.encoding !== "utf-8") return [`[Not UTF-8: shown as ${decoder.encoding}.]`];
  if (decoder.stray === 0) return [];
  const bytes = decoder.stray === 1 ? "1 byte is" : `${decoder.stray} bytes are`;
  return [`[${bytes} not valid UTF-8, shown as \ufffd. Leave them out of an edit's oldText.]`];
}
