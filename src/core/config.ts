// What a caller hands to the loop: context, hooks, limits, the journal's door and the ports to the outside.
import type { EndCause, EndReason, StreamOptions } from "./events.ts";
import type {
  AgentMessage,
  AssistantMessage,
  ErrorKind,
  JsonValue,
  Message,
  Model,
  ToolCall,
  ToolResultMessage,
  Usage,
} from "./messages.ts";
import type { AgentTool, Claim, ToolResult } from "./tool.ts";

export interface AgentContext {
  systemPrompt?: string;
  /** Not mutated by the loop. */
  messages: AgentMessage[];
  tools?: AgentTool[];
}

/** `now` in milliseconds since the epoch; `monotonic` in milliseconds from any start, never going back. */
export interface Clock {
  now(): number;
  monotonic(): number;
}

/** `set` calls `f` once after `ms` milliseconds and returns how to take that back. */
export interface Timers {
  set(ms: number, f: () => void): () => void;
}

/** A new id; `kind` says what for. */
export type Ids = (kind: string) => string;

/** Where a call stands in a session: position, since ids may recur. */
export interface CallRef {
  /** Counted over the session, from 0: how many assistant messages came before. */
  turn: number;
  /** Among the message's calls, from 0. */
  index: number;
  toolCallId: string;
}

export interface LimitsUsed {
  turns: number;
  timeMs: number;
  tokens: number;
  costUsd: number;
}

/** What the loop asks its journal to keep, in the order in which it became true. */
export type RecordEntry =
  | { type: "message"; message: AgentMessage; turn: number }
  | {
      type: "intent";
      call: CallRef;
      toolName: string;
      args: JsonValue;
      claims: readonly Claim[];
      evidence?: JsonValue;
    }
  | { type: "result"; call: CallRef; message: ToolResultMessage; executed: boolean }
  | {
      type: "denied";
      call: CallRef;
      by: "policy" | "user" | "hook";
      rule?: string;
      reason: string;
    }
  | {
      type: "attempt_failed";
      turn: number;
      attempt: number;
      errorKind?: ErrorKind;
      usage?: Usage;
    }
  | { type: "context_replaced"; by: "compaction" | "recover" | "hook" }
  | { type: "end"; reason: EndReason; cause?: EndCause; used: LimitsUsed };

/** What permission says of a call; `ask` counts only while the model still streams (`early`). */
export interface Decision {
  decision: "allow" | "deny" | "ask";
  reason: string;
  rule?: string;
  /** Who said no; `policy` if left out. */
  by?: "policy" | "user";
}

export interface BeforeToolCallResult {
  block?: boolean;
  reason?: string;
  terminate?: boolean;
  /** Replaces the arguments; they are validated again. */
  args?: Record<string, unknown>;
}

/** What a hook between turns sees. */
export interface TurnView {
  message: AssistantMessage;
  toolResults: ToolResultMessage[];
  context: AgentContext;
  newMessages: AgentMessage[];
}

/** What a hook may replace before the next request. */
export interface TurnUpdate {
  context?: AgentContext;
  model?: Model;
  options?: StreamOptions;
}

export interface Failure {
  message: AssistantMessage;
  errorKind: ErrorKind | undefined;
  attempt: number;
  context: AgentContext;
}

export interface RetryConfig {
  /** Repeats after the first attempt. */
  attempts: number;
  baseMs: number;
  maxMs: number;
  /** A server that asks for more than this ends the run. */
  maxServerWaitMs: number;
  maxTotalMs: number;
}

export interface LimitsConfig {
  turns?: number;
  timeMs?: number;
  tokens?: number;
  costUsd?: number;
  /** Equal calls with equal results: the run ends at this many; the model is told at two fewer. Default 5, 0 for none. */
  repeatedCalls?: number;
  /** What earlier runs already used. */
  used?: LimitsUsed;
}

type Awaitable<T> = T | Promise<T>;

/**
 * All a run needs besides its context. A hook that throws: `beforeToolCall` and `authorize` count as "no",
 * `afterToolCall` makes the result an error, the others end the run as `error`. Hooks hear the signal and have a
 * deadline of 30 s; `authorize` has none.
 */
export interface AgentLoopConfig {
  model: Model;
  convertToLlm?(messages: AgentMessage[]): Awaitable<Message[]>;
  transformContext?(messages: AgentMessage[], signal?: AbortSignal): Awaitable<AgentMessage[]>;
  getApiKey?(provider: string): Awaitable<string | undefined>;
  getSteeringMessages?(): Awaitable<AgentMessage[]>;
  getFollowUpMessages?(): Awaitable<AgentMessage[]>;
  prepareNextTurn?(turn: TurnView): Awaitable<TurnUpdate | undefined>;
  shouldStopAfterTurn?(turn: TurnView): Awaitable<boolean>;
  beforeToolCall?(
    call: {
      assistantMessage: AssistantMessage;
      toolCall: ToolCall;
      args: Record<string, unknown>;
      context: AgentContext;
    },
    signal?: AbortSignal,
  ): Awaitable<BeforeToolCallResult | undefined>;
  /** Permission on the final, frozen arguments. */
  authorize?(
    call: {
      toolCall: ToolCall;
      tool: AgentTool;
      args: Record<string, unknown>;
      claims: readonly Claim[];
      early: boolean;
    },
    signal?: AbortSignal,
  ): Awaitable<Decision>;
  afterToolCall?(
    call: {
      assistantMessage: AssistantMessage;
      toolCall: ToolCall;
      args: Record<string, unknown>;
      result: ToolResult;
      isError: boolean;
      context: AgentContext;
    },
    signal?: AbortSignal,
  ): Awaitable<Partial<ToolResult> | undefined>;
  /** Asked once per turn and kind of error when retries do not help. */
  recover?(failure: Failure, signal?: AbortSignal): Awaitable<TurnUpdate | undefined>;
  /** For calls without results at the tail of a continued history. */
  openCalls?(ref: CallRef): Awaitable<"not_started" | "unknown" | ToolResultMessage>;
  /** The journal. A rejection, or 30 s, ends the run by `journal_failed`; nothing acts unrecorded. */
  record?(entries: readonly RecordEntry[]): Promise<void>;
  /** Keeps the whole of a text that was cut; says where it lies. */
  spill?(text: string, call: { toolCallId: string; toolName: string }): Promise<string>;
  toolExecution?: "parallel" | "sequential";
  /** How many calls run at once; default 8. */
  maxParallel?: number;
  retry?: Partial<RetryConfig> | false;
  limits?: LimitsConfig;
  options?: StreamOptions;
  clock?: Clock;
  ids?: Ids;
  timers?: Timers;
}
