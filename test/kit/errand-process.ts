// The command as people start it: a process of its own, with nothing of this machine's settings and keys.
import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import { resolve } from "node:path";

export const BIN: string = resolve("src/cli/bin.ts");

export interface StartOptions {
  cwd: string;
  env?: Record<string, string>;
  /** Options of node itself. */
  nodeArgs?: readonly string[];
  /** /dev/null, pipe and pipe if left out. */
  stdio?: StdioOptions;
}

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

export interface Started {
  child: ChildProcess;
  /** What was said so far. */
  out(): string;
  err(): string;
  /** Resolves when stderr matches; rejects if the process ends before. */
  says(pattern: RegExp): Promise<void>;
  ended: Promise<Ended>;
}

/** Starts `errand ARGS`. */
export function startErrand(args: readonly string[], options: StartOptions): Started {
  const { cwd, env = {}, nodeArgs = [], stdio = ["ignore", "pipe", "pipe"] } = options;
  const child = spawn(process.execPath, [...nodeArgs, BIN, ...args], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: cwd, ...env },
    stdio,
  });
  let out = "";
  let err = "";
  const watchers = new Set<() => void>();
  child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => {
    err += chunk.toString();
    for (const watcher of watchers) watcher();
  });
  const ended = new Promise<Ended>((done) => {
    child.once("close", (code) => done({ code, out, err }));
  });
  const says = (pattern: RegExp): Promise<void> =>
    new Promise((done, fail) => {
      const look = (): void => {
        if (!pattern.test(err)) return;
        watchers.delete(look);
        done();
      };
      watchers.add(look);
      look();
      void ended.then(() => fail(new Error(`It ended without saying ${String(pattern)}: ${err}`)));
    });
  return { child, out: () => out, err: () => err, says, ended };
}

/** Runs `errand ARGS` to its end, with `stdin` piped in. */
export function runErrand(
  args: readonly string[],
  { stdin, ...options }: StartOptions & { stdin?: string | Uint8Array },
): Promise<Ended> {
  if (stdin === undefined) return startErrand(args, options).ended;
  const { child, ended } = startErrand(args, { stdio: ["pipe", "pipe", "pipe"], ...options });
  child.stdin?.on("error", () => {});
  child.stdin?.end(stdin);
  return ended;
}

/** The lines of JSON mode. */
export function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
