// Events: what a stream function tells the loop, and what the loop tells its caller.
import type {
  AgentMessage,
  AssistantMessage,
  Message,
  Model,
  ToolCall,
  ToolResultMessage,
} from "./messages.ts";
import type { Tool, ToolResult } from "./tool.ts";

/** One step of a streamed assistant message. `partial` is the live message, not a copy. */
export type AssistantMessageEvent =
  | { type: "start"; partial: AssistantMessage }
  | {
      type: "text_start" | "thinking_start" | "toolcall_start";
      contentIndex: number;
      partial: AssistantMessage;
    }
  | {
      type: "text_delta" | "thinking_delta" | "toolcall_delta";
      contentIndex: number;
      delta: string;
      partial: AssistantMessage;
    }
  | {
      type: "text_end" | "thinking_end";
      contentIndex: number;
      content: string;
      partial: AssistantMessage;
    }
  | { type: "toolcall_end"; contentIndex: number; toolCall: ToolCall; partial: AssistantMessage }
  | { type: "done"; reason: "stop" | "length" | "toolUse"; message: AssistantMessage }
  | { type: "error"; reason: "error" | "aborted"; error: AssistantMessage };

/** Ends with one `done` or `error`; without either it counts as an error of kind `truncated`. */
export interface AssistantMessageStream extends AsyncIterable<AssistantMessageEvent> {
  result(): Promise<AssistantMessage>;
}

/** What one request sends. */
export interface StreamContext {
  systemPrompt?: string;
  messages: Message[];
  tools?: Tool[];
}

export interface StreamOptions {
  signal?: AbortSignal;
  apiKey?: string;
  maxTokens?: number;
  temperature?: number;
  /** Left out when off. */
  reasoning?: "minimal" | "low" | "medium" | "high" | "xhigh";
  headers?: Record<string, string>;
  sessionId?: string;
  /** Options of a stream function's own pass through. */
  [option: string]: unknown;
}

/** Asks a model. Never throws or rejects: failures come as an `error` event. */
export type StreamFn = (
  model: Model,
  context: StreamContext,
  options?: StreamOptions,
) => AssistantMessageStream | Promise<AssistantMessageStream>;

/** Why a run ended. */
export type EndReason =
  | "done"
  | "terminated"
  | "hook_stop"
  | "error"
  | "refused"
  | "journal_failed"
  | "max_turns"
  | "max_time"
  | "max_tokens"
  | "max_cost"
  | "repeated_calls"
  | "truncated_repeatedly"
  | "length"
  | "aborted";

/** What stood behind an end that was not the model's own. */
export interface EndCause {
  message: string;
  errorKind?: AssistantMessage["errorKind"];
}

export type AgentEvent =
  | { type: "agent_start" }
  | { type: "turn_start" }
  | { type: "message_start"; message: AgentMessage }
  | {
      type: "message_update";
      message: AssistantMessage;
      assistantMessageEvent: AssistantMessageEvent;
    }
  | { type: "message_end"; message: AgentMessage }
  | {
      type: "tool_execution_start";
      toolCallId: string;
      toolName: string;
      args: Record<string, unknown>;
    }
  | {
      type: "tool_execution_update";
      toolCallId: string;
      toolName: string;
      args: Record<string, unknown>;
      partialResult: ToolResult;
    }
  | {
      type: "tool_execution_end";
      toolCallId: string;
      toolName: string;
      result: ToolResult;
      isError: boolean;
      durationMs: number;
    }
  | { type: "turn_end"; message: AssistantMessage; toolResults: ToolResultMessage[] }
  | { type: "agent_end"; messages: AgentMessage[]; reason: EndReason; cause?: EndCause }
  | {
      type: "request_retry";
      attempt: number;
      delayMs: number;
      reason: string;
      discardedCallIds: string[];
    };

/** The events of one run; `.result()` gives the run's new messages. */
export interface AgentEventStream extends AsyncIterable<AgentEvent> {
  /** Rejects only for a bug of ours. */
  result(): Promise<AgentMessage[]>;
  /** Ends one call, also one that still waits; the turn goes on. */
  abortCall(toolCallId: string, reason?: string): "aborted" | "settled" | "unknown";
}
