import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { StreamContext, StreamOptions } from "../../src/core/events.ts";
import { emptyUsage, type Message, type Model } from "../../src/core/messages.ts";
import type { Tool } from "../../src/core/tool.ts";
import { buildRequest } from "../../src/models/anthropic/request.ts";
import { checkAnthropicRequest } from "../../src/testing/anthropic-check.ts";
import { anthropicModel } from "../kit/anthropic-model.ts";
import { randomHistory, wholeHistory } from "../kit/random-history.ts";

const MODEL = anthropicModel("http://127.0.0.1");
const TOOLS: Tool[] = [
  { name: "read", description: "Reads.", parameters: { type: "object", properties: {} } },
  { name: "write", description: "Writes.", parameters: { anyOf: [{ type: "object" }] } },
];

interface Body {
  max_tokens: number;
  temperature?: number;
  thinking?: { budget_tokens: number };
  system?: { text: string; cache_control?: unknown }[];
  tools?: { name: string; input_schema: Record<string, unknown>; cache_control?: unknown }[];
  messages: { role: string; content: Record<string, unknown>[] }[];
}

function build(
  context: Partial<StreamContext>,
  { options = {}, model = MODEL }: { options?: StreamOptions; model?: Model } = {},
): Body {
  const text = buildRequest(model, { messages: [], ...context }, options);
  return JSON.parse(text) as Body;
}

function refusalOf(text: string): string | undefined {
  return checkAnthropicRequest({
    method: "POST",
    path: "/v1/messages",
    headers: {
      "x-api-key": "k",
      "anthropic-version": "2023-06-01",
      "content-type": "application/json",
    },
    body: JSON.parse(text),
  })?.message;
}

const user = (content: string): Message => ({ role: "user", content, timestamp: 1 });

function assistant(
  content: Extract<Message, { role: "assistant" }>["content"],
  model = MODEL.id,
): Message {
  return {
    role: "assistant",
    content,
    api: MODEL.api,
    provider: MODEL.provider,
    model,
    usage: emptyUsage(),
    stopReason: "toolUse",
    timestamp: 1,
  };
}

const call = (id: string, args: Record<string, unknown> = {}) =>
  ({ type: "toolCall", id, name: "read", arguments: args }) as const;

type ResultContent = Extract<Message, { role: "toolResult" }>["content"];

function result(toolCallId: string, content: ResultContent, isError = false): Message {
  return { role: "toolResult", toolCallId, toolName: "read", content, isError, timestamp: 1 };
}

const text = (value: string) => ({ type: "text", text: value }) as const;
const image = { type: "image", data: "aGVsbG8=", mimeType: "image/png" } as const;
/** Without the marks, which move. */
const unmarked = (body: Body): Body["messages"] =>
  JSON.parse(
    JSON.stringify(body.messages, (key, value: unknown) =>
      key === "cache_control" ? undefined : value,
    ),
  ) as Body["messages"];

describe("the request of the Anthropic wire", () => {
  test("the API takes the request of any history", () => {
    const options = fc.record(
      {
        reasoning: fc.constantFrom("minimal" as const, "high" as const),
        maxTokens: fc.constantFrom(1, 1024, 1025, 1500, 64_000),
        temperature: fc.constantFrom(0, 0.5, 1),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        randomHistory,
        options,
        fc.constantFrom("", " ", "Be brief."),
        (messages, streamOptions, systemPrompt) => {
          const body = buildRequest(MODEL, { messages, systemPrompt, tools: TOOLS }, streamOptions);
          assert.equal(refusalOf(body), undefined);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test("a request begins with the request before it, byte for byte, apart from cache marks", () => {
    const bytes = (messages: Message[]): string =>
      buildRequest(MODEL, { messages, systemPrompt: "S", tools: TOOLS })
        .replaceAll(',"cache_control":{"type":"ephemeral"}', "")
        .slice(0, -"]}".length);
    fc.assert(
      fc.property(wholeHistory, wholeHistory, (before, after) => {
        const more: Message[] = [...before, assistant([text("next")]), ...after];
        assert.ok(bytes(more).startsWith(bytes(before)));
      }),
      { numRuns: 300 },
    );
  });

  test("results of a batch are one message, with what the user said behind them", () => {
    const { messages } = build({
      messages: [
        user("go"),
        assistant([call("a"), call("b")]),
        result("a", [text("1")]),
        result("b", [], true),
        user("also this"),
        user("and that"),
      ],
    });
    assert.deepEqual(
      messages.map(({ role }) => role),
      ["user", "assistant", "user"],
    );
    const [first, second, third, fourth] = messages[2]?.content ?? [];
    assert.deepEqual(first, { type: "tool_result", tool_use_id: "a", content: [text("1")] });
    assert.deepEqual(second, {
      type: "tool_result",
      tool_use_id: "b",
      content: [text("(no output)")],
      is_error: true,
    });
    assert.deepEqual(third, text("also this"));
    assert.equal(fourth?.text, "and that");
  });

  test("images lie in their result, except where it is an error", () => {
    const messages = [
      user("go"),
      assistant([call("a"), call("b")]),
      result("a", [text("x"), image]),
      result("b", [image], true),
    ];
    const sent = unmarked(build({ messages }))[2]?.content ?? [];
    const source = { type: "base64", media_type: "image/png", data: "aGVsbG8=" };
    assert.deepEqual(sent, [
      { type: "tool_result", tool_use_id: "a", content: [text("x"), { type: "image", source }] },
      { type: "tool_result", tool_use_id: "b", content: [text("(no output)")], is_error: true },
      { type: "image", source },
    ]);
  });

  test("a model without eyes is told that there was an image", () => {
    const model = anthropicModel("http://127.0.0.1", { input: ["text"] });
    const messages: Message[] = [{ role: "user", content: [image], timestamp: 1 }];
    // The same message to both: what is kept for one model is not sent to the other.
    assert.equal(build({ messages }).messages[0]?.content[0]?.type, "image");
    assert.match(
      String(build({ messages }, { model }).messages[0]?.content[0]?.text),
      /cannot see/,
    );
  });

  test("ids are legal and unique over the request, and results follow their calls by position", () => {
    const messages = [
      user("go"),
      assistant([call("x|1"), call("x|1")]),
      result("x|1", [text("first")]),
      result("x|1", [text("second")]),
      assistant([call("x_1")]),
      result("x_1", [text("third")]),
    ];
    const sent = unmarked(build({ messages }));
    const ids = sent.flatMap(({ content }) =>
      content.flatMap(({ type, id }) => (type === "tool_use" ? [id] : [])),
    );
    assert.deepEqual(ids, ["x_1", "x_1_2", "x_1_3"]);
    const results = sent.flatMap(({ content }) =>
      content.filter(({ type }) => type === "tool_result"),
    );
    assert.deepEqual(
      results.map(({ tool_use_id, content }) => [
        tool_use_id,
        (content as { text: string }[])[0]?.text,
      ]),
      [
        ["x_1", "first"],
        ["x_1_2", "second"],
        ["x_1_3", "third"],
      ],
    );
  });

  test("thinking goes back byte for byte to the model that made it, and to no other", () => {
    const thinking = {
      type: "thinking",
      thinking: " Hm\u2028…\n",
      thinkingSignature: "EqQB+/=",
    } as const;
    const hidden = {
      type: "thinking",
      thinking: "",
      thinkingSignature: "ZGF0YQ==",
      redacted: true,
    } as const;
    const unsigned = { type: "thinking", thinking: "unsigned" } as const;
    const messages = [user("go"), assistant([thinking, hidden, unsigned, text("so")]), user("on")];
    assert.deepEqual(build({ messages }).messages[1]?.content, [
      { type: "thinking", thinking: " Hm\u2028…\n", signature: "EqQB+/=" },
      { type: "redacted_thinking", data: "ZGF0YQ==" },
      text("so"),
    ]);
    const other = anthropicModel("http://127.0.0.1", { id: "claude-other" });
    assert.deepEqual(build({ messages }, { model: other }).messages[1]?.content, [text("so")]);
  });

  test("at most four cache marks: system, last tool, and the last two user messages", () => {
    const messages = [
      user("1"),
      assistant([text("a")]),
      user("2"),
      assistant([text("b")]),
      user("3"),
    ];
    const body = build({ messages, systemPrompt: "S", tools: TOOLS });
    const mark = { type: "ephemeral" };
    assert.deepEqual(body.system?.[0]?.cache_control, mark);
    assert.deepEqual(
      body.tools?.map((tool) => tool.cache_control),
      [undefined, mark],
    );
    assert.deepEqual(
      body.messages.map(({ content }) => content.at(-1)?.cache_control),
      [undefined, undefined, mark, undefined, mark],
    );
  });

  test("the thinking budget follows the level, stays below the maximum, and takes the temperature out", () => {
    const budget = (
      reasoning: StreamOptions["reasoning"],
      maxTokens = 64_000,
    ): number | undefined =>
      build({ messages: [user("x")] }, { options: { reasoning: reasoning ?? "low", maxTokens } })
        .thinking?.budget_tokens;
    assert.deepEqual(
      (["minimal", "low", "medium", "high", "xhigh"] as const).map((level) =>
        budget(level, 100_000),
      ),
      [1024, 4096, 10_240, 20_480, 32_768],
    );
    assert.equal(budget("high", 3000), 1500);
    assert.equal(budget("high", 1500), 1024);
    assert.equal(budget("minimal", 1024), undefined);
    const options = { reasoning: "low", temperature: 0.5 } as const;
    assert.equal(build({ messages: [user("x")] }, { options }).temperature, undefined);
    assert.equal(
      build({ messages: [user("x")] }, { options: { temperature: 0.5 } }).temperature,
      0.5,
    );
  });

  test("max_tokens is the option's, else the model's", () => {
    assert.equal(build({ messages: [user("x")] }).max_tokens, 32_000);
    assert.equal(build({ messages: [user("x")] }, { options: { maxTokens: 77 } }).max_tokens, 77);
  });

  test("a tool's schema is an object at its root, whatever it was declared as", () => {
    const schemas: Tool["parameters"][] = [
      {},
      { type: ["object", "null"], properties: { a: { type: "string" } } },
      {
        anyOf: [
          { type: "object", properties: { a: {}, b: {} }, required: ["a", "b"] },
          { type: "object", properties: { b: {} }, required: ["b"] },
        ],
      },
      { allOf: [{ properties: { a: {} }, required: ["a"] }, { properties: { b: {} } }] },
      { $ref: "#/$defs/x", $defs: { x: { type: "object", properties: { a: {} } } } },
      { $ref: "#/$defs/x", $defs: { x: { $ref: "#/$defs/x" } } },
    ];
    const tools = schemas.map((parameters, at): Tool => ({
      name: `t${at}`,
      description: "x",
      parameters,
    }));
    const context = { messages: [user("x")], tools };
    assert.equal(refusalOf(buildRequest(MODEL, context)), undefined);
    const sent = build(context).tools?.map(({ input_schema }) => input_schema);
    assert.deepEqual(sent?.[2], { type: "object", properties: { a: {}, b: {} }, required: ["b"] });
    assert.deepEqual(sent?.[3], { type: "object", properties: { a: {}, b: {} }, required: ["a"] });
    assert.deepEqual(sent?.[4]?.properties, { a: {} });
  });

  test("a schema that cannot be shown does not cost the other tools", () => {
    const circle: Record<string, unknown> = { type: "object" };
    circle.self = circle;
    const tools: Tool[] = [{ name: "odd", description: "x", parameters: circle }, ...TOOLS];
    const body = build({ messages: [user("x")], tools });
    assert.deepEqual(
      body.tools?.map(({ name }) => name),
      ["odd", "read", "write"],
    );
  });
});
