// The `read` tool: a window of a text file, or an image, or what a binary file is.
import { Type } from "typebox";
import type { TInteger, TObject, TOptional, TString } from "typebox";
import type { AgentTool, ToolContext, ToolDefinition, ToolResult } from "../core/tool.ts";
import { toAgentTool } from "../core/tool.ts";
import type { Truncation } from "../lib/text/truncate.ts";
import { formatBytes } from "../lib/text/truncate.ts";
import { showPath } from "../workspace/show-path.ts";
import type { OpenFile, Workspace } from "../workspace/workspace.ts";
import type { ChunkOptions } from "./file-chunks.ts";
import { firstChunk, wholeContent } from "./file-chunks.ts";
import { HEAD_BYTES, fileKind } from "./file-kind.ts";
import type { FileKindFound } from "./file-kind.ts";
import { imageSize } from "./image-header.ts";
import { readText } from "./read-text.ts";
import { byteOrderMark, decodeUtf16 } from "./text-encoding.ts";
import type { TextEncoding } from "./text-encoding.ts";
import { claimPath, existingPath, openExisting } from "./tool-path.ts";

/** The largest image that is sent, and the longest side that providers take. Bytes, pixels. */
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
const MAX_IMAGE_SIDE = 8000;
/** UTF-16 is turned into UTF-8 as a whole first. Bytes. */
const MAX_UTF16_BYTES = 16 * 1024 * 1024;

export type ReadParameters = TObject<{
  path: TString;
  offset: TOptional<TInteger>;
  limit: TOptional<TInteger>;
  column: TOptional<TInteger>;
}>;

interface ReadArguments {
  path: string;
  offset?: number;
  limit?: number;
  column?: number;
}

/** What was read. `truncation` is there if something was left out. */
export interface ReadDetails {
  /** Absolute, as found. */
  path: string;
  kind: "text" | "image" | "binary";
  /** Bytes. */
  size: number;
  encoding?: TextEncoding;
  /** The lines shown, 1-based. */
  firstLine?: number;
  lastLine?: number;
  truncation?: Truncation;
}

/** The tool as the loop runs it, over the files of `workspace`. */
export function createReadTool(workspace: Workspace): AgentTool<ReadParameters, ReadDetails> {
  return toAgentTool(readDefinition(workspace), () => ({ cwd: workspace.cwd }));
}

/** The tool with what front ends and the system prompt want of it. */
export function readDefinition(workspace: Workspace): ToolDefinition<ReadParameters, ReadDetails> {
  return {
    name: "read",
    label: "Read",
    description:
      "Read a file: text (UTF-8, or shown as such) or an image (png, jpeg, gif, webp). Shows at most 2000 lines or 50 KB; " +
      "the note at the end says how to go on with offset, or with column inside a very long line.",
    parameters: Type.Object({
      path: Type.String({ description: "File to read, relative or absolute" }),
      offset: Type.Optional(Type.Integer({ minimum: 0, description: "First line, from 1" })),
      limit: Type.Optional(Type.Integer({ minimum: 1, description: "Most lines to show" })),
      column: Type.Optional(
        Type.Integer({ minimum: 0, description: "First byte in that line, from 1" }),
      ),
    }),
    promptSnippet: "Read files: text and images",
    promptGuidelines: ["Read files with read instead of cat or sed."],
    defaultActive: true,
    pure: true,
    claims: (args) => claimPath(workspace, "read", () => existingPath(workspace, args.path)),
    execute: (_id, args, signal, _onUpdate, context) => read(workspace, args, { signal, context }),
    renderCall: (args) => ({ title: `read ${showPath(args.path)}${range(args)}`, lines: [] }),
    renderResult: (result, args) => ({
      title: `read ${showPath(args.path)}${range(args)}`,
      lines: result.content.flatMap((block) =>
        block.type === "text"
          ? block.text.split("\n").map((text) => ({ role: "code" as const, text }))
          : [],
      ),
    }),
  };
}

function range({ offset, limit }: ReadArguments): string {
  if (offset === undefined && limit === undefined) return "";
  const first = Math.max(1, offset ?? 1);
  return limit === undefined ? `:${first}` : `:${first}-${first + limit - 1}`;
}

async function read(
  workspace: Workspace,
  args: ReadArguments,
  { signal, context }: { signal: AbortSignal | undefined; context: ToolContext },
): Promise<ToolResult<ReadDetails>> {
  const { path, file } = await openExisting(workspace, args.path);
  try {
    const first = await firstChunk(file);
    if (first.length === 0) return emptyFile(args, path);
    const found = fileKind(first.subarray(0, HEAD_BYTES));
    const options = { first, signal };
    switch (found.kind) {
      case "image":
        return await readImage(file, { path, found, context, options });
      case "binary":
        return binaryNote(path, file.stat.size, found);
      case "text":
        return await readTextFile(file, { path, args, options });
    }
  } finally {
    await file.close();
  }
}

function emptyFile(args: ReadArguments, path: string): ToolResult<ReadDetails> {
  if ((args.offset ?? 1) > 1)
    throw new Error(`Offset ${args.offset} is beyond end of file (0 lines total)`);
  return {
    content: [{ type: "text", text: `[${showPath(path)} is empty: 0 bytes.]` }],
    details: { path, kind: "text", size: 0, encoding: "utf-8" },
  };
}

/** The first piece is read already: it told what kind of file this is. */
interface ReadOptions extends ChunkOptions {
  readonly first: Buffer;
}

interface TextFile {
  readonly path: string;
  readonly args: ReadArguments;
  readonly options: ReadOptions;
}

async function readTextFile(file: OpenFile, text: TextFile): Promise<ToolResult<ReadDetails>> {
  const { path, args, options } = text;
  const { size } = file.stat;
  const mark = byteOrderMark(options.first);
  if (mark !== undefined && size === mark.length) return emptyFile(args, path);
  const utf16 =
    mark?.encoding === "utf-16le" || mark?.encoding === "utf-16be" ? mark.encoding : undefined;
  const request = {
    offset: Math.max(1, args.offset ?? 1),
    column: Math.max(1, args.column ?? 1),
    ...(args.limit === undefined ? {} : { limit: args.limit }),
    skipBytes: mark !== undefined && utf16 === undefined ? mark.length : 0,
  };
  const { text: shown, ...details } =
    utf16 === undefined
      ? await readText(file, request, options)
      : await readText(await asUtf8(file, utf16, text), request, { signal: options.signal });
  if (utf16 === undefined) {
    return {
      content: [{ type: "text", text: shown }],
      details: { path, kind: "text", size, ...details },
    };
  }
  const note = `${shown.endsWith("\n") ? "\n" : "\n\n"}[Not UTF-8: decoded from ${utf16}.]`;
  return {
    content: [{ type: "text", text: shown + note }],
    details: { path, kind: "text", size, ...details, encoding: utf16 },
  };
}

async function asUtf8(
  file: OpenFile,
  encoding: "utf-16le" | "utf-16be",
  { path, options }: TextFile,
): Promise<OpenFile> {
  const raw = await wholeContent(file, MAX_UTF16_BYTES, options);
  if (raw === undefined) {
    const size = `${formatBytes(file.stat.size)} of ${encoding}, more than read can decode (16 MB)`;
    const convert = `iconv -f UTF-16 -t UTF-8 ${quoted(path)} > copy.txt`;
    throw new Error(`${showPath(path)} holds ${size}. Convert it first: ${convert}`);
  }
  const bytes = Buffer.from(decodeUtf16(raw.subarray(2), encoding), "utf8");
  return {
    stat: { ...file.stat, size: bytes.length },
    read: async (into, position) => bytes.copy(into, 0, position),
    close: async () => {},
  };
}

interface ImageFile {
  readonly path: string;
  readonly found: FileKindFound;
  readonly context: ToolContext;
  readonly options: ReadOptions;
}

async function readImage(
  file: OpenFile,
  { path, found, context, options }: ImageFile,
): Promise<ToolResult<ReadDetails>> {
  const { size } = file.stat;
  const details: ReadDetails = { path, kind: "image", size };
  const instead = (why: string): ToolResult<ReadDetails> => ({
    content: [{ type: "text", text: `[${found.name}, ${formatBytes(size)}, not shown: ${why}]` }],
    details,
  });
  if (context.model !== undefined && !context.model.input.includes("image")) {
    return instead("the model in use takes no images.");
  }
  const bytes = await wholeContent(file, MAX_IMAGE_BYTES, options);
  const smaller = `Make a smaller copy, for instance: convert ${quoted(path)} -resize 1600x1600 small.png`;
  if (bytes === undefined)
    return instead(`larger than ${formatBytes(MAX_IMAGE_BYTES)}. ${smaller}`);
  const pixels = imageSize(bytes, found.mimeType ?? "image/png");
  if ("broken" in pixels) return instead(`${pixels.broken}, so no program can show it.`);
  const dimensions = `${pixels.width}x${pixels.height}`;
  if (Math.max(pixels.width, pixels.height) > MAX_IMAGE_SIDE) {
    return instead(`${dimensions} pixels, more than ${MAX_IMAGE_SIDE} on a side. ${smaller}`);
  }
  return {
    content: [
      { type: "text", text: `[${found.name}, ${dimensions}, ${formatBytes(size)}]` },
      { type: "image", data: bytes.toString("base64"), mimeType: found.mimeType ?? "image/png" },
    ],
    details,
  };
}

function binaryNote(path: string, size: number, found: FileKindFound): ToolResult<ReadDetails> {
  const look = found.look.replace("FILE", quoted(path));
  const text = `[Binary file: ${found.name}, ${formatBytes(size)}. Not shown as text. To look inside: ${look}]`;
  return { content: [{ type: "text", text }], details: { path, kind: "binary", size } };
}

/** For a shell; a name with control characters is shown escaped, and then is no command any more. */
function quoted(path: string): string {
  const shown = showPath(path);
  return /^[\w./@+-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", "'\\''")}'`;
}
