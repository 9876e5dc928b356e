// Runs one command on this machine. The end of the command ends the call, whatever still holds its pipes; what it
// started and left behind is ended too. A command has its own session: no terminal, no stdin, no signals of ours.
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import { shellCommand, startError, supervisedEnd } from "./local-shell.ts";
import { endProcesses, groupLives, livingProcesses } from "./local-survivors.ts";
import type { ProcessEnd, ProcessRequest } from "./workspace.ts";

/** After the command's exit, its pipes may stay silent this long before they are closed. */
const QUIET_MS = 100;
/** …and are closed at the latest after this, however chatty a child is that holds them. */
const DRAIN_MS = 500;
/** Between asking processes to end and forcing them; with the forcing it stays below 700 ms. */
const GRACE_MS = 450;
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
  /** Of a command line: both streams through one pipe, so that their order is exact. All of it is told as stdout. */
  mergeStreams?: boolean;
};

export interface LocalProcessEnd extends ProcessEnd {
  /** How many processes the command left behind, or had when it was stopped, and were ended. */
  endedProcesses: number;
}

/** Resolves when the command has ended. Rejects with a WorkspaceError if it could not be started. */
export async function runProcess(request: LocalProcessRequest): Promise<LocalProcessEnd> {
  if (request.signal?.aborted) {
    return { code: null, signal: null, endedBy: "abort", endedProcesses: 0 };
  }
  const mark = randomUUID();
  try {
    return await new Running(start(request, mark), { mark, request }).end();
  } catch (error) {
    throw startError(error, request);
  }
}

function start(request: LocalProcessRequest, mark: string): ChildProcess {
  const { command, cwd, env } = request;
  const merged = isMerged(request);
  const [program, ...args] =
    typeof command === "string" ? shellCommand(command, { path: env["PATH"], merged }) : command;
  const outer = env[CALL_MARK];
  return spawn(program, args, {
    cwd,
    // A harness run by a command stays findable for the call around it.
    env: {
      ...env,
      ...UNATTENDED,
      [CALL_MARK]: outer === undefined ? mark : `${outer.slice(-400)}:${mark}`,
    },
    detached: true,
    stdio: [
      "ignore",
      "pipe",
      "pipe",
      ...(isSupervised(request) && !merged ? ["pipe" as const] : []),
    ],
  });
}

function isSupervised({ command }: LocalProcessRequest): boolean {
  return typeof command === "string";
}

function isMerged(request: LocalProcessRequest): boolean {
  return isSupervised(request) && request.mergeStreams === true;
}

type Exit = { code: number | null; signal: string | null };

class Running {
  readonly #child: ChildProcess;
  readonly #mark: string;
  readonly #request: LocalProcessRequest;
  readonly #done = Promise.withResolvers<LocalProcessEnd>();
  readonly #cleanUp: (() => void)[] = [];
  readonly #startedAt = performance.now();
  readonly #pipes: readonly Readable[];
  #endedBy: ProcessEnd["endedBy"] = "itself";
  #exit: Exit | undefined;
  #supervisorSpoke = false;
  #isHurried = false;
  #pipesOpen: number;
  #lastOutputAt = 0;

  constructor(
    child: ChildProcess,
    { mark, request }: { mark: string; request: LocalProcessRequest },
  ) {
    this.#child = child;
    this.#mark = mark;
    this.#request = request;
    this.#pipes = child.stdio.slice(1).filter((pipe): pipe is Readable => pipe !== null);
    this.#pipesOpen = this.#pipes.length;
    child.once("error", (error) => this.#done.reject(error));
    child.once("exit", (code, signal) => void this.#onExit({ code, signal }));
    this.#listen();
    this.#bound();
  }

  async end(): Promise<LocalProcessEnd> {
    try {
      return await this.#done.promise;
    } finally {
      for (const step of this.#cleanUp) step();
      for (const pipe of this.#pipes) pipe.destroy();
      // A process that cannot be ended must not hold the program open.
      this.#child.unref();
    }
  }

  #listen(): void {
    const isQuiet = isSupervised(this.#request);
    for (const [index, pipe] of this.#pipes.entries()) {
      const name = index === 0 ? "stdout" : "stderr";
      const isSupervisor = isQuiet && index === 1;
      pipe.on("data", (chunk: Buffer) => {
        if (isSupervisor) {
          this.#supervisorSpoke = true;
          return;
        }
        this.#lastOutputAt = performance.now();
        this.#request.onOutput(chunk, name);
      });
      pipe.on("error", () => {});
      pipe.once("close", () => this.#pipesOpen--);
    }
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
    const { pid } = this.#child;
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
    const { pid } = this.#child;
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
