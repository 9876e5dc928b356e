// placeholder: the public shape, filled in with the loop.
import type { AgentLoopConfig } from "../core/config.ts";
import type { AgentEvent, EndCause, EndReason, StreamFn, StreamOptions } from "../core/events.ts";
import type { AgentMessage, AssistantMessage, ImageContent, Model } from "../core/messages.ts";
import type { AgentTool } from "../core/tool.ts";

export type ThinkingLevel = "off" | NonNullable<StreamOptions["reasoning"]>;

/** What a run ended with. */
export interface RunEnd {
  reason: EndReason;
  cause?: EndCause;
  /** The run's new messages. */
  messages: AgentMessage[];
}

export interface AgentState {
  systemPrompt: string;
  model: Model;
  thinkingLevel: ThinkingLevel;
  tools: AgentTool[];
  messages: AgentMessage[];
  readonly isStreaming: boolean;
  readonly streamingMessage?: AssistantMessage;
  readonly pendingToolCalls: ReadonlySet<string>;
  readonly errorMessage?: string;
}

export interface AgentOptions extends Partial<Omit<AgentLoopConfig, "model" | "getSteeringMessages" | "getFollowUpMessages">> {
  initialState?: Partial<Pick<AgentState, "systemPrompt" | "model" | "thinkingLevel" | "tools" | "messages">>;
  streamFn?: StreamFn;
  steeringMode?: "one-at-a-time" | "all";
  followUpMode?: "one-at-a-time" | "all";
}

export interface AgentLike {
  readonly state: AgentState;
  prompt(input: string | AgentMessage | AgentMessage[], images?: ImageContent[]): Promise<RunEnd>;
  continue(): Promise<RunEnd>;
  steer(message: AgentMessage | string): string;
  followUp(message: AgentMessage | string): string;
  abort(reason?: string): void;
  abortCall(toolCallId: string, reason?: string): "aborted" | "settled" | "unknown";
  subscribe(listener: (event: AgentEvent, signal: AbortSignal) => void): () => void;
  waitForIdle(): Promise<void>;
}
