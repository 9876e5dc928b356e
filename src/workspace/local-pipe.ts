// Pipes for the output of commands. What node gives a child as its stdout is a socket, which cannot be opened by its name: `echo x
// >/dev/stderr` fails on it. A named pipe that has lost its name is a pipe like a shell's.
import { execFile } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Pipes made at once, by one run of `mkfifo`. */
const BATCH = 8;
/** With fewer than that left, more are made beforehand. */
const LOW = 2;
/** What a pipe holds. */
const READ_BYTES = 65_536;

/** Both ends of a pipe, as descriptors; neither is inherited unless it is handed on. */
export interface PipeEnds {
  readonly readEnd: number;
  readonly writeEnd: number;
}

const stock: PipeEnds[] = [];
let making: Promise<void> | undefined;
let isImpossible = false;

/** A pipe of the caller's own, who closes both ends; undefined where none can be made. */
export async function takePipe(): Promise<PipeEnds | undefined> {
  if (stock.length === 0) await makeMore();
  const pipe = stock.pop();
  if (stock.length < LOW) void makeMore();
  return pipe;
}

/** Gives a pipe back that was not used. */
export function returnPipe(pipe: PipeEnds): void {
  stock.push(pipe);
}

/** What comes out of the pipe; it ends when nobody can write to it any more. Destroying it closes the read end. */
export function pipeReader({ readEnd }: PipeEnds): Socket {
  return new Socket({ fd: readEnd, readable: true, writable: false });
}

/** The same, but each chunk lies in one buffer that is used again and again: it is valid during the call only. */
export function reusingPipeReader(
  { readEnd }: PipeEnds,
  onChunk: (chunk: Uint8Array) => void,
): Socket {
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  const callback = (length: number): boolean => {
    onChunk(buffer.subarray(0, length));
    return true;
  };
  return new Socket({
    fd: readEnd,
    readable: true,
    writable: false,
    onread: { buffer, callback },
  });
}

function makeMore(): Promise<void> {
  if (isImpossible) return Promise.resolve();
  making ??= makeBatch()
    .catch(() => {
      isImpossible = true;
    })
    .finally(() => (making = undefined));
  return making;
}

async function makeBatch(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "errand-pipe-"));
  try {
    const paths = Array.from({ length: BATCH }, (_, n) => join(folder, String(n)));
    await makeFifos(paths);
    for (const path of paths) stock.push(openBoth(path));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeFifos(paths: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { env: { PATH: "/usr/bin:/bin" }, timeout: 2000 };
    execFile("mkfifo", ["-m", "600", ...paths], options, (error) =>
      error ? reject(error) : resolve(),
    );
  });
}

function openBoth(path: string): PipeEnds {
  // Opening one end waits for the other unless it is told not to; the write end is for a program that expects to wait.
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { readEnd, writeEnd: openSync(path, constants.O_WRONLY) };
  } catch (error) {
    closeSync(readEnd);
    throw error;
  }
}
