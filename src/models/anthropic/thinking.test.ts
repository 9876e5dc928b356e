import assert from "node:assert/strict";
import { test } from "node:test";
import { thinkingConfig, type ThinkingWish } from "./thinking.ts";

const wish: ThinkingWish = { reasoning: "high", maxTokens: 64_000, mayThink: true };

test("a model that thinks by a budget gets one by level", () => {
  const budgets = (["minimal", "low", "medium", "high", "xhigh"] as const).map((reasoning) => {
    const { thinking } = thinkingConfig("claude-sonnet-4-5-20250929", {
      ...wish,
      maxTokens: 100_000,
      reasoning,
    });
    return thinking?.type === "enabled" ? thinking.budget_tokens : undefined;
  });
  assert.deepEqual(budgets, [1024, 4096, 10_240, 20_480, 32_768]);
});

test("a budget stays below the maximum, and where there is no room there is none", () => {
  const small = thinkingConfig("claude-3-7-sonnet-20250219", { ...wish, maxTokens: 4000 });
  assert.deepEqual(small.thinking, { type: "enabled", budget_tokens: 2000 });
  assert.deepEqual(thinkingConfig("claude-opus-4-1", { ...wish, maxTokens: 1024 }), {
    takesTemperature: true,
  });
});

test("a budget is not asked for where the API would refuse it", () => {
  assert.equal(thinkingConfig("claude-opus-4-1", { ...wish, mayThink: false }).thinking, undefined);
});

test("models from 4.6 on think by an effort, and are not bothered with a budget", () => {
  for (const [id, effort, display] of [
    ["claude-opus-4-6", "high", undefined],
    ["claude-sonnet-4-6", "high", undefined],
    ["claude-opus-4-7", "high", "summarized"],
    ["claude-sonnet-5", "high", "summarized"],
    ["claude-opus-5-20260724", "high", "summarized"],
    ["anthropic.claude-opus-4-6-v1", "high", undefined],
  ] as const) {
    const config = thinkingConfig(id, { ...wish, mayThink: false });
    const thinking = { type: "adaptive", ...(display ? { display } : {}) };
    assert.deepEqual(config, { thinking, output_config: { effort }, takesTemperature: false }, id);
  }
});

test("the levels at the ends become efforts that the model knows", () => {
  const effort = (id: string, reasoning: "minimal" | "xhigh"): string | undefined =>
    thinkingConfig(id, { ...wish, reasoning }).output_config?.effort;
  assert.equal(effort("claude-sonnet-5", "minimal"), "low");
  assert.equal(effort("claude-sonnet-5", "xhigh"), "xhigh");
  assert.equal(effort("claude-opus-4-6", "xhigh"), "high");
});

test("a temperature goes to models that take one, and never beside thinking", () => {
  const takes = (id: string, reasoning?: "low"): boolean =>
    thinkingConfig(id, { ...wish, reasoning }).takesTemperature;
  assert.deepEqual(
    ["claude-sonnet-4-5", "claude-haiku-4-5", "claude-opus-4-6", "glm-4.6", "my-model"].map((id) =>
      takes(id),
    ),
    [true, true, true, true, true],
  );
  assert.deepEqual(
    ["claude-opus-4-7", "claude-sonnet-5", "claude-opus-5-5"].map((id) => takes(id)),
    [false, false, false],
  );
  assert.equal(takes("claude-sonnet-4-5", "low"), false);
});

test("another vendor's model behind the same API gets a budget", () => {
  assert.equal(thinkingConfig("glm-5.3", wish).thinking?.type, "enabled");
});
