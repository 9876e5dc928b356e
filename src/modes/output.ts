// Where a mode writes: stdout for the answer, stderr for what goes on.

export interface OutputPort {
  /** The answer. */
  out(text: string): void;
  /** What goes on beside it. */
  err(text: string): void;
  /** Whether `err` may carry colours. */
  colours: boolean;
}

/** Totals of a run, from its assistant messages. */
export interface RunTotals {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  totalTokens: number;
  costUsd: number;
}

/** A total of nothing. */
export function noTotals(): RunTotals {
  return { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, costUsd: 0 };
}
