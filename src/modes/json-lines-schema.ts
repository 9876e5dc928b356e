// The lines of JSON mode as a JSON Schema (draft 2020-12). Fields may be added later, so that unknown ones are allowed.
import type { EndReason } from "../core/events.ts";
import type { ErrorKind, StopReason } from "../core/messages.ts";
import type { JsonSchema } from "../core/tool.ts";
import { JSON_LINES_VERSION } from "./json-lines.ts";

type Properties = Readonly<Record<string, JsonSchema>>;

const text: JsonSchema = { type: "string" };
const flag: JsonSchema = { type: "boolean" };
const number: JsonSchema = { type: "number" };
const amount: JsonSchema = { type: "number", minimum: 0 };
const count: JsonSchema = { type: "integer", minimum: 0 };
const anything: JsonSchema = {};
const anyObject: JsonSchema = { type: "object" };
const status: JsonSchema = { type: "integer" };

/** Names in records, so that the compiler misses none. */
const END_REASONS: Readonly<Record<EndReason, true>> = {
  done: true,
  terminated: true,
  hook_stop: true,
  error: true,
  refused: true,
  journal_failed: true,
  max_turns: true,
  max_time: true,
  max_tokens: true,
  max_cost: true,
  repeated_calls: true,
  truncated_repeatedly: true,
  length: true,
  aborted: true,
};
const ERROR_KINDS: Readonly<Record<ErrorKind, true>> = {
  rate_limit: true,
  overloaded: true,
  server: true,
  context_overflow: true,
  auth: true,
  quota: true,
  bad_request: true,
  not_found: true,
  refused: true,
  truncated: true,
  idle_timeout: true,
  network: true,
  protocol: true,
  aborted: true,
};
const STOP_REASONS: Readonly<Record<StopReason, true>> = {
  stop: true,
  length: true,
  toolUse: true,
  error: true,
  aborted: true,
};

const endReason = oneOfNames(Object.keys(END_REASONS));
const errorKind = oneOfNames(Object.keys(ERROR_KINDS));
const stopReason = oneOfNames(Object.keys(STOP_REASONS));

const textBlock = block("text", { text }, { textSignature: text });
const imageBlock = block("image", { data: text, mimeType: text });
const thinkingBlock = block(
  "thinking",
  { thinking: text },
  { thinkingSignature: text, redacted: flag },
);
const toolCall = block(
  "toolCall",
  { id: text, name: text, arguments: anyObject },
  { argumentsError: text, thoughtSignature: text },
);
const given = listOf({ anyOf: [textBlock, imageBlock] });
const tokens = { input: count, output: count, cacheRead: count, cacheWrite: count };
const money = { input: amount, output: amount, cacheRead: amount, cacheWrite: amount };
const usage = object(
  { ...tokens, totalTokens: count, cost: object({ ...money, total: amount }) },
  { reasoning: count },
);
const cause = object({ message: text }, { errorKind });
const toolResult = object(
  { content: given },
  { details: anything, isError: flag, terminate: flag, usage },
);

const userMessage = object({
  role: { const: "user" },
  content: { anyOf: [text, given] },
  timestamp: number,
});
const assistantMessage = object(
  {
    role: { const: "assistant" },
    content: listOf({ anyOf: [textBlock, thinkingBlock, toolCall] }),
    api: text,
    provider: text,
    model: text,
    usage,
    stopReason,
    timestamp: number,
  },
  {
    responseId: text,
    rawStopReason: text,
    errorMessage: text,
    errorKind,
    status,
    retryAfterMs: amount,
    durationMs: amount,
  },
);
const toolResultMessage = object(
  {
    role: { const: "toolResult" },
    toolCallId: text,
    toolName: text,
    content: given,
    isError: flag,
    timestamp: number,
  },
  { details: anything, usage, durationMs: amount },
);
const message = { $ref: "#/$defs/message" };
const contentIndex = count;
const call = { toolCallId: text, toolName: text };

const steps: readonly JsonSchema[] = [
  block("start", {}),
  ...["text_start", "thinking_start", "toolcall_start"].map((type) =>
    block(type, { contentIndex }),
  ),
  ...["text_delta", "thinking_delta", "toolcall_delta"].map((type) =>
    block(type, { contentIndex, delta: text }),
  ),
  ...["text_end", "thinking_end"].map((type) => block(type, { contentIndex, content: text })),
  block("toolcall_end", { contentIndex, toolCall }),
  block("done", { reason: oneOfNames(["stop", "length", "toolUse"]) }),
  block("error", { reason: oneOfNames(["error", "aborted"]) }),
];

const lines: readonly JsonSchema[] = [
  block("session", {
    version: { const: JSON_LINES_VERSION },
    id: text,
    cwd: text,
    model: object({ provider: text, id: text }),
    timestamp: number,
  }),
  block("agent_start", {}),
  block("turn_start", {}),
  block("message_start", { message }),
  block("message_update", { assistantMessageEvent: { $ref: "#/$defs/step" } }),
  block("message_end", { message }),
  block("tool_execution_start", { ...call, args: anyObject }),
  block("tool_execution_update", { ...call, args: anyObject, partialResult: toolResult }),
  block("tool_execution_end", { ...call, result: toolResult, isError: flag, durationMs: amount }),
  block("turn_end", { message, toolResults: listOf(message) }),
  block("agent_end", { messages: listOf(message), reason: endReason }, { cause }),
  block("request_retry", {
    attempt: count,
    delayMs: amount,
    reason: text,
    discardedCallIds: listOf(text),
  }),
  block(
    "result",
    {
      text,
      reason: endReason,
      usage: object({ ...tokens, totalTokens: count }),
      costUsd: amount,
      sessionId: text,
    },
    { cause },
  ),
];

/** What a line of JSON mode may be. */
export const jsonLinesSchema: JsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "A line of errand --mode json",
  $defs: {
    message: { anyOf: [userMessage, assistantMessage, toolResultMessage] },
    step: { anyOf: steps },
  },
  anyOf: lines,
};

function object(required: Properties, optional: Properties = {}): JsonSchema {
  return {
    type: "object",
    required: Object.keys(required),
    properties: { ...required, ...optional },
  };
}

function block(type: string, required: Properties, optional: Properties = {}): JsonSchema {
  return object({ type: { const: type }, ...required }, optional);
}

function listOf(items: JsonSchema): JsonSchema {
  return { type: "array", items };
}

function oneOfNames(names: readonly string[]): JsonSchema {
  return { enum: names };
}
