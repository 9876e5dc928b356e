// When a failed request is asked again, and how long after.
import type { RetryConfig } from "./config.ts";
import type { AssistantMessage, ErrorKind } from "./messages.ts";

/** Used where the config is silent. */
export const DEFAULT_RETRY: Readonly<RetryConfig> = {
  attempts: 15,
  baseMs: 500,
  maxMs: 60_000,
  maxServerWaitMs: 5 * 60_000,
  maxTotalMs: 15 * 60_000,
};

/** A garbled answer may be an accident, but a wrong address answers so for ever: these are repeated only this often. */
const PROTOCOL_ATTEMPTS = 2;

const TRANSIENT: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  "rate_limit",
  "overloaded",
  "server",
  "truncated",
  "idle_timeout",
  "network",
  "protocol",
]);

/** Whether asking the same again can help. */
export function isTransient(message: AssistantMessage): boolean {
  if (message.errorKind !== undefined) return TRANSIENT.has(message.errorKind);
  const { status } = message;
  if (status === undefined) return false;
  return status === 408 || status === 429 || (status >= 500 && status <= 599);
}

/** What to do with a failed attempt. `repeat` says after how long; `end` may say why waiting is no use. */
export type RetryDecision =
  | { action: "repeat"; delayMs: number; reason: string }
  | { action: "end"; why?: string };

/** How often and since when a request was tried. */
export interface Attempts {
  /** The attempt that failed, from 1. */
  attempt: number;
  /** Since the first attempt failed. */
  elapsedMs: number;
  /** From 0 to 1, spreads the clients of one overloaded server. */
  jitter: number;
}

/** Decides on a failed attempt that is not an abort. */
export function decideRetry(
  message: AssistantMessage,
  config: Partial<RetryConfig> | false | undefined,
  { attempt, elapsedMs, jitter }: Attempts,
): RetryDecision {
  if (config === false || !isTransient(message)) return { action: "end" };
  const { attempts, baseMs, maxMs, maxServerWaitMs, maxTotalMs } = {
    ...DEFAULT_RETRY,
    ...Object.fromEntries(Object.entries(config ?? {}).filter(([, value]) => value !== undefined)),
  };
  const most = message.errorKind === "protocol" ? Math.min(attempts, PROTOCOL_ATTEMPTS) : attempts;
  if (attempt > most) return { action: "end", why: `gave up after ${attempt} attempts` };
  const asked = message.retryAfterMs;
  if (asked !== undefined && asked > maxServerWaitMs) {
    return {
      action: "end",
      why: `${message.provider} asks to wait ${describeWait(asked)}, longer than the ${describeWait(maxServerWaitMs)} allowed`,
    };
  }
  const nominal = Math.min(maxMs, baseMs * 2 ** (attempt - 1));
  const delayMs = Math.round(
    asked !== undefined && asked >= 0 ? asked : nominal * (0.5 + jitter / 2),
  );
  if (elapsedMs + delayMs > maxTotalMs) {
    return { action: "end", why: `gave up after ${describeWait(elapsedMs)} of retries` };
  }
  return { action: "repeat", delayMs, reason: failureText(message) };
}

/** A failed attempt in a few words. */
export function failureText(message: AssistantMessage): string {
  const status = message.status === undefined ? "" : ` (${message.status})`;
  return message.errorMessage || `${message.errorKind ?? "error"}${status}`;
}

function describeWait(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} minutes`;
}
