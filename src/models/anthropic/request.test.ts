import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { anthropicModel } from "../../../test/kit/anthropic-model.ts";
import type { StreamOptions } from "../../core/events.ts";
import { emptyUsage, type Message, type Model } from "../../core/messages.ts";
import type { Tool } from "../../core/tool.ts";
import { checkAnthropicRequest } from "../../testing/anthropic-check.ts";
import { buildRequest } from "./request.ts";

const go: Message = { role: "user", content: "go", timestamp: 0 };

function tool(name: string): Tool {
  return { name, description: name, parameters: { type: "object", properties: {} } };
}

interface Asked {
  model?: Partial<Model>;
  messages?: Message[];
  tools?: Tool[];
  options?: StreamOptions;
}

/** The request's body, which the API takes. */
function build({ model, messages = [go], tools = [], options }: Asked): Record<string, unknown> {
  const text = buildRequest(anthropicModel("http://host", model), { messages, tools }, options);
  const body = JSON.parse(text) as Record<string, unknown>;
  const headers = {
    "x-api-key": "k",
    "anthropic-version": "2023-06-01",
    "content-type": "application/json",
  };
  const refusal = checkAnthropicRequest({ method: "POST", path: "/v1/messages", headers, body });
  assert.equal(refusal?.message, undefined);
  return body;
}

describe("a request of the Messages API", () => {
  test("tools go under legal names, and so do the calls to them", () => {
    const calls = ["my.tool", "my_tool", "made up"].map((name, n) => ({
      type: "toolCall" as const,
      id: `c${n}`,
      name,
      arguments: {},
    }));
    const { api, provider, id: model } = anthropicModel("http://host");
    const assistant: Message = {
      role: "assistant",
      content: calls,
      api,
      provider,
      model,
      usage: emptyUsage(),
      stopReason: "toolUse",
      timestamp: 0,
    };
    const messages = [go, assistant];
    const body = build({ messages, tools: [tool("my.tool"), tool("my_tool")] });
    const declared = (body.tools as { name: string }[]).map(({ name }) => name);
    assert.deepEqual(declared, ["my_tool_2", "my_tool"]);
    const [, sent] = body.messages as { content: { name: string }[] }[];
    assert.deepEqual(
      sent?.content.map(({ name }) => name),
      ["my_tool_2", "my_tool", "made_up"],
    );
    // The same messages with other tools are not sent under names that they had before.
    const [, again] = build({ messages, tools: [] }).messages as { content: { name: string }[] }[];
    assert.deepEqual(
      again?.content.map(({ name }) => name),
      ["my_tool", "my_tool", "made_up"],
    );
  });

  test("of two tools of one name the first is declared", () => {
    const body = build({ tools: [tool("read"), { ...tool("read"), description: "another" }] });
    const declared = body.tools as { description: string }[];
    assert.deepEqual(
      declared.map(({ description }) => description),
      ["read"],
    );
  });

  test("a model of the newer kind is asked for an effort, one of the older kind for a budget", () => {
    const options = { reasoning: "medium" as const, temperature: 0.5 };
    const newer = build({ model: { id: "claude-opus-5-5" }, options });
    assert.deepEqual(newer.thinking, { type: "adaptive", display: "summarized" });
    assert.deepEqual(newer.output_config, { effort: "medium" });
    assert.ok(!("temperature" in newer));
    const older = build({ model: { id: "claude-sonnet-4-5" }, options });
    assert.deepEqual(older.thinking, { type: "enabled", budget_tokens: 10_240 });
    assert.ok(!("output_config" in older) && !("temperature" in older));
  });

  test("a model that cannot think is not asked to", () => {
    const body = build({
      model: { reasoning: false },
      options: { reasoning: "high", temperature: 0.5 },
    });
    assert.ok(!("thinking" in body));
    assert.equal(body.temperature, 0.5);
  });

  test("an image over the API's bound is left out with a word, since the request would be refused for ever", () => {
    const data = "A".repeat(5 * 1024 * 1024 + 4);
    const content = [{ type: "image" as const, data, mimeType: "image/png" }];
    const body = build({ messages: [{ role: "user", content, timestamp: 0 }] });
    assert.match(JSON.stringify(body.messages), /too large to be sent/);
  });

  test("halves of surrogate pairs are sent nowhere", () => {
    const half = "a\ud83d";
    const { api, provider, id: model } = anthropicModel("http://host");
    const text = buildRequest(anthropicModel("http://host"), {
      systemPrompt: half,
      tools: [{ ...tool("read"), description: half, parameters: { type: "object", title: half } }],
      messages: [
        { role: "user", content: half, timestamp: 0 },
        {
          role: "assistant",
          content: [{ type: "toolCall", id: "c", name: half, arguments: { [half]: [half] } }],
          api,
          provider,
          model,
          usage: emptyUsage(),
          stopReason: "toolUse",
          timestamp: 0,
        },
      ],
    });
    assert.doesNotMatch(text, /\\ud8/i);
    assert.ok(text.isWellFormed());
  });

  test("what JSON cannot hold does not keep a request from being sent", () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const { api, provider, id: model } = anthropicModel("http://host");
    const content = [{ type: "toolCall" as const, id: "c", name: "read", arguments: circle }];
    const usage = emptyUsage();
    const from = { api, provider, model, usage, stopReason: "toolUse" as const, timestamp: 0 };
    const body = build({ messages: [go, { role: "assistant", content, ...from }] });
    assert.match(JSON.stringify(body.messages), /"input":\{\}/);
  });
});
