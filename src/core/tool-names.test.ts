import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ToolCall } from "./messages.ts";
import { CallNames, describeUnknownTool, resolveToolName } from "./tool-names.ts";

describe("resolving a tool's name", () => {
  const known = ["read", "bash", "Edit", "edit"];
  const cases: [string, string | undefined][] = [
    ["read", "read"],
    ["Read", "read"],
    ["BASH", "bash"],
    [" read ", "read"],
    ["functions.read", "read"],
    ["functions:Read", "read"],
    ["default_api:bash", "bash"],
    ["default_api.bash", "bash"],
    ["tools/read", "read"],
    ["edit", "edit"],
    ["Edit", "Edit"],
    ["EDIT", undefined],
    ["functions", undefined],
    ["functions.", undefined],
    ["functionsread", undefined],
    ["other.read", undefined],
    ["__proto__", undefined],
    ["constructor", undefined],
    ["", undefined],
  ];
  for (const [sent, real] of cases) {
    test(`${JSON.stringify(sent)} is ${real ?? "no tool"}`, () => {
      assert.equal(resolveToolName(sent, known), real);
    });
  }
});

describe("an unknown tool", () => {
  test("is told with the nearest real names", () => {
    assert.match(describeUnknownTool("raed", ["read", "bash"]), /^Tool raed not found\b.*\bread\b/);
  });
  test("is told with all tools when none is near", () => {
    const text = describeUnknownTool("qqqqqqq", ["read", "bash"]);
    assert.equal(text, "Tool qqqqqqq not found. Available tools: read, bash.");
  });
  test("is told when there are no tools at all", () => {
    assert.equal(describeUnknownTool("x", []), "Tool x not found. No tools are active.");
  });
  test("does not flood the context with a name or a list without end", () => {
    const many = Array.from({ length: 500 }, (_, at) => `tool_number_${at}`);
    const text = describeUnknownTool("z".repeat(100_000), many);
    assert.ok(text.length < 1000, `${text.length} characters`);
    assert.match(text, /…/);
  });
});

describe("ids and names of one message's calls", () => {
  const call = (id: string, name = "read"): ToolCall => ({
    type: "toolCall",
    id,
    name,
    arguments: {},
  });
  test("the first of two equal ids keeps it, the later ones get the first free suffix", () => {
    const names = new CallNames(["read"]);
    assert.equal(names.settle(0, call("c")).id, "c");
    assert.equal(names.settle(1, call("c_2")).id, "c_2");
    assert.equal(names.settle(2, call("c")).id, "c_3");
  });
  test("an empty id becomes the place in the message", () => {
    assert.equal(new CallNames([]).settle(4, call("")).id, "call_4");
    assert.equal(new CallNames([]).settle(1, call(undefined as unknown as string)).id, "call_1");
  });
  test("a place that was settled keeps its answer", () => {
    const names = new CallNames(["read"]);
    assert.deepEqual(names.settle(0, call("c", "Read")), { id: "c", name: "read" });
    assert.deepEqual(names.settle(0, call("c", "Read")), { id: "c", name: "read" });
  });
  test("a name that is no tool stays as it was sent", () => {
    assert.equal(new CallNames(["read"]).settle(0, call("c", "nope")).name, "nope");
  });
});
