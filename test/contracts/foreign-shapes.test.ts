// Tools and stream functions that were written for the nearest relatives of this loop run here unchanged. Their types
// are written down here as those packages publish them; that this file compiles is half of the test.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Static, type TSchema, Type } from "typebox";
import { type AgentTool, agentLoop, EventStream, type StreamFn, textOf } from "../../src/index.ts";
import type { AssistantMessage, AssistantMessageEvent, Model } from "../../src/index.ts";

/** A tool elsewhere: details are required, no claims, no purity. */
interface ForeignTool<P extends TSchema, D> {
  name: string;
  description: string;
  parameters: P;
  label: string;
  prepareArguments?: (args: unknown) => Static<P>;
  execute: (
    toolCallId: string,
    params: Static<P>,
    signal?: AbortSignal,
    onUpdate?: (partialResult: { content: { type: "text"; text: string }[]; details: D }) => void,
  ) => Promise<{ content: { type: "text"; text: string }[]; details: D; terminate?: boolean }>;
  executionMode?: "sequential" | "parallel";
}

/** A stream elsewhere: pushed to by hand, with more stop reasons than ours. */
type ForeignStream = EventStream<AssistantMessageEvent, AssistantMessage>;

const parameters = Type.Object({ value: Type.String() });

const foreign: ForeignTool<typeof parameters, { value: string }> = {
  name: "echo",
  label: "Echo",
  description: "Echo tool",
  parameters,
  execute: async (_id, params, _signal, onUpdate) => {
    onUpdate?.({ content: [{ type: "text", text: "half" }], details: { value: params.value } });
    return {
      content: [{ type: "text", text: `echoed: ${params.value}` }],
      details: { value: params.value },
    };
  },
};

const model: Model = {
  id: "mock",
  name: "mock",
  api: "openai-responses",
  provider: "openai",
  baseUrl: "https://example.invalid",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 8192,
  maxTokens: 2048,
};

function answer(content: AssistantMessage["content"], stopReason: string): AssistantMessage {
  return {
    role: "assistant",
    content,
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: {
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 0,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: stopReason as AssistantMessage["stopReason"],
    timestamp: Date.now(),
  };
}

test("a foreign tool and a foreign stream function make a whole run", async () => {
  let request = 0;
  // Only the last event is sent, from a later task, as test doubles of the field do.
  const streamFn: StreamFn = (): ForeignStream => {
    const stream: ForeignStream = new EventStream<AssistantMessageEvent, AssistantMessage>(
      (event) => event.type === "done" || event.type === "error",
      (event) => (event.type === "done" ? event.message : answer([], "error")),
    );
    const turn = request++;
    queueMicrotask(() => {
      const message =
        turn === 0
          ? answer(
              [{ type: "toolCall", id: "tool-1", name: "echo", arguments: { value: "hello" } }],
              "toolUse",
            )
          : answer([{ type: "text", text: "done" }], "pending");
      stream.push({ type: "done", reason: turn === 0 ? "toolUse" : "stop", message });
    });
    return stream;
  };
  const tools: AgentTool[] = [foreign];
  const events: string[] = [];
  const stream = agentLoop(
    [{ role: "user", content: "echo something", timestamp: Date.now() }],
    { systemPrompt: "", messages: [], tools },
    { model, convertToLlm: (messages) => messages },
    undefined,
    streamFn,
  );
  for await (const event of stream) events.push(event.type);
  const messages = await stream.result();
  assert.deepEqual(
    messages.map(({ role }) => role),
    ["user", "assistant", "toolResult", "assistant"],
  );
  const result = messages[2];
  assert.ok(result?.role === "toolResult");
  assert.equal(textOf(result.content), "echoed: hello");
  assert.deepEqual(result.details, { value: "hello" });
  const last = messages[3];
  assert.equal(last?.role === "assistant" && last.stopReason, "stop");
  assert.ok(events.includes("tool_execution_update"));
});
