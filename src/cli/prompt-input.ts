// What the user hands to the model: attached files, what is piped in, and the words.
import { open, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { ImageContent, TextContent, UserMessage } from "../core/messages.ts";
import { formatBytes } from "../lib/text/truncate.ts";
import { decodeInput } from "./decode-input.ts";
import { NO_PROMPT } from "./options.ts";
import { readPipe } from "./read-pipe.ts";
import { UsageError } from "./usage-error.ts";

/** Bytes of one attached file, or of what is piped in. */
export const MAX_INPUT_BYTES: number = 10 * 1024 * 1024;
/** Bytes of an attached image: what providers take as base64. */
const MAX_IMAGE_BYTES = 3_750_000;

type Block = TextContent | ImageContent;

export interface PromptInput {
  prompt: string;
  files: readonly string[];
  cwd: string;
  /** Says what is waited for. */
  onNote(message: string): void;
}

/** The user's message: files and piped text first, the words last. Throws a UsageError for what cannot be read. */
export async function readPrompt(input: PromptInput): Promise<UserMessage> {
  const { prompt, files, cwd, onNote } = input;
  const blocks: Block[] = [];
  for (const file of files) blocks.push(...(await attach(file, cwd)));
  const words = prompt.trim();
  const isAsked = words !== "" || blocks.length > 0;
  const piped = await readPipe({ isAsked, maxBytes: MAX_INPUT_BYTES, onNote });
  if (piped.length > 0) blocks.push(...pipedBlocks(piped, words !== ""));
  if (words !== "") blocks.push({ type: "text", text: words });
  if (blocks.length === 0) throw new UsageError(NO_PROMPT);
  return { role: "user", content: blocks, timestamp: Date.now() };
}

function pipedBlocks(bytes: Buffer, hasWords: boolean): Block[] {
  const input = decodeInput(bytes);
  switch (input.kind) {
    case "binary":
      throw new UsageError(
        `stdin is no text and no image that a model takes (${input.name}). Put it into a file and name that file in the prompt.`,
      );
    case "image":
      return imageBlocks(bytes, { mimeType: input.mimeType, tag: "stdin", written: "stdin" });
    case "text":
      if (input.text.trim() === "") return [];
      return [{ type: "text", text: hasWords ? `<stdin>\n${input.text}\n</stdin>` : input.text }];
    default:
      return input satisfies never;
  }
}

async function attach(file: string, cwd: string): Promise<Block[]> {
  const path = file.startsWith("~/") ? resolve(homedir(), file.slice(2)) : resolve(cwd, file);
  const bytes = await readFileOf(path, file);
  const input = decodeInput(bytes);
  const tag = `file name=${JSON.stringify(file)}`;
  switch (input.kind) {
    case "binary":
      throw new UsageError(
        `@${file} is no text and no image that a model takes (${input.name}). Leave the @ away, so that the model looks into it with its tools.`,
      );
    case "image":
      return imageBlocks(bytes, { mimeType: input.mimeType, tag, written: `@${file}` });
    case "text":
      return [{ type: "text", text: `<${tag}>\n${input.text}\n</file>` }];
    default:
      return input satisfies never;
  }
}

function imageBlocks(
  bytes: Buffer,
  { mimeType, tag, written }: { mimeType: string; tag: string; written: string },
): Block[] {
  if (bytes.length > MAX_IMAGE_BYTES) {
    throw new UsageError(
      `${written} is an image of ${formatBytes(bytes.length)}, the most is ${formatBytes(MAX_IMAGE_BYTES)}. Make it smaller.`,
    );
  }
  return [
    { type: "text", text: `<${tag}>` },
    { type: "image", data: bytes.toString("base64"), mimeType },
  ];
}

/** Looked at before it is opened: opening a named pipe would wait for its writer. */
async function readFileOf(path: string, written: string): Promise<Buffer> {
  try {
    if (!(await stat(path)).isFile()) {
      throw new UsageError(
        `@${written} is not a file. Name a file, or leave the @ away. ${LITERAL}`,
      );
    }
    const handle = await open(path);
    try {
      return await readBounded(handle, written);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`@${written} cannot be read: ${whyNot(error)} ${LITERAL}`);
  }
}

const LITERAL = "A word that starts with @ goes behind --.";

function whyNot(error: unknown): string {
  const { code = "unknown error" } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") return "there is no such file.";
  return code === "EACCES" ? "permission denied." : `${code}.`;
}

/** Reads to the end and not beyond the bound, whatever size the file claims. */
async function readBounded(
  handle: Awaited<ReturnType<typeof open>>,
  written: string,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of handle.createReadStream({ autoClose: false, end: MAX_INPUT_BYTES })) {
    size += (chunk as Buffer).length;
    chunks.push(chunk as Buffer);
  }
  if (size > MAX_INPUT_BYTES) {
    throw new UsageError(
      `@${written} is larger than ${formatBytes(MAX_INPUT_BYTES)}. Leave the @ away, so that the model reads what it needs.`,
    );
  }
  return Buffer.concat(chunks, size);
}
