// What the user hands to the model: the words, attached files, and what is piped in.
import { fstatSync } from "node:fs";
import { open } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, resolve } from "node:path";
import type { ImageContent, TextContent, UserMessage } from "../core/messages.ts";
import { formatBytes } from "../lib/text/truncate.ts";
import { UsageError } from "./usage-error.ts";

/** Bytes of one attached file, or of what is piped in. */
export const MAX_INPUT_BYTES: number = 10 * 1024 * 1024;
/** Bytes of an attached image: what providers take as base64. */
const MAX_IMAGE_BYTES = 3_750_000;
/** After this long without anything from the pipe, the user is told what is waited for. */
const SILENT_PIPE_MS = 3000;

type Block = TextContent | ImageContent;

export interface PromptInput {
  prompt: string;
  files: readonly string[];
  cwd: string;
  /** Says what is waited for. */
  onWait(message: string): void;
}

/** The user's message: files and piped text first, the words last. Throws a UsageError for what cannot be read. */
export async function readPrompt({
  prompt,
  files,
  cwd,
  onWait,
}: PromptInput): Promise<UserMessage> {
  const blocks: Block[] = [];
  for (const file of files) blocks.push(...(await attach(file, cwd)));
  const piped = await readPipe(prompt !== "" || files.length > 0, onWait);
  const words = prompt.trim();
  if (piped.trim() !== "") {
    blocks.push({ type: "text", text: words === "" ? piped : `<stdin>\n${piped}\n</stdin>` });
  }
  if (words !== "") blocks.push({ type: "text", text: words });
  if (blocks.length === 0) {
    throw new UsageError('No prompt: say what to do, for instance errand "explain this project".');
  }
  return { role: "user", content: blocks, timestamp: Date.now() };
}

async function attach(file: string, cwd: string): Promise<Block[]> {
  const path = file.startsWith("~/") ? resolve(homedir(), file.slice(2)) : resolve(cwd, file);
  const bytes = await readFileOf(path, file);
  const mimeType = imageType(bytes);
  const name = basename(path);
  if (mimeType) {
    if (bytes.length > MAX_IMAGE_BYTES) {
      throw new UsageError(
        `@${file} is an image of ${formatBytes(bytes.length)}: the most is ${formatBytes(MAX_IMAGE_BYTES)}. Make it smaller.`,
      );
    }
    return [
      { type: "text", text: `<file name=${JSON.stringify(name)}>` },
      { type: "image", data: bytes.toString("base64"), mimeType },
    ];
  }
  if (bytes.subarray(0, 8192).includes(0)) {
    throw new UsageError(`@${file} is not text and no image that a model takes.`);
  }
  const text = bytes.toString("utf8");
  return [{ type: "text", text: `<file name=${JSON.stringify(file)}>\n${text}\n</file>` }];
}

async function readFileOf(path: string, written: string): Promise<Buffer> {
  let handle;
  try {
    handle = await open(path);
    const stat = await handle.stat();
    if (!stat.isFile()) {
      throw new UsageError(`@${written} is not a file. Name a file, or leave the @ away.`);
    }
    if (stat.size > MAX_INPUT_BYTES) {
      throw new UsageError(
        `@${written} is ${formatBytes(stat.size)}: the most is ${formatBytes(MAX_INPUT_BYTES)}. Let the model read it: leave the @ away.`,
      );
    }
    return await handle.readFile();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    const why =
      code === "ENOENT" ? "there is no such file" : code === "EACCES" ? "permission denied" : code;
    throw new UsageError(`@${written} cannot be read: ${why}.`);
  } finally {
    await handle?.close();
  }
}

function imageType(bytes: Buffer): string | undefined {
  const starts = (...codes: number[]): boolean => codes.every((code, at) => bytes[at] === code);
  if (starts(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return "image/png";
  if (starts(0xff, 0xd8, 0xff)) return "image/jpeg";
  if (starts(0x47, 0x49, 0x46, 0x38)) return "image/gif";
  const riff = starts(0x52, 0x49, 0x46, 0x46) && bytes.toString("latin1", 8, 12) === "WEBP";
  return riff ? "image/webp" : undefined;
}

/** Reads stdin to its end if it is a pipe or a file; a terminal and /dev/null have nothing to say. */
async function readPipe(hasPrompt: boolean, onWait: (message: string) => void): Promise<string> {
  if (!isPipe()) return "";
  const timer = setTimeout(() => {
    if (hasPrompt)
      onWait("waiting for the end of stdin (redirect it from /dev/null if nothing comes)");
  }, SILENT_PIPE_MS);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
      clearTimeout(timer);
      bytes += chunk.length;
      if (bytes > MAX_INPUT_BYTES) {
        throw new UsageError(
          `stdin is more than ${formatBytes(MAX_INPUT_BYTES)}. Put it into a file and name that file in the prompt.`,
        );
      }
      chunks.push(chunk);
    }
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function isPipe(): boolean {
  if (process.stdin.isTTY) return false;
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isFile() || stat.isSocket();
  } catch {
    // stdin is closed.
    return false;
  }
}
