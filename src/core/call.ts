// One call of a message, from its request to its result.
import type { Stopper } from "../lib/async/stopper.ts";
import { describeError } from "../lib/text/describe-error.ts";
import type { BoundedResult } from "./bound-result.ts";
import type { CallRef } from "./config.ts";
import type { ToolCall, ToolResultMessage } from "./messages.ts";
import type { AgentTool, Claim } from "./tool.ts";

/** How `execute` ended, before the after-hook and the bounds. */
export interface Executed {
  /** What the tool returned, or the error result made of what it threw. */
  returned: unknown;
  isError: boolean;
  durationMs: number;
}

export interface Call {
  readonly ref: CallRef;
  readonly toolCall: ToolCall;
  /** Comes with the run's stop, by `abortCall`, or at the tool's deadline. */
  readonly stop: Stopper;
  /** Why the call must not run at all, for the model. */
  readonly refusal?: string;
  tool?: AgentTool;
  /** The final arguments, frozen. */
  args?: Record<string, unknown>;
  claims?: readonly Claim[];
  pure?: boolean;
  /** It got its place before the end of its message; undefined if a stop came before its start. */
  early?: Promise<Executed | undefined>;
  /** Its start was told. */
  startTold?: boolean;
  /** Its end was told. */
  endTold?: boolean;
  /** Its result, where it is known without running it. */
  given?: BoundedResult;
  message?: ToolResultMessage;
  terminate?: boolean;
}

/** A call that has its result, as the turn needs it. */
export interface SettledCall {
  message: ToolResultMessage;
  terminate: boolean;
}

/** The text for a call that a stop reached: who stopped it, and how far it was. */
export function abortedText(stop: Stopper, state: "not started" | "stopped"): string {
  const who = describeError(stop.signal.reason);
  return state === "not started"
    ? `Aborted (${who}): this call was not started.`
    : `Aborted (${who}): this call was stopped before it ended. It may have done part of its work.`;
}

/** The result message of a call. */
export function resultMessage(
  call: Call,
  result: BoundedResult,
  times: { durationMs?: number; timestamp: number },
): ToolResultMessage {
  const { durationMs, timestamp } = times;
  return {
    role: "toolResult",
    toolCallId: call.toolCall.id,
    toolName: call.toolCall.name,
    content: result.content,
    ...(result.details === undefined ? {} : { details: result.details }),
    isError: result.isError,
    ...(result.usage === undefined ? {} : { usage: result.usage }),
    ...(durationMs === undefined ? {} : { durationMs }),
    timestamp,
  };
}

/** A call as its message holds it. */
export interface RequestedCall {
  toolCall: ToolCall;
  contentIndex: number;
  /** Why it must not run, for the model. */
  refusal?: string;
  /** Its result, known from elsewhere: nothing runs. */
  given?: BoundedResult;
  /** Its result stands in the history already. */
  settled?: ToolResultMessage;
}
