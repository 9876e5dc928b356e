import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "./config.ts";
import { Limits } from "./limits.ts";
import { emptyUsage, type Usage } from "./messages.ts";

function clockAt(times: { ms: number }): Clock {
  return { now: () => times.ms, monotonic: () => times.ms };
}

function usage(totalTokens: number, costUsd = 0): Usage {
  const none = emptyUsage();
  return { ...none, totalTokens, cost: { ...none.cost, total: costUsd } };
}

test("a run without limits never reaches one", () => {
  const limits = new Limits(undefined, clockAt({ ms: 0 }));
  for (let turn = 0; turn < 1000; turn++) limits.countTurn();
  assert.equal(limits.reached(), undefined);
  assert.equal(limits.timeLeftMs(), undefined);
});

test("turns, tokens and money are reached at the limit, not before, and each says its figures", () => {
  const limits = new Limits({ turns: 2, tokens: 100, costUsd: 1 }, clockAt({ ms: 0 }));
  limits.countTurn();
  limits.countUsage(usage(99, 0.99));
  assert.equal(limits.reached(), undefined);
  limits.countUsage(usage(1));
  assert.deepEqual(limits.reached(), {
    reason: "max_tokens",
    message: "The limit of 100 tokens is reached (100 used).",
  });
  limits.countTurn();
  assert.equal(limits.reached()?.reason, "max_turns");
  assert.match(limits.reached()?.message ?? "", /2 turns/);
  const money = new Limits({ costUsd: 1 }, clockAt({ ms: 0 }));
  money.countUsage(usage(5, 1));
  assert.equal(money.reached()?.reason, "max_cost");
  assert.match(money.reached()?.message ?? "", /\$1 is reached \(\$1\.0000 used\)/);
});

test("wall time counts from the start, by the monotonic clock", () => {
  const times = { ms: 1000 };
  const limits = new Limits({ timeMs: 500 }, clockAt(times));
  assert.equal(limits.timeLeftMs(), 500);
  times.ms = 1499;
  assert.equal(limits.reached(), undefined);
  assert.equal(limits.timeLeftMs(), 1);
  times.ms = 1600;
  assert.deepEqual(limits.reached(), {
    reason: "max_time",
    message: "The limit of 0.5 s is reached.",
  });
  assert.equal(limits.timeLeftMs(), 0);
});

test("what earlier runs used counts on", () => {
  const used = { turns: 3, timeMs: 50, tokens: 7, costUsd: 0.5 };
  const limits = new Limits({ turns: 4, used }, clockAt({ ms: 0 }));
  limits.countTurn();
  assert.equal(limits.reached()?.reason, "max_turns");
  limits.countUsage(usage(3, 0.25));
  assert.deepEqual(limits.used(), { turns: 4, timeMs: 50, tokens: 10, costUsd: 0.75 });
});

test("a tool's usage adds its cost and leaves the conversation's tokens alone", () => {
  const limits = new Limits({}, clockAt({ ms: 0 }));
  limits.countToolUsage(usage(1000, 0.25));
  limits.countToolUsage(undefined);
  assert.deepEqual(limits.used(), { turns: 0, timeMs: 0, tokens: 0, costUsd: 0.25 });
});

test("nonsense in a provider's usage counts as nothing", () => {
  const limits = new Limits({ tokens: 10, costUsd: 1 }, clockAt({ ms: 0 }));
  limits.countUsage(usage(Number.NaN, Number.POSITIVE_INFINITY));
  limits.countUsage(usage(-5, -1));
  limits.countUsage({} as Usage);
  limits.countUsage(undefined);
  assert.deepEqual(limits.used(), { turns: 0, timeMs: 0, tokens: 0, costUsd: 0 });
});

test("without a total the parts are summed", () => {
  const limits = new Limits({}, clockAt({ ms: 0 }));
  limits.countUsage({ ...emptyUsage(), input: 3, output: 4 });
  assert.equal(limits.used().tokens, 7);
});
