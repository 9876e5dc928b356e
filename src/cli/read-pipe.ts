// Reads what is piped in, and never waits for input that nobody sends.
import { fstatSync } from "node:fs";
import { isatty } from "node:tty";
import { formatBytes } from "../lib/text/truncate.ts";
import { UsageError } from "./usage-error.ts";

/** After this long without a byte, the user is told what is waited for, or it is waited for no longer. */
const SILENT_MS = 3000;

export interface PipeOptions {
  /** There is a prompt without it. */
  isAsked: boolean;
  maxBytes: number;
  onNote(message: string): void;
}

/**
 * stdin up to its end if it is a pipe, a file or a socket; empty for a terminal and for /dev/null. A program that starts
 * this one often leaves a socket open on which it never writes: with a prompt, such a one is given up when it stays
 * silent; a pipe of the shell has a writer who ends, and is waited for. Throws a UsageError over `maxBytes`.
 */
export async function readPipe(options: PipeOptions): Promise<Buffer> {
  const source = sourceOf(0);
  if (source === "none") return Buffer.alloc(0);
  const { isAsked, maxBytes, onNote } = options;
  const givesUp = source === "socket" && isAsked;
  const { stdin } = process;
  const timer = setTimeout(() => {
    if (givesUp) {
      onNote(`nothing came on stdin in ${SILENT_MS / 1000} s, going on without it`);
      stdin.destroy();
    } else {
      onNote("waiting for the end of stdin (if nothing is meant to come, add </dev/null)");
    }
  }, SILENT_MS);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stdin as AsyncIterable<Buffer>) {
      clearTimeout(timer);
      size += chunk.length;
      chunks.push(chunk);
      if (size <= maxBytes) continue;
      throw new UsageError(
        `stdin is larger than ${formatBytes(maxBytes)}. Put it into a file and name that file in the prompt.`,
      );
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ERR_STREAM_PREMATURE_CLOSE") {
      throw new UsageError(`stdin cannot be read: ${message}.`);
    }
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks, size);
}

function sourceOf(descriptor: number): "none" | "socket" | "stream" {
  if (isatty(descriptor)) return "none";
  try {
    const stat = fstatSync(descriptor);
    if (stat.isSocket()) return "socket";
    return stat.isFIFO() || stat.isFile() ? "stream" : "none";
  } catch {
    // It is closed.
    return "none";
  }
}
