// Runs one command on this machine. The end of the command ends the call, whatever still holds its pipes; what it
// started and left behind is ended too. A command has its own session: no terminal, no stdin, no signals of ours.
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync } from "node:fs";
import type { Readable } from "node:stream";
import { pipeReader, returnPipe, reusingPipeReader, takePipe } from "./local-pipe.ts";
import type { PipeEnds } from "./local-pipe.ts";
import { shellCommand, startError, supervisedEnd } from "./local-shell.ts";
import { endProcesses, groupLives, livingProcesses } from "./local-survivors.ts";
import type { ProcessEnd, ProcessRequest } from "./workspace.ts";

/** After the command's exit, its pipes may stay silent this long before they are closed. */
const QUIET_MS = 100;
/** …and are closed at the latest after this, however chatty a child is that holds them. */
const DRAIN_MS = 500;
/** Between asking processes to end and forcing them; with the forcing it stays below 700 ms. */
const GRACE_MS = 400;
/** Calls longer than this are looked through for survivors among all processes: ids may have started anew meanwhile. */
const LONG_CALL_MS = 2000;

/** In the environment of every command: finds the children that left its process group. */
export const CALL_MARK = "ERRAND_CALL";

/** Keeps programs from waiting for a person, whatever the user's own environment says; a command may set its own. */
const UNATTENDED: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_EDITOR: "true",
  EDITOR: "true",
  VISUAL: "true",
  PAGER: "cat",
  GIT_PAGER: "cat",
  DEBIAN_FRONTEND: "noninteractive",
};

/** A request with where it runs and its whole environment. */
export type LocalProcessRequest = ProcessRequest & {
  cwd: string;
  env: Readonly<Record<string, string>>;
};

/** Resolves when the command has ended. Rejects with a WorkspaceError if it could not be started. */
export async function runProcess(request: LocalProcessRequest): Promise<ProcessEnd> {
  const wanted = isSupervised(request) ? (isMerged(request) ? 1 : 2) : 0;
  const pipes = await takePipes(request.signal?.aborted ? 0 : wanted);
  if (request.signal?.aborted) {
    for (const pipe of pipes) returnPipe(pipe);
    return { code: null, signal: null, endedBy: "abort", endedProcesses: 0 };
  }
  const mark = randomUUID();
  try {
    const running = new Running({ mark, request });
    const started = start(request, {
      mark,
      pipes,
      onChunk: (chunk) => running.take(chunk, "stdout"),
    });
    return await running.end(started);
  } catch (error) {
    throw startError(error, request);
  }
}

/** All or none. */
async function takePipes(count: number): Promise<PipeEnds[]> {
  const taken = await Promise.all(Array.from({ length: count }, takePipe));
  const pipes = taken.filter((pipe) => pipe !== undefined);
  if (pipes.length === count) return pipes;
  for (const pipe of pipes) returnPipe(pipe);
  return [];
}

/** A process that was started, and what comes out of it. */
interface Started {
  child: ChildProcess;
  stdout: Readable | undefined;
  stderr: Readable | undefined;
  /** What the supervisor says for itself. */
  supervisor: Readable | undefined;
}

interface StartOptions {
  mark: string;
  pipes: readonly PipeEnds[];
  /** Gets what comes out of a merged pipe. */
  onChunk: (chunk: Uint8Array) => void;
}

function start(request: LocalProcessRequest, { mark, pipes, onChunk }: StartOptions): Started {
  const { command, cwd, env } = request;
  const merged = isMerged(request);
  const [program, ...args] =
    typeof command === "string" ? shellCommand(command, { path: env["PATH"], merged }) : command;
  const outer = env[CALL_MARK];
  const [out, err] = pipes.map(({ writeEnd }) => writeEnd);
  const apart = isSupervised(request) && !merged ? [err ?? ("pipe" as const)] : [];
  const readers = pipes.map((pipe) =>
    merged ? reusingPipeReader(pipe, onChunk) : pipeReader(pipe),
  );
  try {
    const child = spawn(program, args, {
      cwd,
      // A harness run by a command stays findable for the call around it.
      env: {
        ...env,
        ...UNATTENDED,
        [CALL_MARK]: outer === undefined ? mark : `${outer.slice(-400)}:${mark}`,
      },
      detached: true,
      stdio: ["ignore", out ?? "pipe", "pipe", ...apart],
    });
    return { child, ...outputsOf(child, request, readers) };
  } catch (error) {
    for (const reader of readers) reader.destroy();
    throw error;
  } finally {
    for (const { writeEnd } of pipes) closeSync(writeEnd);
  }
}

/** A supervised command's stderr is the supervisor's; its own, if apart, comes out at descriptor 3. */
function outputsOf(
  child: ChildProcess,
  request: LocalProcessRequest,
  readers: readonly Readable[],
): Omit<Started, "child"> {
  const [, first, second, third] = child.stdio.map((end) => (end as Readable | null) ?? undefined);
  const stdout = readers[0] ?? first;
  if (!isSupervised(request)) return { stdout, stderr: second, supervisor: undefined };
  const stderr = isMerged(request) ? undefined : (readers[1] ?? third);
  return { stdout, stderr, supervisor: second };
}

function isSupervised({ command }: LocalProcessRequest): boolean {
  return typeof command === "string";
}

function isMerged(request: LocalProcessRequest): boolean {
  return isSupervised(request) && request.mergeStreams === true;
}

type Exit = { code: number | null; signal: string | null };

class Running {
  readonly #mark: string;
  readonly #request: LocalProcessRequest;
  readonly #done = Promise.withResolvers<ProcessEnd>();
  readonly #cleanUp: (() => void)[] = [];
  readonly #startedAt = performance.now();
  #pid: number | undefined;
  #endedBy: ProcessEnd["endedBy"] = "itself";
  #exit: Exit | undefined;
  #supervisorSpoke = false;
  #isHurried = false;
  #pipesOpen = 0;
  #lastOutputAt = 0;

  constructor({ mark, request }: { mark: string; request: LocalProcessRequest }) {
    this.#mark = mark;
    this.#request = request;
  }

  /** Resolves when the command has ended. */
  async end({ child, stdout, stderr, supervisor }: Started): Promise<ProcessEnd> {
    this.#pid = child.pid;
    const pipes = [stdout, stderr, supervisor].filter((pipe) => pipe !== undefined);
    this.#pipesOpen = pipes.length;
    child.once("error", (error) => this.#done.reject(error));
    child.once("exit", (code, signal) => void this.#onExit({ code, signal }));
    for (const pipe of pipes) {
      pipe.on("error", () => {});
      pipe.once("close", () => this.#pipesOpen--);
    }
    supervisor?.on("data", () => (this.#supervisorSpoke = true));
    stdout?.on("data", (chunk: Buffer) => this.take(chunk, "stdout"));
    stderr?.on("data", (chunk: Buffer) => this.take(chunk, "stderr"));
    this.#bound();
    try {
      return await this.#done.promise;
    } finally {
      for (const step of this.#cleanUp) step();
      for (const pipe of pipes) pipe.destroy();
      // A process that cannot be ended must not hold the program open.
      child.unref();
    }
  }

  take(chunk: Uint8Array, stream: "stdout" | "stderr"): void {
    this.#lastOutputAt = performance.now();
    this.#request.onOutput(chunk, stream);
  }

  /** The deadline and the caller's signal. */
  #bound(): void {
    const { signal, timeoutMs } = this.#request;
    const stop = (by: "timeout" | "abort") => (): void => void this.#stop(by);
    if (timeoutMs !== undefined) {
      const timer = setTimeout(stop("timeout"), Math.min(timeoutMs, 2 ** 31 - 1));
      this.#cleanUp.push(() => clearTimeout(timer));
    }
    if (!signal) return;
    const onAbort = stop("abort");
    signal.addEventListener("abort", onAbort, { once: true });
    this.#cleanUp.push(() => signal.removeEventListener("abort", onAbort));
  }

  async #stop(by: "timeout" | "abort"): Promise<void> {
    const pid = this.#pid;
    if (this.#exit) this.#isHurried = true;
    if (this.#exit || this.#endedBy !== "itself" || pid === undefined) return;
    this.#endedBy = by;
    this.#settle(await endProcesses({ group: pid, mark: this.#mark }, GRACE_MS));
  }

  async #onExit(exit: Exit): Promise<void> {
    this.#exit = exit;
    // Who stops a command settles its call.
    if (this.#endedBy !== "itself") return;
    const isDrained = await this.#drained();
    const pid = this.#pid;
    const hasLeft = pid !== undefined && (!isDrained || this.#leftSome(pid));
    this.#settle(hasLeft ? await endProcesses({ group: pid, mark: this.#mark }, GRACE_MS) : 0);
  }

  #leftSome(pid: number): boolean {
    if (groupLives(pid)) return true;
    const isLong = performance.now() - this.#startedAt > LONG_CALL_MS;
    const left = livingProcesses({ group: pid, mark: this.#mark }, isLong ? undefined : pid);
    return left !== undefined && left.length > 0;
  }

  /** Waits until all pipes are closed, or silent, or have had their time; true if they closed. */
  async #drained(): Promise<boolean> {
    const exitAt = performance.now();
    // Usually the pipes close with the command, in the next moments.
    for (let turn = 0; turn < 3 && this.#pipesOpen > 0; turn++) await pause(0);
    while (this.#pipesOpen > 0 && !this.#isHurried) {
      const now = performance.now();
      const quietSince = Math.max(exitAt, this.#lastOutputAt);
      if (now - quietSince >= QUIET_MS || now - exitAt >= DRAIN_MS) return false;
      await pause(10);
    }
    return this.#pipesOpen === 0;
  }

  #settle(endedProcesses: number): void {
    const exit = this.#exit ?? { code: null, signal: "SIGKILL" };
    const end = isSupervised(this.#request) ? supervisedEnd(exit, this.#supervisorSpoke) : exit;
    this.#done.resolve({ ...end, endedBy: this.#endedBy, endedProcesses });
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => (ms > 0 ? setTimeout(resolve, ms) : setImmediate(resolve)));
}
