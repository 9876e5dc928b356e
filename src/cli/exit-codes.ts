// What the shell is told. Scripts rely on these numbers.
import type { EndReason } from "../core/events.ts";

export const EXIT_OK = 0;
export const EXIT_ERROR = 1;
export const EXIT_USAGE = 2;
export const EXIT_BUG = 70;

/** Why the process was asked to end. */
export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

const BY_SIGNAL: Readonly<Record<StopSignal, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** What a run's exit code depends on besides the reason. */
export interface RunFacts {
  /** A call was denied by policy, user or hook. */
  denied?: boolean;
  signal?: StopSignal | undefined;
}

/** The exit code of a run that ended. */
export function exitCodeOf(reason: EndReason, { denied = false, signal }: RunFacts = {}): number {
  switch (reason) {
    case "done":
    case "terminated":
    case "hook_stop":
      return denied ? 3 : EXIT_OK;
    case "error":
    case "refused":
    case "journal_failed":
      return EXIT_ERROR;
    case "max_turns":
    case "max_time":
    case "max_tokens":
    case "max_cost":
    case "repeated_calls":
    case "truncated_repeatedly":
    case "length":
      return 4;
    case "aborted":
      return exitCodeOfSignal(signal);
    default:
      return unknownReason(reason);
  }
}

/** What a shell calls the end by a signal; an abort without one counts as Ctrl-C. */
export function exitCodeOfSignal(signal: StopSignal = "SIGINT"): number {
  return BY_SIGNAL[signal];
}

function unknownReason(reason: never): number {
  throw new Error(`No exit code for ${String(reason)}`);
}
