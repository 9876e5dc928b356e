// Where a mode writes, and what it adds up on the way.
import type { AssistantMessage, ToolResultMessage } from "../core/messages.ts";

/** stdout for the answer, stderr for what goes on beside it. */
export interface OutputPort {
  /** Writes to stdout; a promise while its reader is behind, which resolves when more is wanted or never will be. */
  out(text: string): Promise<void> | undefined;
  /** Writes to stderr. */
  err(text: string): void;
  /** stdout is a terminal. */
  outIsTerminal: boolean;
  /** stderr is a terminal. */
  errIsTerminal: boolean;
  /** `err` may carry colours. */
  colours: boolean;
}

/** What a run used: tokens, and USD. */
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

/** Adds a message: of an answer its tokens and cost, of a tool's result only the cost, as the run's limits count. */
export function addUsage(totals: RunTotals, message: AssistantMessage | ToolResultMessage): void {
  const { usage } = message;
  totals.costUsd += usage?.cost.total ?? 0;
  if (message.role !== "assistant") return;
  totals.input += message.usage.input;
  totals.output += message.usage.output;
  totals.cacheRead += message.usage.cacheRead;
  totals.cacheWrite += message.usage.cacheWrite;
  totals.totalTokens += message.usage.totalTokens;
}
