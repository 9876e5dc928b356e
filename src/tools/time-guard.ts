// Ends work that never lets go: a regular expression that goes back and forth over a text cannot be stopped in any other way.
import { createContext, Script } from "node:vm";

/** Runs work of which each piece may take so long. */
export class TimeGuard {
  readonly #timeoutMs: number;
  readonly #place: { work: () => void } = { work: () => {} };
  readonly #script = new Script("work()");

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
    createContext(this.#place);
  }

  /** Throws a PatternTooSlow if the work is not done in time. */
  run(work: () => void): void {
    this.#place.work = work;
    try {
      this.#script.runInContext(this.#place, { timeout: this.#timeoutMs });
    } catch (error) {
      // It is made in the other context, and so no Error of ours.
      const { code } = error as { code?: unknown };
      if (code === "ERR_SCRIPT_EXECUTION_TIMEOUT") throw new PatternTooSlow(this.#timeoutMs, error);
      throw error;
    } finally {
      this.#place.work = () => {};
    }
  }
}

/** A regular expression that takes forever on some text. */
export class PatternTooSlow extends Error {
  override readonly name = "PatternTooSlow";
  constructor(timeoutMs: number, cause: unknown) {
    super(
      `The pattern took more than ${timeoutMs / 1000} s on one file: make it simpler (no repetition within a repetition), or use literal=true.`,
      { cause },
    );
  }
}
