import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentEvent } from "../core/events.ts";
import { type AssistantMessage, emptyUsage, type ToolResultMessage } from "../core/messages.ts";
import { EventStream } from "../lib/async/event-stream.ts";
import { describeEvents, recordEvents } from "./event-recorder.ts";

const assistant: AssistantMessage = {
  role: "assistant",
  content: [],
  api: "a",
  provider: "p",
  model: "m",
  usage: emptyUsage(),
  stopReason: "toolUse",
  timestamp: 0,
};
const failed: ToolResultMessage = {
  role: "toolResult",
  toolCallId: "c1",
  toolName: "read",
  content: [],
  isError: true,
  timestamp: 0,
};
const call = { toolCallId: "c1", toolName: "read" };
const result = { content: [] };

const EVENTS: AgentEvent[] = [
  { type: "agent_start" },
  { type: "turn_start" },
  { type: "message_start", message: { role: "user", content: "x", timestamp: 0 } },
  { type: "message_end", message: { role: "user", content: "x", timestamp: 0 } },
  {
    type: "message_update",
    message: assistant,
    assistantMessageEvent: {
      type: "text_delta",
      contentIndex: 0,
      delta: "a\nb",
      partial: assistant,
    },
  },
  { type: "message_end", message: assistant },
  { type: "tool_execution_start", ...call, args: {} },
  { type: "tool_execution_update", ...call, args: {}, partialResult: result },
  { type: "tool_execution_end", ...call, result, isError: false, durationMs: 1 },
  { type: "message_end", message: failed },
  { type: "turn_end", message: assistant, toolResults: [failed] },
  { type: "request_retry", attempt: 1, delayMs: 500, reason: "x", discardedCallIds: [] },
  { type: "agent_end", messages: [], reason: "done" },
];

test("each event is one short line, updates of a message only on demand", () => {
  const lines = [
    "agent_start",
    "turn_start",
    "message_start user",
    "message_end user",
    "message_end assistant toolUse",
    "tool_execution_start c1 read",
    "tool_execution_update c1",
    "tool_execution_end c1 ok",
    "message_end toolResult c1 error",
    "turn_end 1",
    "request_retry 1 500",
    "agent_end done",
  ];
  assert.deepEqual(describeEvents(EVENTS), lines);
  const all = describeEvents(EVENTS, { updates: true });
  assert.deepEqual(all, lines.toSpliced(4, 0, 'message_update text_delta 0 "a\\nb"'));
});

test("an event of a later kind is its type", () => {
  assert.deepEqual(describeEvents([{ type: "brand_new" } as unknown as AgentEvent]), ["brand_new"]);
});

test("every event is kept, then comes the result", async () => {
  const stream = new EventStream<number, string>((event) => event === 3, String);
  const recording = recordEvents(stream);
  for (const event of [1, 2, 3]) stream.push(event);
  assert.equal(await recording.result, "3");
  assert.deepEqual(recording.events, [1, 2, 3]);
});

test("a stream that fails rejects the result and keeps what came before", async () => {
  const stream = new EventStream<number, string>(() => false, String);
  const recording = recordEvents(stream);
  stream.push(1);
  stream.fail(new Error("bug"));
  await assert.rejects(recording.result, /bug/);
  assert.deepEqual(recording.events, [1]);
});
