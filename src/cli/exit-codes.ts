// What the shell is told. Scripts rely on these; they are documented in docs/command-line.md.
import type { EndReason } from "../core/events.ts";

export const EXIT_USAGE = 2;
export const EXIT_BUG = 70;

/** Why the process was asked to end. */
export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

const BY_SIGNAL: Readonly<Record<StopSignal, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** The exit code of a run that ended. */
export function exitCodeOf(reason: EndReason, signal?: StopSignal): number {
  switch (reason) {
    case "done":
    case "terminated":
    case "hook_stop":
      return 0;
    case "error":
    case "refused":
    case "journal_failed":
      return 1;
    case "max_turns":
    case "max_time":
    case "max_tokens":
    case "max_cost":
    case "repeated_calls":
    case "truncated_repeatedly":
    case "length":
      return 4;
    case "aborted":
      return BY_SIGNAL[signal ?? "SIGINT"];
    default:
      return unknownReason(reason);
  }
}

function unknownReason(reason: never): number {
  throw new Error(`No exit code for ${String(reason)}`);
}
