// The messages of a conversation: what a caller, a tool, a wire and a journal share.
// Field names are the field's own; optional fields may grow, nothing is renamed.

/** Plain data, as JSON can hold it. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

export interface TextContent {
  type: "text";
  text: string;
  /** Opaque provider data that must go back byte for byte. */
  textSignature?: string;
}

export interface ThinkingContent {
  type: "thinking";
  thinking: string;
  /** Opaque provider data that must go back byte for byte. */
  thinkingSignature?: string;
  /** The provider hid the text; only the signature carries it. */
  redacted?: boolean;
}

export interface ImageContent {
  type: "image";
  /** Base64, without a data URL prefix. */
  data: string;
  mimeType: string;
}

/** A request of the model's to run a tool: untrusted input. */
export interface ToolCall {
  type: "toolCall";
  id: string;
  name: string;
  arguments: Record<string, unknown>;
  /** Why the argument text was no JSON, with that text, capped at 2 KB. Such a call never runs. */
  argumentsError?: string;
  /** Opaque provider data that must go back byte for byte. */
  thoughtSignature?: string;
}

export interface UserMessage {
  role: "user";
  content: string | (TextContent | ImageContent)[];
  /** Milliseconds since the epoch. */
  timestamp: number;
}

/** What kind of failure ended a request; absent where the stream function does not say. */
export type ErrorKind =
  | "rate_limit"
  | "overloaded"
  | "server"
  | "context_overflow"
  | "auth"
  | "quota"
  | "bad_request"
  | "not_found"
  | "refused"
  | "truncated"
  | "idle_timeout"
  | "network"
  | "protocol"
  | "aborted";

export type StopReason = "stop" | "length" | "toolUse" | "error" | "aborted";

/** Tokens of one response; `cost` in USD. */
export interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** The part of `output` that was reasoning, where the provider tells it. */
  reasoning?: number;
  totalTokens: number;
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
}

export interface AssistantMessage {
  role: "assistant";
  content: (TextContent | ThinkingContent | ToolCall)[];
  api: string;
  provider: string;
  model: string;
  responseId?: string;
  usage: Usage;
  stopReason: StopReason;
  /** The stop reason in the provider's own word. */
  rawStopReason?: string;
  errorMessage?: string;
  errorKind?: ErrorKind;
  /** HTTP status, where there was one. */
  status?: number;
  /** How long the server asked to wait before the next attempt. */
  retryAfterMs?: number;
  durationMs?: number;
  /** Milliseconds since the epoch. */
  timestamp: number;
}

export interface ToolResultMessage {
  role: "toolResult";
  toolCallId: string;
  toolName: string;
  content: (TextContent | ImageContent)[];
  /** For people and programs, never sent to the model. */
  details?: JsonValue;
  isError: boolean;
  usage?: Usage;
  durationMs?: number;
  /** Milliseconds since the epoch. */
  timestamp: number;
}

/** What a model can be sent. */
export type Message = UserMessage | AssistantMessage | ToolResultMessage;

/** Add message roles of your own by declaration merging; `convertToLlm` maps them for the model. */
// oxlint-disable-next-line typescript/no-empty-object-type
export interface CustomAgentMessages {}

export type AgentMessage = Message | CustomAgentMessages[keyof CustomAgentMessages];

/** A model as the loop and the wires need it; prices in USD per million tokens. */
export interface Model {
  id: string;
  name: string;
  /** Which wire speaks to it, for instance `anthropic-messages`. */
  api: string;
  provider: string;
  baseUrl: string;
  reasoning: boolean;
  input: ("text" | "image")[];
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number };
  /** Tokens. */
  contextWindow: number;
  /** The most output tokens of one response. */
  maxTokens: number;
  headers?: Record<string, string>;
}

/** A usage of zero, a new object each time. */
export function emptyUsage(): Usage {
  return {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
}

/** The text of a message's text blocks, joined by line breaks. */
export function textOf(content: string | readonly { type: string; text?: string }[]): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? [block.text ?? ""] : [])).join("\n");
}
