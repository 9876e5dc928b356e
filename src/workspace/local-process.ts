// Runs one command on this machine. The end of the command ends the call, whatever still holds its pipes; what it
// started and left behind is ended too. A command has its own session: no terminal, no stdin, no signals of ours.
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { accessSync, constants } from "node:fs";
import { constants as constantsOfSystem } from "node:os";
import { endGroup, endMarked, groupLives } from "./local-survivors.ts";
import { WorkspaceError } from "./workspace.ts";
import type { ProcessEnd, ProcessRequest } from "./workspace.ts";

/** After the command's exit, its pipes may stay silent this long before they are closed. */
const QUIET_MS = 100;
/** …and are closed at the latest after this, however chatty a child is that holds them. */
const DRAIN_MS = 500;
/** Between asking a command to end and forcing it. */
const GRACE_MS = 400;

/** In the environment of every command: finds the children that left its process group. */
export const CALL_MARK = "ERRAND_CALL";

/** Defaults that keep programs from waiting for a person; a command may set its own. */
const UNATTENDED: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_EDITOR: "true",
  EDITOR: "true",
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
  if (request.signal?.aborted) return { code: null, signal: null, endedBy: "abort" };
  const mark = randomUUID();
  const child = start(request, mark);
  const running = new Running(child, mark, request);
  return running.end();
}

function start(request: LocalProcessRequest, mark: string): ChildProcess {
  const { command, cwd, env } = request;
  const place = {
    cwd,
    env: { ...UNATTENDED, ...env, [CALL_MARK]: mark },
    detached: true,
  };
  if (typeof command !== "string") {
    const [program, ...args] = command;
    return spawn(program, args, { ...place, stdio: ["ignore", "pipe", "pipe"] });
  }
  const program = shell(env["PATH"]);
  const args = ["-c", SUPERVISOR, program, command];
  return spawn(program, args, { ...place, stdio: ["ignore", "pipe", "ignore"] });
}

/**
 * A shell between us and the command's own: it joins the two streams in the order of their writing, and it is the
 * parent that a command reaches by `$PPID`.
 */
const SUPERVISOR = 'trap : TERM INT HUP; "$0" -c "$1" 2>&1; exit $?';

let knownShell: string | undefined;

/** bash where there is one, else the system's sh. */
function shell(path: string | undefined): string {
  const places = (path ?? "").split(":").filter((place) => place.startsWith("/"));
  knownShell ??=
    ["/bin/bash", ...places.map((place) => `${place}/bash`)].find(isExecutable) ?? "/bin/sh";
  return knownShell;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

class Running {
  readonly #child: ChildProcess;
  readonly #mark: string;
  readonly #request: LocalProcessRequest;
  readonly #done = Promise.withResolvers<ProcessEnd>();
  readonly #cleanUp: (() => void)[] = [];
  #endedBy: ProcessEnd["endedBy"] = "itself";
  #exited: { code: number | null; signal: string | null } | undefined;
  #pipesOpen = 0;
  #lastOutputAt = 0;

  constructor(child: ChildProcess, mark: string, request: LocalProcessRequest) {
    this.#child = child;
    this.#mark = mark;
    this.#request = request;
    child.once("error", (error) => this.#failed(error));
    child.once("exit", (code, signal) => void this.#onExit({ code, signal }));
    this.#listen("stdout");
    this.#listen("stderr");
    this.#bound();
  }

  async end(): Promise<ProcessEnd> {
    try {
      return await this.#done.promise;
    } finally {
      for (const step of this.#cleanUp) step();
      this.#child.stdout?.destroy();
      this.#child.stderr?.destroy();
      // What survived closed pipes must not hold the program open.
      this.#child.unref();
    }
  }

  #listen(name: "stdout" | "stderr"): void {
    const pipe = this.#child[name];
    if (!pipe) return;
    this.#pipesOpen++;
    pipe.on("data", (chunk: Buffer) => {
      this.#lastOutputAt = performance.now();
      this.#request.onOutput(chunk, name);
    });
    pipe.on("error", () => {});
    pipe.once("close", () => this.#pipesOpen--);
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

  #failed(error: NodeJS.ErrnoException): void {
    const { command, cwd } = this.#request;
    const program = typeof command === "string" ? "the shell" : command[0];
    const why =
      error.code === "ENOENT"
        ? `${program} was not found, or the folder ${cwd} is gone`
        : `${program} could not be started: ${error.message}`;
    const code = error.code === "ENOENT" ? "not_found" : "other";
    this.#done.reject(new WorkspaceError(code, program, why, { cause: error }));
  }

  /** Asks the command to end, then forces it and whatever it started. */
  async #stop(by: "timeout" | "abort"): Promise<void> {
    if (this.#exited || this.#endedBy !== "itself") return;
    this.#endedBy = by;
    const { pid } = this.#child;
    if (pid === undefined) return;
    await endGroup(pid, GRACE_MS);
    await endMarked(CALL_MARK, this.#mark);
    this.#settle();
  }

  async #onExit(exited: { code: number | null; signal: string | null }): Promise<void> {
    this.#exited = exited;
    if (this.#endedBy !== "itself") return;
    const held = !(await this.#drained());
    const { pid } = this.#child;
    if (pid !== undefined && (held || groupLives(pid))) {
      await endGroup(pid, GRACE_MS);
      await endMarked(CALL_MARK, this.#mark);
    }
    this.#settle();
  }

  /** Waits until both pipes are closed, or silent, or have had their time; true if they closed. */
  async #drained(): Promise<boolean> {
    const exitAt = performance.now();
    // Usually the pipes close with the command, in the next moments.
    for (let turn = 0; turn < 3 && this.#pipesOpen > 0; turn++) await pause(0);
    while (this.#pipesOpen > 0) {
      const now = performance.now();
      const quietSince = Math.max(exitAt, this.#lastOutputAt);
      if (now - quietSince >= QUIET_MS || now - exitAt >= DRAIN_MS) return false;
      await pause(10);
    }
    return true;
  }

  #settle(): void {
    const { code, signal } = this.#exited ?? { code: null, signal: "SIGKILL" };
    const killedBy = signal ?? this.#reportedSignal(code);
    this.#done.resolve({ code: killedBy ? null : code, signal: killedBy, endedBy: this.#endedBy });
  }

  /** A shell reports its command's death by a signal as 128 and the signal's number. */
  #reportedSignal(code: number | null): string | null {
    if (code === null || code <= 128 || typeof this.#request.command !== "string") return null;
    const found = Object.entries(constantsOfSystem.signals).find(([, n]) => n === code - 128);
    return found?.[0] ?? null;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => (ms > 0 ? setTimeout(resolve, ms) : setImmediate(resolve)));
}
