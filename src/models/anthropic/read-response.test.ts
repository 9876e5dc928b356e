import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AssistantMessageEvent } from "../../core/events.ts";
import { type AssistantMessage, emptyUsage } from "../../core/messages.ts";
import { anthropicModel } from "../../../test/kit/anthropic-model.ts";
import { ResponseReader, type ReadStep } from "./read-response.ts";
import { ToolNames } from "./tool-names.ts";

interface Reading {
  steps: ReadStep[];
  message: AssistantMessage;
  /** Each event's type and block. */
  shape: string[];
}

function read(events: readonly unknown[]): Reading {
  const model = anthropicModel("http://127.0.0.1");
  const message: AssistantMessage = {
    role: "assistant",
    content: [],
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: emptyUsage(),
    stopReason: "stop",
    timestamp: 0,
  };
  const shape: string[] = [];
  const push = (event: AssistantMessageEvent): void => {
    shape.push("contentIndex" in event ? `${event.type} ${event.contentIndex}` : event.type);
  };
  const reader = new ResponseReader({
    message,
    model,
    host: "host",
    names: new ToolNames(["my.tool"]),
    push,
  });
  return { steps: events.map((event) => reader.read(event)), message, shape };
}

const start = { type: "message_start", message: { id: "m1", usage: { input_tokens: 10 } } };
const stop = { type: "message_stop" };
const begin = (index: number | undefined, content_block: object): object => ({
  type: "content_block_start",
  index,
  content_block,
});
const delta = (index: number | undefined, part: object): object => ({
  type: "content_block_delta",
  index,
  delta: part,
});
const end = (index?: number): object => ({ type: "content_block_stop", index });
const ended = (stop_reason: string, more: object = {}): object => ({
  type: "message_delta",
  delta: { stop_reason, ...more },
});
const call = (id: string): object => ({ type: "tool_use", id, name: "read", input: {} });
const json = (partial_json: string): object => ({ type: "input_json_delta", partial_json });
const text = (value: string): object => ({ type: "text_delta", text: value });

describe("what the events of a response mean", () => {
  test("thinking and its signature are kept byte for byte, in any number of pieces", () => {
    const { message } = read([
      start,
      begin(0, { type: "thinking", thinking: "", signature: "" }),
      delta(0, { type: "thinking_delta", thinking: " a\n" }),
      delta(0, { type: "signature_delta", signature: "Eq+/" }),
      delta(0, { type: "signature_delta", signature: "==" }),
      end(0),
      begin(1, { type: "redacted_thinking", data: "opaque/+=" }),
      end(1),
      stop,
    ]);
    assert.deepEqual(message.content, [
      { type: "thinking", thinking: " a\n", thinkingSignature: "Eq+/==" },
      { type: "thinking", thinking: "", thinkingSignature: "opaque/+=", redacted: true },
    ]);
  });

  test("calls whose pieces alternate stay apart", () => {
    const { message, shape } = read([
      start,
      begin(0, call("a")),
      begin(1, call("b")),
      delta(1, json('{"n":')),
      delta(0, json('{"n":')),
      delta(1, json("2}")),
      delta(0, json("1}")),
      end(1),
      end(0),
      stop,
    ]);
    assert.deepEqual(
      message.content.map((block) => block.type === "toolCall" && [block.id, block.arguments]),
      [
        ["a", { n: 1 }],
        ["b", { n: 2 }],
      ],
    );
    assert.ok(shape.indexOf("toolcall_end 1") < shape.indexOf("toolcall_end 0"));
  });

  test("calls without an index, one after the other, stay apart", () => {
    const one = (id: string): object[] => [
      begin(undefined, call(id)),
      delta(undefined, json("{}")),
      end(),
    ];
    const { message, shape } = read([start, ...one("a"), ...one("b"), stop]);
    assert.deepEqual(
      message.content.map((block) => block.type === "toolCall" && block.id),
      ["a", "b"],
    );
    assert.equal(shape.filter((step) => step.startsWith("toolcall_end")).length, 2);
  });

  test("a second call at an index still open leaves the first one without an end", () => {
    const { message, shape } = read([
      start,
      begin(0, call("a")),
      delta(0, json('{"n":1}')),
      begin(0, call("b")),
      delta(0, json('{"n":2}')),
      end(0),
      stop,
    ]);
    const [first, second] = message.content;
    assert.ok(first?.type === "toolCall" && first.argumentsError);
    assert.deepEqual(first.arguments, {});
    assert.ok(second?.type === "toolCall" && second.argumentsError === undefined);
    assert.deepEqual(second.arguments, { n: 2 });
    assert.ok(!shape.includes("toolcall_end 0") && shape.includes("toolcall_end 1"));
  });

  test("a message that ends closes its open texts, and leaves its open calls without an end", () => {
    const { message, shape } = read([
      start,
      begin(0, { type: "text", text: "" }),
      delta(0, text("abc")),
      begin(1, call("a")),
      delta(1, json('{"n":1}')),
      stop,
    ]);
    assert.deepEqual(shape.slice(-2), ["text_end 0", "done"]);
    assert.ok(!shape.includes("toolcall_end 1"));
    const [, open] = message.content;
    assert.ok(open?.type === "toolCall" && open.argumentsError);
    assert.equal(message.stopReason, "toolUse");
  });

  test("text of a block that was never announced is not lost", () => {
    const { message, shape } = read([
      start,
      delta(0, text("ab")),
      delta(0, text("c")),
      end(0),
      stop,
    ]);
    assert.deepEqual(message.content, [{ type: "text", text: "abc" }]);
    assert.deepEqual(
      shape.filter((step) => step.startsWith("text_")),
      ["text_start 0", "text_delta 0", "text_delta 0", "text_end 0"],
    );
  });

  test("blocks, deltas and events of times to come are passed over, whatever they hold", () => {
    const { message, steps } = read([
      { type: "vendor_event", anything: [1] },
      null,
      7,
      start,
      begin(0, { type: "server_tool_use", id: "s", name: "web_search", input: {} }),
      delta(0, json('{"q":1}')),
      delta(0, text("not ours")),
      end(0),
      begin(1, { type: "text", text: "" }),
      delta(1, { type: "citations_delta", citation: {} }),
      delta(1, text("ours")),
      end(1),
      stop,
    ]);
    assert.deepEqual(message.content, [{ type: "text", text: "ours" }]);
    assert.equal(steps.at(-1)?.status, "done");
  });

  test("arguments that came whole with the start of their block are taken", () => {
    const { message } = read([
      start,
      begin(0, { type: "tool_use", id: "a", name: "read", input: { path: "x" } }),
      end(0),
      stop,
    ]);
    assert.ok(message.content[0]?.type === "toolCall");
    assert.deepEqual(message.content[0].arguments, { path: "x" });
  });

  test("a tool whose name the API refuses is called by its own name", () => {
    const { message } = read([start, begin(0, { ...call("a"), name: "my_tool" }), end(0), stop]);
    assert.ok(message.content[0]?.type === "toolCall");
    assert.equal(message.content[0].name, "my.tool");
  });

  test("a refusal says why, where the server does", () => {
    const explanation = "This is\u001b[31m not allowed.";
    const { steps } = read([start, ended("refusal", { stop_details: { explanation } }), stop]);
    const last = steps.at(-1);
    assert.ok(last?.status === "failed");
    assert.equal(last.failure.kind, "refused");
    assert.match(last.failure.message, /: This is not allowed\.$/);
  });

  test("calls count more than the stop reason, except that a message was cut", () => {
    const withCall = [start, begin(0, call("a")), end(0)];
    for (const [reason, stopReason] of [
      ["end_turn", "toolUse"],
      ["pause_turn", "toolUse"],
      ["tool_use", "toolUse"],
      ["max_tokens", "length"],
      ["model_context_window_exceeded", "length"],
    ]) {
      const { message } = read([...withCall, ended(reason ?? ""), stop]);
      assert.equal(message.stopReason, stopReason, reason);
      assert.equal(message.rawStopReason, reason);
    }
    assert.equal(read([start, ended("tool_use"), stop]).message.stopReason, "stop");
  });

  test("counts that are repeated as nothing, or are no counts, change nothing", () => {
    const usage = { input_tokens: 0, cache_read_input_tokens: null, output_tokens: 7 };
    const bad = {
      input_tokens: -5,
      output_tokens: "many",
      cache_creation_input_tokens: Number.POSITIVE_INFINITY,
    };
    const { message } = read([
      start,
      { type: "message_delta", delta: {}, usage },
      { type: "message_delta", delta: null, usage: bad },
      stop,
    ]);
    assert.deepEqual([message.usage.input, message.usage.output], [10, 7]);
    assert.equal(message.usage.totalTokens, 17);
    assert.equal(message.usage.cost.total, (10 * 3 + 7 * 15) / 1e6);
  });
});
