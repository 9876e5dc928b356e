// What ends the process from outside or by accident: signals, a reader who went away, a bug.
import type { Agent } from "../agent/agent.ts";
import { EXIT_BUG, EXIT_ERROR, EXIT_OK, exitCodeOfSignal, type StopSignal } from "./exit-codes.ts";
import { bugReport } from "./failure-lines.ts";

/** A run that was told to end, and output that nobody reads, get this long; then the process leaves. */
const MAX_GOODBYE_MS = 3000;

/** Turns signals and closed streams into an abort of the run, so that its commands end and its history is whole. */
export class Stops {
  signal: StopSignal | undefined;
  #agent: Agent | undefined;
  /** The code that stands above the run's own. */
  #code: number | undefined;

  /** To be called before anything is written. */
  listen(): void {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => this.#onSignal(signal));
    }
    process.on("uncaughtException", (error) => this.#onBug(error));
    process.stdout.on("error", (error) => this.#onOutputError(error));
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

  /** The first one aborts the run, a second of any kind leaves at once. */
  #onSignal(signal: StopSignal): void {
    const code = exitCodeOfSignal(signal);
    if (this.signal || !this.#agent) process.exit(code);
    this.signal = signal;
    this.#agent.abort(signal === "SIGINT" ? undefined : `ended by ${signal}`);
    leaveLater(code);
  }

  #onBug(error: unknown): void {
    process.stderr.write(bugReport(error));
    if (!this.#agent || this.#code === EXIT_BUG) process.exit(EXIT_BUG);
    this.#code = EXIT_BUG;
    this.#agent.abort("a bug of Errand's own");
    leaveLater(EXIT_BUG);
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

function leaveLater(code: number): void {
  setTimeout(() => process.exit(code), MAX_GOODBYE_MS).unref();
}

/** Resolves when what was written has left the process, or cannot. */
export function flushed(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.destroyed || stream.writableLength === 0) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once("error", () => resolve());
    stream.once("close", () => resolve());
    stream.write("", () => resolve());
  });
}
