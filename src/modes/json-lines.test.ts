import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AgentEvent, AssistantMessageEvent } from "../core/events.ts";
import { type AssistantMessage, emptyUsage } from "../core/messages.ts";
import { jsonLineProblem } from "../../test/kit/json-line-check.ts";
import { type JsonLine, lineText, toLine } from "./json-lines.ts";

const message: AssistantMessage = {
  role: "assistant",
  content: [{ type: "text", text: "so far" }],
  api: "x",
  provider: "x",
  model: "x",
  usage: emptyUsage(),
  stopReason: "stop",
  timestamp: 0,
};

describe("a streamed step is told without the message so far", () => {
  const partial = message;
  const contentIndex = 0;
  const toolCall = { type: "toolCall" as const, id: "c1", name: "read", arguments: {} };
  const steps: [AssistantMessageEvent, object][] = [
    [{ type: "start", partial }, { type: "start" }],
    [
      { type: "text_delta", contentIndex, delta: "a", partial },
      { type: "text_delta", contentIndex, delta: "a" },
    ],
    [
      { type: "thinking_end", contentIndex, content: "a", partial },
      { type: "thinking_end", contentIndex, content: "a" },
    ],
    [
      { type: "toolcall_end", contentIndex, toolCall, partial },
      { type: "toolcall_end", contentIndex, toolCall },
    ],
    [
      { type: "done", reason: "stop", message },
      { type: "done", reason: "stop" },
    ],
    [
      { type: "error", reason: "aborted", error: message },
      { type: "error", reason: "aborted" },
    ],
  ];
  for (const [assistantMessageEvent, told] of steps) {
    test(assistantMessageEvent.type, () => {
      const line = toLine({ type: "message_update", message, assistantMessageEvent });
      assert.deepEqual(line, { type: "message_update", assistantMessageEvent: told });
      assert.equal(jsonLineProblem(line), undefined);
    });
  }
});

test("a streamed message starts empty, so that its deltas add up to it; other messages are whole", () => {
  const line = toLine({ type: "message_start", message });
  assert.deepEqual(line, { type: "message_start", message: { ...message, content: [] } });
  const asked: AgentEvent = {
    type: "message_start",
    message: { role: "user", content: "go", timestamp: 0 },
  };
  assert.deepEqual(toLine(asked), asked);
});

test("a line is one line, and holds no control character", () => {
  const text = "a\nb\u2028c\u001b[2J\u009b2J\u007f\ud800";
  const line = lineText({
    type: "message_end",
    message: { role: "user", content: text, timestamp: 0 },
  });
  // oxlint-disable-next-line no-control-regex
  assert.match(line, /^[^\u0000-\u001f\u007f-\u009f\ud800]+\n$/);
  const read = JSON.parse(line) as { message: { content: string } };
  assert.equal(read.message.content, text);
});

describe("the schema refuses", () => {
  const result: JsonLine = {
    type: "result",
    text: "",
    reason: "done",
    usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 },
    costUsd: 0,
    sessionId: "s",
  };
  const cases: [string, object][] = [
    ["a line without a type", {}],
    ["an unknown type", { type: "other" }],
    ["a result without a reason", { ...result, reason: undefined }],
    ["a result with an unknown reason", { ...result, reason: "bored" }],
    ["negative tokens", { ...result, usage: { ...result.usage, input: -1 } }],
    [
      "a session of another version",
      {
        type: "session",
        version: 2,
        id: "s",
        cwd: "/",
        model: { provider: "x", id: "x" },
        timestamp: 0,
      },
    ],
    ["a message of no role", { type: "message_end", message: { content: "x", timestamp: 0 } }],
    [
      "a delta without text",
      { type: "message_update", assistantMessageEvent: { type: "text_delta", contentIndex: 0 } },
    ],
  ];
  test("nothing that is right", () => assert.equal(jsonLineProblem(result), undefined));
  for (const [title, line] of cases) {
    test(title, () => assert.ok(jsonLineProblem(JSON.parse(JSON.stringify(line)))));
  }
});
