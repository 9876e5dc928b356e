// The journal's door: what is recorded when, and that nothing acts unrecorded.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { runLoop, startLoop, textOfResult, tick, tool, user } from "../../test/kit/run-loop.ts";
import { callsTurn, callTurn, textTurn } from "../testing/scripted-model.ts";
import type { RecordEntry } from "./config.ts";

/** Entries of one kind are refused; gives what was recorded before. */
function refusing(type: RecordEntry["type"], times = Number.POSITIVE_INFINITY) {
  const seen: string[] = [];
  let left = times;
  return {
    seen,
    record: (entries: readonly RecordEntry[]): Promise<void> => {
      if (entries.some((entry) => entry.type === type) && left-- > 0) {
        return Promise.reject(new Error("no space left"));
      }
      seen.push(...entries.map((entry) => entry.type));
      return Promise.resolve();
    },
  };
}

test("a run's entries come in the order in which they became true", async () => {
  const evidence = async () => ({ before: "hash" });
  const claims = () => [{ on: "path" as const, path: "/a", access: "write" as const }];
  const run = await runLoop({
    turns: [
      callsTurn([
        { id: "w", name: "write", args: { n: 1 } },
        { id: "r", name: "read" },
      ]),
      textTurn("x"),
    ],
    tools: [
      tool("write", () => "wrote", { claims, evidence }),
      tool("read", () => "seen", { pure: true }),
    ],
  });
  const messages = run.messages();
  const [write, read] = run.results();
  assert.deepEqual(run.records, [
    { type: "message", message: user("go"), turn: 0 },
    { type: "message", message: messages[1], turn: 0 },
    {
      type: "intent",
      call: { turn: 0, index: 0, toolCallId: "w" },
      toolName: "write",
      args: { n: 1 },
      claims: claims(),
      evidence: { before: "hash" },
    },
    {
      type: "result",
      call: { turn: 0, index: 0, toolCallId: "w" },
      message: write,
      executed: true,
    },
    { type: "result", call: { turn: 0, index: 1, toolCallId: "r" }, message: read, executed: true },
    { type: "message", message: messages[4], turn: 1 },
    { type: "end", reason: "done", used: { turns: 2, timeMs: 0, tokens: 0, costUsd: 0 } },
  ]);
});

test("turns are counted over the session", async () => {
  const before = (await runLoop({ turns: [textTurn("one")] })).messages();
  const run = await runLoop({ turns: [textTurn("two")], history: before });
  assert.deepEqual(
    run.records.map((entry) => entry.type === "message" && entry.turn),
    [1, 1, false],
  );
});

test("a call that did not run is recorded as not executed", async () => {
  const run = await runLoop({ turns: [callTurn("nope", {}, "c1"), textTurn("x")] });
  const result = run.records.find((entry) => entry.type === "result");
  assert.deepEqual(result?.type === "result" && result.executed, false);
});

test("evidence that fails is left out, and the call runs", async () => {
  const run = await runLoop({
    turns: [callTurn("act", {}, "c1"), textTurn("x")],
    tools: [tool("act", () => "ran", { evidence: () => Promise.reject(new Error("no")) })],
  });
  assert.equal(textOfResult(run.results()[0]), "ran");
  const intent = run.records.find((entry) => entry.type === "intent");
  assert.ok(intent && !("evidence" in intent));
});

describe("a record that rejects ends the run before anything acts", () => {
  test("the prompt: no request is sent", async () => {
    const run = await runLoop({
      turns: [textTurn("never")],
      config: { record: refusing("message").record },
    });
    assert.equal(run.end().reason, "journal_failed");
    assert.equal(run.end().cause?.message, "The journal could not be written: no space left");
    assert.equal(run.script.requests.length, 0);
  });

  test("the assistant's message: none of its calls runs, and each has its result", async () => {
    let ran = 0;
    let messages = 0;
    const run = await runLoop({
      turns: [callsTurn([{ name: "act" }, { name: "act" }]), textTurn("never")],
      tools: [tool("act", () => `${ran++}`)],
      config: {
        record: (entries) =>
          entries.some((entry) => entry.type === "message") && ++messages === 2
            ? Promise.reject(new Error("no space left"))
            : Promise.resolve(),
      },
    });
    assert.equal(ran, 0);
    assert.equal(run.end().reason, "journal_failed");
    assert.equal(run.results().length, 2);
    assert.match(textOfResult(run.results()[0]), /^Aborted \(The journal could not be written/);
  });

  test("an intent: the call does not run", async () => {
    let ran = 0;
    const run = await runLoop({
      turns: [callTurn("act", {}, "c1"), textTurn("never")],
      tools: [tool("act", () => `${ran++}`)],
      config: { record: refusing("intent").record },
    });
    assert.equal(ran, 0);
    assert.equal(run.end().reason, "journal_failed");
    assert.match(textOfResult(run.results()[0]), /not started/);
  });

  test("a result: what the tool gave stays in the history, the sibling is stopped, no request follows", async () => {
    const run = await runLoop({
      turns: [callsTurn([{ name: "fast" }, { name: "slow" }]), textTurn("never")],
      tools: [
        tool("fast", () => "fast result"),
        tool(
          "slow",
          (_args, signal) =>
            new Promise((_, reject) =>
              signal.addEventListener("abort", () => reject(signal.reason as Error)),
            ),
        ),
      ],
      config: { record: refusing("result").record },
    });
    assert.equal(run.end().reason, "journal_failed");
    assert.equal(textOfResult(run.results()[0]), "fast result");
    assert.match(textOfResult(run.results()[1]), /^Aborted/);
    assert.equal(run.script.requests.length, 1);
  });

  test("the end: the run ends as journal_failed", async () => {
    const run = await runLoop({
      turns: [textTurn("x")],
      config: { record: refusing("end").record },
    });
    assert.equal(run.end().reason, "journal_failed");
  });

  test("and it is not asked again", async () => {
    const journal = refusing("intent");
    await runLoop({
      turns: [callTurn("act", {}), textTurn("never")],
      tools: [tool("act", () => "x")],
      config: { record: journal.record },
    });
    assert.deepEqual(journal.seen, ["message", "message"]);
  });

  test("also when it throws at once", async () => {
    const run = await runLoop({
      turns: [textTurn("never")],
      config: {
        record: () => {
          throw new Error("closed");
        },
      },
    });
    assert.equal(run.end().cause?.message, "The journal could not be written: closed");
  });
});

test("a record that takes 30 s ends the run", async () => {
  const run = startLoop({
    turns: [textTurn("never")],
    config: { record: () => new Promise(() => {}) },
  });
  await tick();
  await run.manual.advance(29_999);
  assert.notEqual(run.events.at(-1)?.type, "agent_end");
  await run.manual.advance(1);
  await run.ended;
  assert.equal(run.end().reason, "journal_failed");
  assert.match(run.end().cause?.message ?? "", /did not answer in time/);
});

test("whatever entry fails, the run ends once and every call has its result", async () => {
  for (let failAt = 1; failAt < 20; failAt++) {
    let n = 0;
    const run = await runLoop({
      turns: [
        callsTurn([{ name: "act" }, { name: "look" }]),
        callTurn("act", { n: 2 }),
        textTurn("x"),
      ],
      tools: [tool("act", () => "x"), tool("look", () => "y", { pure: true })],
      config: {
        record: () => (++n === failAt ? Promise.reject(new Error("no")) : Promise.resolve()),
      },
    });
    const ends = run.events.filter((event) => event.type === "agent_end");
    assert.equal(ends.length, 1, `failing at ${failAt}`);
    const calls = run
      .messages()
      .flatMap((message) =>
        message.role === "assistant" ? message.content.filter((b) => b.type === "toolCall") : [],
      );
    assert.equal(run.results().length, calls.length, `failing at ${failAt}`);
    if (n < failAt) return assert.equal(run.end().reason, "done");
    assert.equal(run.end().reason, "journal_failed");
  }
  assert.fail("the run never got through");
});
