import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type AssistantMessage, emptyUsage, type ErrorKind } from "./messages.ts";
import { decideRetry, DEFAULT_RETRY, failureText, isTransient } from "./retry.ts";

function failed(fields: Partial<AssistantMessage>): AssistantMessage {
  return {
    role: "assistant",
    content: [],
    api: "a",
    provider: "prov",
    model: "m",
    usage: emptyUsage(),
    stopReason: "error",
    timestamp: 0,
    ...fields,
  };
}

const first = { attempt: 1, elapsedMs: 0, jitter: 1 };

describe("what is transient", () => {
  const kinds: [ErrorKind, boolean][] = [
    ["rate_limit", true],
    ["overloaded", true],
    ["server", true],
    ["truncated", true],
    ["idle_timeout", true],
    ["network", true],
    ["protocol", true],
    ["context_overflow", false],
    ["auth", false],
    ["quota", false],
    ["bad_request", false],
    ["not_found", false],
    ["refused", false],
    ["aborted", false],
  ];
  for (const [errorKind, expected] of kinds) {
    test(`${errorKind} is ${expected ? "" : "not "}repeated`, () => {
      assert.equal(isTransient(failed({ errorKind })), expected);
    });
  }
  test("without a kind only 408, 429 and 5xx are repeated", () => {
    for (const status of [408, 429, 500, 503, 529, 599]) {
      assert.equal(isTransient(failed({ status })), true, String(status));
    }
    for (const status of [200, 400, 401, 403, 404, 409, 422, 499, 600]) {
      assert.equal(isTransient(failed({ status })), false, String(status));
    }
    assert.equal(isTransient(failed({ errorMessage: "connection reset" })), false);
  });
  test("the kind counts more than the status", () => {
    assert.equal(isTransient(failed({ errorKind: "quota", status: 429 })), false);
  });
});

describe("the wait before a repeat", () => {
  const rate = failed({ errorKind: "rate_limit", errorMessage: "slow down" });
  const delay = (attempt: number, jitter = 1): number | undefined => {
    const decision = decideRetry(rate, undefined, { attempt, elapsedMs: 0, jitter });
    return decision.action === "repeat" ? decision.delayMs : undefined;
  };
  test("doubles from half a second to a minute", () => {
    const waits = Array.from({ length: 9 }, (_, at) => delay(at + 1));
    assert.deepEqual(waits, [500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  });
  test("is spread over its upper half by jitter", () => {
    assert.equal(delay(1, 0), 250);
    assert.equal(delay(1, 0.5), 375);
  });
  test("is what the server asks for, when it asks", () => {
    const asked = failed({ errorKind: "rate_limit", retryAfterMs: 90_000 });
    assert.deepEqual(decideRetry(asked, undefined, first), {
      action: "repeat",
      delayMs: 90_000,
      reason: "rate_limit",
    });
    const now = failed({ errorKind: "rate_limit", retryAfterMs: 0 });
    assert.equal((decideRetry(now, undefined, first) as { delayMs: number }).delayMs, 0);
  });
  test("of more than five minutes ends the run and names the server", () => {
    const asked = failed({ errorKind: "rate_limit", retryAfterMs: 10_800_000 });
    const decision = decideRetry(asked, undefined, first);
    assert.deepEqual(decision, {
      action: "end",
      why: "prov asks to wait 180 minutes, longer than the 5 minutes allowed",
    });
    const atTheLimit = failed({ errorKind: "rate_limit", retryAfterMs: 300_000 });
    assert.equal(decideRetry(atTheLimit, undefined, first).action, "repeat");
  });
});

describe("the end of retries", () => {
  const down = failed({ errorKind: "overloaded", status: 529 });
  test("comes after fifteen repeats", () => {
    const at = (attempt: number) => decideRetry(down, undefined, { ...first, attempt }).action;
    assert.equal(at(15), "repeat");
    assert.equal(at(16), "end");
    assert.equal(DEFAULT_RETRY.attempts, 15);
  });
  test("comes when the next wait would pass fifteen minutes in all", () => {
    const at = (elapsedMs: number) => decideRetry(down, undefined, { ...first, elapsedMs });
    assert.equal(at(899_500).action, "repeat");
    const late = at(899_501);
    assert.equal(late.action, "end");
    assert.match((late as { why: string }).why, /gave up after 15 minutes of retries/);
  });
  test("comes early for answers that are no protocol at all", () => {
    const garbled = failed({ errorKind: "protocol" });
    assert.equal(decideRetry(garbled, undefined, { ...first, attempt: 2 }).action, "repeat");
    assert.equal(decideRetry(garbled, undefined, { ...first, attempt: 3 }).action, "end");
  });
  test("is at once when retries are off or cannot help", () => {
    assert.deepEqual(decideRetry(down, false, first), { action: "end" });
    assert.deepEqual(decideRetry(failed({ errorKind: "auth" }), undefined, first), {
      action: "end",
    });
  });
  test("follows the caller's own figures, field by field", () => {
    const config = { attempts: 1, baseMs: 10 };
    assert.deepEqual(decideRetry(down, config, first), {
      action: "repeat",
      delayMs: 10,
      reason: "overloaded (529)",
    });
    assert.equal(decideRetry(down, config, { ...first, attempt: 2 }).action, "end");
  });
});

test("a failure is told by its message, else by its kind and status", () => {
  assert.equal(failureText(failed({ errorMessage: "no luck", status: 500 })), "no luck");
  assert.equal(failureText(failed({ status: 500 })), "error (500)");
  assert.equal(failureText(failed({ errorKind: "network" })), "network");
});
