// What ends the process from outside or by accident: signals, a reader who went away, a bug.
import type { Agent } from "../agent/agent.ts";
import { EXIT_BUG, EXIT_ERROR, EXIT_OK, exitCodeOfSignal, type StopSignal } from "./exit-codes.ts";
import { bugReport } from "./failure-lines.ts";

/** After an abort, commands that do not listen are forced to end within this long. */
const FORCED_AFTER_MS = 700;
/** A run that was told to end, and output that nobody reads, get this long; then the process leaves. */
const MAX_GOODBYE_MS = 3000;

/** Turns signals and closed streams into an abort of the run, so that its commands end and its history is whole. */
export class Stops {
  signal: StopSignal | undefined;
  #signals = 0;
  #firstAt = 0;
  #agent: Agent | undefined;
  /** The code that stands above the run's own. */
  #code: number | undefined;

  /** To be called before anything is written. */
  listen(): void {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => this.#onSignal(signal));
    }
    process.on("uncaughtException", (error) => this.#onBug(error));
    process.stdout.on("error", (error: NodeJS.ErrnoException) => this.#onOutputError(error));
    // Without stderr there is nobody to tell that stderr is gone.
    process.stderr.on("error", () => {});
  }

  /** From now on a stop aborts the agent's run and waits for it to settle. */
  aborts(agent: Agent): void {
    this.#agent = agent;
  }

  /** The process's exit code, with what happened beside the run. */
  codeOver(code: number): number {
    if (this.#code === undefined || code === EXIT_BUG) return code;
    return this.#code;
  }

  /** The first one aborts the run, the second leaves as soon as no command can be left behind, the third at once. */
  #onSignal(signal: StopSignal): void {
    const code = exitCodeOfSignal(signal);
    this.#signals++;
    if (!this.#agent || this.#signals > 2) process.exit(code);
    if (this.#signals === 2) {
      const sinceFirst = performance.now() - this.#firstAt;
      leaveAfter(Math.max(0, FORCED_AFTER_MS - sinceFirst), code);
      return;
    }
    this.signal = signal;
    this.#firstAt = performance.now();
    this.#agent.abort(signal === "SIGINT" ? undefined : `ended by ${signal}`);
    leaveAfter(MAX_GOODBYE_MS, code);
  }

  #onBug(error: unknown): void {
    process.stderr.write(bugReport(error));
    if (!this.#agent || this.#code === EXIT_BUG) process.exit(EXIT_BUG);
    this.#code = EXIT_BUG;
    this.#agent.abort("a bug of Errand's own");
    leaveAfter(MAX_GOODBYE_MS, EXIT_BUG);
  }

  /** A reader who has enough (`| head`) is no error; a full disk is. */
  #onOutputError(error: NodeJS.ErrnoException): void {
    const isClosed = error.code === "EPIPE" || error.code === "EIO";
    if (!isClosed && this.#code === undefined) {
      this.#code = EXIT_ERROR;
      process.stderr.write(`errand: stdout cannot be written: ${error.message}\n`);
    }
    if (this.#agent) this.#agent.abort("nobody reads the output any more");
    else process.exit(isClosed ? EXIT_OK : EXIT_ERROR);
  }
}

function leaveAfter(ms: number, code: number): void {
  setTimeout(() => process.exit(code), ms).unref();
}

/** Resolves when what was written has left the process, or cannot; an error of the last write was told by then. */
export async function flushed(stream: NodeJS.WriteStream): Promise<void> {
  // A file's error comes an instant after its write.
  await new Promise((resolve) => setImmediate(resolve));
  await drained(stream);
}

function drained(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.destroyed || stream.writableLength === 0) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once("error", () => resolve());
    stream.once("close", () => resolve());
    stream.write("", () => resolve());
  });
}
