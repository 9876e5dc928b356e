import { describe, test } from "node:test";
import assert from "node:assert/strict";
import { defaultModel, findModel, listModels } from "./catalog.ts";

const KEY = { ANTHROPIC_API_KEY: "sk-ant-test" };

function found(spec: string, env: Record<string, string> = KEY, baseUrl?: string) {
  const result = findModel(spec, env, baseUrl === undefined ? {} : { baseUrl });
  assert.ok(result.ok, result.ok ? "" : result.message);
  return result;
}

function refused(spec: string, env: Record<string, string> = KEY): string {
  const result = findModel(spec, env);
  assert.ok(!result.ok);
  return result.message;
}

describe("which model a spec names", () => {
  test("a listed model has its prices, its limits and its key", () => {
    const { model, apiKey, thinking } = found("anthropic/claude-sonnet-4-5");
    assert.equal(apiKey, "sk-ant-test");
    assert.equal(thinking, undefined);
    assert.equal(model.api, "anthropic-messages");
    assert.equal(model.baseUrl, "https://api.anthropic.com");
    assert.deepEqual([model.cost.input, model.cost.output], [3, 15]);
    assert.equal(model.maxTokens, 64_000);
  });

  test("a model's own window, maximum and cache price are taken where it has them", () => {
    const { model } = found("anthropic/claude-opus-5-5");
    assert.deepEqual(model.cost, { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 });
    assert.deepEqual([model.contextWindow, model.maxTokens], [1_000_000, 128_000]);
    const older = found("anthropic/claude-3-5-haiku-20241022").model;
    assert.deepEqual(
      [older.contextWindow, older.maxTokens, older.reasoning],
      [200_000, 8192, false],
    );
  });

  test("a dated id is the listed model of that day, and goes out as it was written", () => {
    const { model } = found("anthropic/claude-sonnet-4-20250514");
    assert.equal(model.id, "claude-sonnet-4-20250514");
    assert.equal(model.name, "Claude Sonnet 4");
  });

  test("only a known thinking level behind a colon is a suffix", () => {
    const high = found("anthropic/claude-sonnet-4-5:high");
    assert.deepEqual([high.model.id, high.thinking], ["claude-sonnet-4-5", "high"]);
    const custom = found("anthropic/my-model:v2");
    assert.deepEqual([custom.model.id, custom.thinking], ["my-model:v2", undefined]);
    assert.equal(found("anthropic/my-model:v2:off").thinking, "off");
  });

  test("an id that is not listed is accepted", () => {
    const { model } = found("anthropic/claude-next");
    assert.ok(model.maxTokens > 0 && model.contextWindow > 0);
  });

  test("offline needs no key", () => {
    assert.equal(found("offline", {}).model.api, "offline");
  });

  test("the address comes from the option, then the environment", () => {
    const env = { ...KEY, ANTHROPIC_BASE_URL: "http://127.0.0.1:1" };
    assert.equal(found("anthropic/x", env).model.baseUrl, "http://127.0.0.1:1");
    assert.equal(
      found("anthropic/x", env, "http://127.0.0.1:2").model.baseUrl,
      "http://127.0.0.1:2",
    );
    assert.match(refused("anthropic/x", { ...KEY, ANTHROPIC_BASE_URL: "localhost" }), /BASE_URL/);
  });

  test("an auth token is marked as a bearer token, and a key comes before it", () => {
    assert.equal(found("anthropic/x", { ANTHROPIC_AUTH_TOKEN: "t" }).apiKey, "Bearer t");
    assert.equal(found("anthropic/x", { ...KEY, ANTHROPIC_AUTH_TOKEN: "t" }).apiKey, "sk-ant-test");
  });

  test("a missing key is one line that names the variable", () => {
    const message = refused("anthropic/claude-sonnet-4-5", { ANTHROPIC_API_KEY: "  " });
    assert.match(message, /set ANTHROPIC_API_KEY/);
    assert.doesNotMatch(message, /\n/);
  });

  test("an unknown provider is answered with the known ones and the nearest", () => {
    const message = refused("antropic/claude-sonnet-4-5");
    assert.match(message, /anthropic, offline/);
    assert.match(message, /mean anthropic\?/);
  });

  test("a bare model name is answered with its whole spec", () => {
    assert.match(refused("claude-sonnet-4-5"), /anthropic\/claude-sonnet-4-5/);
    assert.match(refused("anthropic/"), /names no model/);
    assert.match(refused(""), /Known providers/);
  });
});

describe("which model is taken without a spec", () => {
  test("the first provider that has a key, else the offline model", () => {
    const withKey = defaultModel(KEY);
    assert.ok(withKey.ok && withKey.model.provider === "anthropic");
    const without = defaultModel({});
    assert.ok(without.ok && without.model.provider === "offline");
  });

  test("every listed spec can be found, and says whether its key is there", () => {
    for (const { spec, hasKey } of listModels(KEY)) {
      assert.ok(hasKey);
      assert.ok(findModel(spec, KEY).ok, spec);
    }
    assert.deepEqual(
      listModels({})
        .filter(({ hasKey }) => hasKey)
        .map(({ spec }) => spec),
      ["offline"],
    );
  });
});
