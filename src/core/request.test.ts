// Attempts: what is repeated, how it is told, and what the caller may change.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { runLoop, startLoop, textOfResult, tick, tool, user } from "../../test/kit/run-loop.ts";
import { callTurn, type ScriptedTurn, textTurn } from "../testing/scripted-model.ts";
import type { AgentMessage } from "./messages.ts";
import type { AgentLoopConfig } from "./config.ts";

const fails = (
  kind: "network" | "overloaded" | "auth" | "context_overflow",
  more = {},
): ScriptedTurn => ({
  error: { kind, message: `${kind} failure`, ...more },
});

/** Runs to the end, letting as much time pass as the run wants. */
async function waitedOut(turns: ScriptedTurn[], config: Partial<AgentLoopConfig> = {}) {
  const run = startLoop({ turns, config });
  let over = false;
  void run.ended.then(() => (over = true));
  for (let n = 0; n < 1000 && !over; n++) await run.manual.advance(10_000);
  assert.ok(over, "the run ended");
  return run;
}

describe("a transient failure", () => {
  test("is thrown away whole, told, waited for, and repeated byte for byte", async () => {
    const broken: ScriptedTurn = {
      text: "half an answ",
      error: { kind: "network", message: "reset" },
    };
    const run = startLoop({ turns: [broken, textTurn("whole")] });
    await tick();
    const retry = run.events.find((event) => event.type === "request_retry");
    assert.ok(retry?.type === "request_retry");
    assert.equal(retry.attempt, 1);
    assert.equal(retry.reason, "reset");
    assert.ok(retry.delayMs >= 250 && retry.delayMs <= 500);
    await run.manual.advance(retry.delayMs - 1);
    assert.equal(run.script.requests.length, 1);
    await run.manual.advance(1);
    await run.ended;
    assert.deepEqual(run.script.requests[1]?.context, run.script.requests[0]?.context);
    const kinds = run
      .lines()
      .filter((line) => line.includes("assistant") || line.includes("retry"));
    assert.deepEqual(kinds, [
      "message_start assistant",
      `request_retry 1 ${retry.delayMs}`,
      "message_start assistant",
      "message_end assistant stop",
    ]);
    assert.deepEqual(
      run.messages().map(({ role }) => role),
      ["user", "assistant"],
    );
    const failed = run.records.find((entry) => entry.type === "attempt_failed");
    assert.ok(failed?.type === "attempt_failed");
    assert.deepEqual([failed.turn, failed.attempt, failed.errorKind], [0, 1, "network"]);
  });

  test("that lasts ends the run as an error after fifteen repeats, with the last message kept", async () => {
    const run = await waitedOut(
      Array.from({ length: 30 }, () => fails("overloaded", { status: 529 })),
      {
        retry: { maxTotalMs: 100_000_000 },
      },
    );
    assert.equal(run.script.requests.length, 16);
    assert.equal(run.end().reason, "error");
    assert.deepEqual(run.end().cause, {
      message: "overloaded failure (gave up after 16 attempts)",
      errorKind: "overloaded",
    });
    const last = run.messages().at(-1);
    assert.ok(last?.role === "assistant");
    assert.equal(last.stopReason, "error");
    assert.deepEqual(run.lines().slice(-3), [
      "message_end assistant error",
      "turn_end 0",
      "agent_end error",
    ]);
  });

  test("waits as long as the server asks", async () => {
    const run = startLoop({
      turns: [fails("overloaded", { retryAfterMs: 90_000 }), textTurn("x")],
    });
    await tick();
    await run.manual.advance(89_999);
    assert.equal(run.script.requests.length, 1);
    await run.manual.advance(1);
    await run.ended;
    assert.equal(run.end().reason, "done");
  });

  test("whose server asks for hours ends the run and names it", async () => {
    const run = await runLoop({ turns: [fails("overloaded", { retryAfterMs: 10_800_000 })] });
    assert.equal(run.end().reason, "error");
    assert.match(run.end().cause?.message ?? "", /asks to wait 180 minutes/);
  });

  test("counts its usage towards the limits", async () => {
    const usage = { totalTokens: 40 };
    const run = await waitedOut(
      [{ ...fails("network"), usage }, { ...callTurn("nope", {}), usage }, textTurn("never")],
      { limits: { tokens: 80 } },
    );
    assert.equal(run.end().reason, "max_tokens");
  });

  test("lets steering join before the repeat", async () => {
    const steering: AgentMessage[][] = [[], [user("wait, rather this")]];
    const run = await waitedOut([fails("network"), textTurn("x")], {
      getSteeringMessages: () => steering.shift() ?? [],
    });
    assert.deepEqual(run.script.requests[1]?.context.messages, [
      user("go"),
      user("wait, rather this"),
    ]);
    assert.equal(run.messages().length, 3);
  });
});

describe("what is not repeated", () => {
  test("a failure that cannot succeed", async () => {
    const run = await runLoop({ turns: [fails("auth"), textTurn("never")] });
    assert.equal(run.script.requests.length, 1);
    assert.deepEqual(run.end().cause, { message: "auth failure", errorKind: "auth" });
  });

  test("anything, with retry off", async () => {
    const run = await runLoop({
      turns: [fails("network"), textTurn("never")],
      config: { retry: false },
    });
    assert.equal(run.end().reason, "error");
    assert.equal(run.script.requests.length, 1);
  });

  test("an error that names no kind and no status", async () => {
    const run = await runLoop({ turns: [{ error: { message: "?" } }, textTurn("never")] });
    assert.equal(run.script.requests.length, 1);
  });

  test("a refusal, which has an end reason of its own", async () => {
    const run = await runLoop({ turns: [{ error: { kind: "refused", message: "no" } }] });
    assert.equal(run.end().reason, "refused");
  });

  test("a stream function that breaks its contract and throws, whose words are kept", async () => {
    const run = await runLoop({ turns: [{ throws: new Error("adapter is broken") }] });
    assert.equal(run.end().reason, "error");
    assert.equal(run.end().cause?.message, "adapter is broken");
    assert.equal(run.events.filter((event) => event.type === "agent_end").length, 1);
  });
});

test("a stream without an end is repeated, and what it began is not kept", async () => {
  const run = await waitedOut([{ ...callTurn("act", { a: 1 }, "c1"), cutAfter: 3 }, textTurn("x")]);
  assert.equal(run.end().reason, "done");
  assert.equal(run.results().length, 0);
  const failed = run.records.find((entry) => entry.type === "attempt_failed");
  assert.equal(failed?.type === "attempt_failed" && failed.errorKind, "truncated");
});

test("a message that failed for good keeps its finished calls, each with a result that says so", async () => {
  const run = await runLoop({
    turns: [{ ...callTurn("act", {}, "c1"), error: { kind: "auth", message: "key revoked" } }],
    tools: [tool("act", () => "x")],
  });
  assert.equal(run.end().reason, "error");
  assert.equal(run.results().length, 1);
  assert.match(textOfResult(run.results()[0]), /^Not run: .*\(key revoked\)/);
});

describe("recover", () => {
  const summary = { systemPrompt: "s", messages: [user("summary")], tools: [] };

  test("is asked when retries do not help, and the turn is repeated with what it gives", async () => {
    const asked: unknown[] = [];
    const run = await runLoop({
      turns: [fails("context_overflow"), textTurn("x")],
      config: {
        recover: ({ errorKind, attempt, message, context }) => {
          asked.push([errorKind, attempt, message.errorMessage, context.messages.length]);
          return { context: summary };
        },
      },
    });
    assert.deepEqual(asked, [["context_overflow", 1, "context_overflow failure", 1]]);
    assert.deepEqual(run.script.requests[1]?.context.messages, [user("summary")]);
    assert.equal(run.end().reason, "done");
    assert.ok(
      run.records.some((entry) => entry.type === "context_replaced" && entry.by === "recover"),
    );
  });

  test("is asked once per turn and kind of error", async () => {
    let asked = 0;
    const run = await runLoop({
      turns: [fails("context_overflow"), fails("context_overflow"), textTurn("never")],
      config: { recover: () => (asked++, { context: summary }) },
    });
    assert.equal(asked, 1);
    assert.equal(run.end().reason, "error");
    assert.equal(run.end().cause?.errorKind, "context_overflow");
  });

  test("may be asked again in a later turn", async () => {
    let asked = 0;
    const run = await runLoop({
      turns: [
        fails("context_overflow"),
        callTurn("act", {}),
        fails("context_overflow"),
        textTurn("x"),
      ],
      tools: [tool("act", () => "x")],
      config: { recover: () => (asked++, { options: {} }) },
    });
    assert.equal(asked, 2);
    assert.equal(run.end().reason, "done");
  });

  test("gives a fallback model its own retries", async () => {
    const down = fails("overloaded");
    const run = await waitedOut([down, down, down, textTurn("x")], {
      retry: { attempts: 1 },
      recover: ({ context: _context }) => ({ options: { temperature: 1 } }),
    });
    assert.equal(run.end().reason, "done");
    assert.deepEqual(
      run.script.requests.map(({ options }) => options?.temperature),
      [undefined, undefined, 1, 1],
    );
  });

  test("that gives nothing leaves the failure as it is; one that throws ends the run with its cause", async () => {
    const nothing = await runLoop({ turns: [fails("auth")], config: { recover: () => undefined } });
    assert.equal(nothing.end().cause?.message, "auth failure");
    const throwing = await runLoop({
      turns: [fails("auth")],
      config: {
        recover: () => {
          throw new Error("no idea");
        },
      },
    });
    assert.equal(throwing.end().cause?.message, "recover failed: no idea");
  });
});

describe("the key", () => {
  test("is asked for by provider, for each attempt", async () => {
    const asked: string[] = [];
    const run = await waitedOut([fails("network"), textTurn("x")], {
      getApiKey: (provider) => (asked.push(provider), `key ${asked.length}`),
    });
    assert.deepEqual(
      run.script.requests.map(({ options }) => options?.apiKey),
      ["key 1", "key 2"],
    );
    assert.equal(asked[0], run.script.model.provider);
  });

  test("of the options stays when none is given", async () => {
    const run = await runLoop({
      turns: [textTurn("x")],
      config: { getApiKey: () => undefined, options: { apiKey: "fixed", custom: 1 } },
    });
    assert.equal(run.script.requests[0]?.options?.apiKey, "fixed");
    assert.equal(run.script.requests[0]?.options?.["custom"], 1);
  });

  test("that cannot be had ends the run with the reason", async () => {
    const run = await runLoop({
      turns: [textTurn("never")],
      config: { getApiKey: () => Promise.reject(new Error("keychain is locked")) },
    });
    assert.equal(run.end().reason, "error");
    assert.match(run.end().cause?.message ?? "", /keychain is locked/);
    assert.equal(run.script.requests.length, 0);
  });
});
