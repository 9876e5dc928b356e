import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Type } from "typebox";
import type { AgentTool, ToolResult } from "../core/tool.ts";
import { createRedactor } from "../lib/text/redact.ts";
import { createToolRedaction } from "./redact-tool.ts";

const KEY = "sk-test-000";
const MARK = "[redacted:API_KEY]";
const redactor = createRedactor([{ name: "API_KEY", value: KEY }]);
const redact = createToolRedaction(() => redactor);

function toolOf(execute: AgentTool["execute"]): AgentTool {
  return { name: "tell", description: "Tells.", parameters: Type.Object({}), execute };
}

async function resultOf(returned: unknown): Promise<unknown> {
  return redact(toolOf(async () => returned as ToolResult)).execute("c1", {});
}

describe("a result", () => {
  test("has no secret in its texts and details; the rest stays", async () => {
    const image = { type: "image", data: "c2stdGVzdC0wMDA=", mimeType: "image/png" };
    assert.deepEqual(
      await resultOf({
        content: [{ type: "text", text: `a ${KEY}` }, image],
        details: { lines: [KEY, 1, null], [KEY]: { deep: `<${KEY}>` } },
        isError: true,
        terminate: true,
      }),
      {
        content: [{ type: "text", text: `a ${MARK}` }, image],
        details: { lines: [MARK, 1, null], [MARK]: { deep: `<${MARK}>` } },
        isError: true,
        terminate: true,
      },
    );
  });

  const odd: Record<string, [unknown, unknown]> = {
    "that is a text": [{ content: KEY }, { content: MARK }],
    "of texts": [{ content: [KEY, null] }, { content: [MARK, null] }],
    "of blocks of no known kind": [{ content: [{ said: KEY }] }, { content: [{ said: MARK }] }],
    "that is an object": [{ content: { said: KEY } }, { content: { said: MARK } }],
    "that is nothing": [undefined, undefined],
  };
  for (const [title, [returned, clean]] of Object.entries(odd)) {
    test(`${title} has none either`, async () => assert.deepEqual(await resultOf(returned), clean));
  }

  test("whose details hold no secret keeps them as they are", async () => {
    const details = { when: new Date(0) };
    const result = (await resultOf({ content: [], details })) as ToolResult;
    assert.equal(result.details, details);
  });

  test("whose details are a riddle ends", async () => {
    let deep: unknown = KEY;
    for (let n = 0; n < 1000; n++) deep = [deep];
    const result = (await resultOf({ content: [], details: deep })) as ToolResult;
    assert.doesNotMatch(JSON.stringify(result.details), /sk-test/);
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    assert.ok(await resultOf({ content: [], details: circle }));
  });
});

test("what is told meanwhile and what is thrown hold no secret", async () => {
  const told: unknown[] = [];
  const tool = redact(
    toolOf(async (_id, _args, _signal, onUpdate) => {
      onUpdate?.({ content: [{ type: "text", text: KEY }] });
      throw new Error(`401 for ${KEY}`);
    }),
  );
  const failing = tool.execute("c1", {}, undefined, (partial) => told.push(partial));
  await assert.rejects(failing, { message: `401 for ${MARK}` });
  assert.deepEqual(told, [{ content: [{ type: "text", text: MARK }] }]);
});

test("an error without a secret is thrown as it is", async () => {
  const error = new TypeError("no");
  await assert.rejects(redact(toolOf(() => Promise.reject(error))).execute("c1", {}), error);
});

test("what is found of a call after a crash holds no secret", async () => {
  const tool = { ...toolOf(async () => ({ content: [] })) };
  assert.equal(redact(tool).probe, undefined);
  const found = { content: [{ type: "text" as const, text: KEY }] };
  const probing = redact({ ...tool, probe: async () => found });
  assert.deepEqual(await probing.probe?.("c1", {}, undefined), {
    content: [{ type: "text", text: MARK }],
  });
  const lost = redact({ ...tool, probe: async () => "not_done" as const });
  assert.equal(await lost.probe?.("c1", {}, undefined), "not_done");
});

test("the tool keeps its own fields and its own this", async () => {
  class Counter {
    readonly name = "count";
    description = "Counts.";
    readonly parameters = Type.Object({});
    #count = 0;
    claims(): [] {
      this.#count++;
      return [];
    }
    async execute(): Promise<ToolResult> {
      return { content: [{ type: "text", text: `${this.#count}` }] };
    }
  }
  const counter = new Counter();
  const tool = redact(Object.freeze(counter));
  void tool.claims?.({});
  assert.deepEqual(await tool.execute("c1", {}), { content: [{ type: "text", text: "1" }] });
  assert.deepEqual([tool.name, tool.description, "pure" in tool], ["count", "Counts.", false]);
  assert.equal(tool.parameters, counter.parameters);
});

test("a tool has one wrap, which is its own", () => {
  const tool = toolOf(async () => ({ content: [] }));
  assert.equal(redact(tool), redact(tool));
  assert.equal(redact(redact(tool)), redact(tool));
});
