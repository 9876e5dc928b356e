// Abort: the loop settles within a second, the history is valid, nothing starts any more.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { runLoop, startLoop, textOfResult, tick, tool, user } from "../../test/kit/run-loop.ts";
import { callsTurn, callTurn, textTurn } from "../testing/scripted-model.ts";
import { EventStream } from "../lib/async/event-stream.ts";
import { agentLoop } from "./agent-loop.ts";
import type { AssistantMessageEvent } from "./events.ts";
import { type AssistantMessage, emptyUsage } from "./messages.ts";

const hearing = (name: string) =>
  tool(
    name,
    (_args, signal) =>
      new Promise((_, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason as Error)),
      ),
  );

const deaf = (name: string) => tool(name, () => new Promise(() => {}));

describe("an abort in the middle of a batch", () => {
  test("keeps what is finished, stops what runs, and never starts what waits", async () => {
    const controller = new AbortController();
    let touched = false;
    const claims = () => [{ on: "everything" as const, access: "write" as const }];
    const run = startLoop({
      turns: [
        callsTurn([
          { id: "a", name: "fast" },
          { id: "b", name: "sleep" },
          { id: "c", name: "touch" },
        ]),
        textTurn("never"),
      ],
      tools: [
        tool("fast", () => "finished"),
        hearing("sleep"),
        tool("touch", () => ((touched = true), "touched"), { claims }),
      ],
      signal: controller.signal,
    });
    await tick();
    controller.abort();
    await run.ended;
    assert.equal(run.end().reason, "aborted");
    assert.equal(touched, false);
    assert.deepEqual(run.results().map(textOfResult), [
      "finished",
      "Aborted (interrupted by the user): this call was stopped before it ended. It may have done part of its work.\ninterrupted by the user",
      "Aborted (interrupted by the user): this call was not started.",
    ]);
    assert.deepEqual(
      run.results().map(({ isError }) => isError),
      [false, true, true],
    );
    assert.equal(run.script.requests.length, 1);
    assert.deepEqual(run.lines().slice(-2), ["turn_end 3", "agent_end aborted"]);
    const end = run.records.at(-1);
    assert.equal(end?.type === "end" && end.reason, "aborted");
  });

  test("leaves a tool behind that does not hear its signal, after 750 ms", async () => {
    const controller = new AbortController();
    const run = startLoop({
      turns: [callTurn("deaf", {}, "c1"), textTurn("never")],
      tools: [deaf("deaf")],
      signal: controller.signal,
    });
    await tick();
    controller.abort(new Error("enough of this"));
    await run.manual.advance(749);
    assert.notEqual(run.events.at(-1)?.type, "agent_end");
    await run.manual.advance(1);
    await run.ended;
    assert.match(
      textOfResult(run.results()[0]),
      /^Aborted \(enough of this\).*did not end within 750 ms and was left behind/,
    );
  });

  test("shares one grace among everything that is deaf in turn", async () => {
    const controller = new AbortController();
    const run = startLoop({
      turns: [callTurn("deaf", {}, "c1"), textTurn("never")],
      tools: [deaf("deaf")],
      signal: controller.signal,
      config: {
        afterToolCall: () => new Promise(() => {}),
        spill: () => new Promise(() => {}),
      },
    });
    await tick();
    controller.abort();
    await run.manual.advance(751);
    await run.ended;
    assert.equal(run.end().reason, "aborted");
  });

  test("wins over an open question: the call is aborted, not denied, and a late answer starts nothing", async () => {
    const controller = new AbortController();
    const answer = Promise.withResolvers<{ decision: "allow"; reason: string }>();
    let ran = false;
    const run = startLoop({
      turns: [callTurn("act", {}, "c1"), textTurn("never")],
      tools: [tool("act", () => ((ran = true), "x"))],
      signal: controller.signal,
      config: { authorize: () => answer.promise },
    });
    await tick();
    controller.abort();
    await run.manual.advance(0);
    await run.ended;
    answer.resolve({ decision: "allow", reason: "" });
    await tick();
    assert.equal(ran, false);
    assert.match(textOfResult(run.results()[0]), /not started/);
    assert.ok(!run.records.some((entry) => entry.type === "denied" || entry.type === "intent"));
  });

  test("does not let a hook that hangs hold it", async () => {
    const controller = new AbortController();
    const run = startLoop({
      turns: [callTurn("act", {}, "c1"), textTurn("never")],
      tools: [tool("act", () => "x")],
      signal: controller.signal,
      config: { beforeToolCall: () => new Promise(() => {}) },
    });
    await tick();
    controller.abort();
    await run.manual.advance(750);
    await run.ended;
    assert.equal(run.end().reason, "aborted");
    assert.match(textOfResult(run.results()[0]), /^Aborted/);
    assert.ok(!run.records.some((entry) => entry.type === "denied"));
  });
});

describe("an abort while the model speaks", () => {
  test("keeps the finished blocks, and their calls get aborted results", async () => {
    const controller = new AbortController();
    const run = startLoop({
      turns: [
        {
          content: [
            { type: "text", text: "I will look." },
            { type: "toolCall", id: "a", name: "act", arguments: {} },
            { type: "toolCall", id: "b", name: "act", arguments: { long: "x" } },
          ],
          gate: (name: string) => (name === "toolcall_end 2" ? new Promise(() => {}) : undefined),
        } as never,
        textTurn("never"),
      ],
      tools: [tool("act", () => "x")],
      signal: controller.signal,
    });
    await tick();
    controller.abort();
    await run.manual.advance(750);
    await run.ended;
    const message = run.messages()[1];
    assert.ok(message?.role === "assistant");
    assert.equal(message.stopReason, "aborted");
    assert.equal(message.errorKind, "aborted");
    assert.deepEqual(
      message.content.map((block) => block.type),
      ["text", "toolCall"],
    );
    assert.deepEqual(
      run.results().map(({ toolCallId }) => toolCallId),
      ["a"],
    );
    assert.match(textOfResult(run.results()[0]), /not started/);
    assert.deepEqual(run.lines().slice(-2), ["turn_end 1", "agent_end aborted"]);
  });

  test("leaves a stream behind that does not hear it", async () => {
    const controller = new AbortController();
    const run = startLoop({
      turns: [{ text: "half", neverEnd: true, deaf: true }],
      signal: controller.signal,
    });
    await tick();
    controller.abort();
    await run.manual.advance(750);
    await run.ended;
    assert.equal(run.end().reason, "aborted");
  });

  test("before anything was asked sends nothing, and keeps the prompt", async () => {
    const controller = new AbortController();
    controller.abort();
    const run = await runLoop({ turns: [textTurn("never")], signal: controller.signal });
    assert.equal(run.script.requests.length, 0);
    assert.equal(run.end().reason, "aborted");
    assert.deepEqual(run.messages(), [user("go")]);
  });

  test("that the stream reports by itself ends the run as aborted", async () => {
    const run = startLoop({ turns: [] });
    const aborted: AssistantMessage = {
      role: "assistant",
      content: [{ type: "text", text: "whole block" }],
      api: "a",
      provider: "p",
      model: "m",
      usage: emptyUsage(),
      stopReason: "aborted",
      timestamp: 0,
    };
    const stream = agentLoop(
      [user("go")],
      { messages: [] },
      {
        model: run.script.model,
        clock: run.manual.clock,
        timers: run.manual.timers,
        ids: () => "id",
      },
      undefined,
      () => {
        const events = new EventStream<AssistantMessageEvent, AssistantMessage>(
          (event) => event.type === "error",
          () => aborted,
        );
        events.push({ type: "error", reason: "aborted", error: aborted });
        return events;
      },
    );
    const messages = await stream.result();
    assert.deepEqual(messages[1], { ...aborted, errorKind: "aborted" });
  });
});

describe("an abort while something else is waited for", () => {
  const waits = {
    transformContext: () => new Promise<never>(() => {}),
    convertToLlm: () => new Promise<never>(() => {}),
    getSteeringMessages: () => new Promise<never>(() => {}),
    getFollowUpMessages: () => new Promise<never>(() => {}),
    prepareNextTurn: () => new Promise<never>(() => {}),
    shouldStopAfterTurn: () => new Promise<never>(() => {}),
    getApiKey: () => new Promise<never>(() => {}),
  };
  for (const [name, wait] of Object.entries(waits)) {
    test(`${name}: settles within a second`, async () => {
      const controller = new AbortController();
      const run = startLoop({
        turns: [textTurn("x")],
        signal: controller.signal,
        config: { [name]: wait },
      });
      await tick();
      controller.abort();
      await run.manual.advance(900);
      await run.ended;
      assert.equal(run.end().reason, "aborted");
    });
  }

  test("the wait before a repeat ends at once", async () => {
    const controller = new AbortController();
    const run = startLoop({
      turns: [{ error: { kind: "rate_limit", message: "slow down", retryAfterMs: 200_000 } }],
      signal: controller.signal,
    });
    await tick();
    controller.abort();
    await run.manual.advance(0);
    await run.ended;
    assert.equal(run.end().reason, "aborted");
  });

  test("a journal that does not answer has 900 ms, then the run ends as journal_failed", async () => {
    const controller = new AbortController();
    const run = startLoop({
      turns: [callTurn("act", {}, "c1"), textTurn("never")],
      tools: [hearing("act")],
      signal: controller.signal,
      config: {
        record: (entries) =>
          entries.some((entry) => entry.type === "result")
            ? new Promise(() => {})
            : Promise.resolve(),
      },
    });
    await tick();
    controller.abort();
    await run.manual.advance(899);
    assert.notEqual(run.events.at(-1)?.type, "agent_end");
    await run.manual.advance(1);
    await run.ended;
    assert.equal(run.end().reason, "journal_failed");
    assert.equal(run.results().length, 1);
  });
});

describe("cancelling one call", () => {
  const two = callsTurn([
    { id: "a", name: "sleep" },
    { id: "b", name: "other" },
  ]);

  test("that runs stops it alone, and the turn goes on", async () => {
    const run = startLoop({
      turns: [two, textTurn("x")],
      tools: [hearing("sleep"), tool("other", () => "fine")],
    });
    await tick();
    assert.equal(run.stream.abortCall("a"), "aborted");
    assert.equal(run.stream.abortCall("a"), "settled");
    await run.ended;
    assert.equal(run.end().reason, "done");
    assert.match(textOfResult(run.results()[0]), /^Aborted \(cancelled by the user\)/);
    assert.equal(textOfResult(run.results()[1]), "fine");
    assert.equal(run.stream.abortCall("b"), "settled");
    assert.equal(run.stream.abortCall("never heard of"), "unknown");
  });

  test("that waits for another never starts it", async () => {
    let ran = false;
    const claims = () => [{ on: "everything" as const, access: "write" as const }];
    const end = Promise.withResolvers<string>();
    const run = startLoop({
      turns: [two, textTurn("x")],
      tools: [
        tool("sleep", () => end.promise, { claims }),
        tool("other", () => ((ran = true), "x"), { claims }),
      ],
    });
    await tick();
    assert.equal(run.stream.abortCall("b", "not needed"), "aborted");
    await tick();
    assert.ok(run.lines().includes("tool_execution_end b error"));
    end.resolve("slept");
    await run.ended;
    assert.equal(ran, false);
    assert.deepEqual(run.results().map(textOfResult), [
      "slept",
      "Aborted (cancelled: not needed): this call was not started.",
    ]);
  });

  test("that waits for its permission answers for the user", async () => {
    const run = startLoop({
      turns: [callTurn("act", {}, "c1"), textTurn("x")],
      tools: [tool("act", () => "x")],
      config: { authorize: () => new Promise(() => {}) },
    });
    await tick();
    assert.equal(run.stream.abortCall("c1"), "aborted");
    await run.manual.advance(0);
    await run.ended;
    assert.equal(run.end().reason, "done");
  });

  test("of an earlier message is known to be settled", async () => {
    const end = Promise.withResolvers<string>();
    const run = startLoop({
      turns: [callTurn("fast", {}, "first"), callTurn("slow", {}, "second"), textTurn("x")],
      tools: [tool("fast", () => "x"), tool("slow", () => end.promise)],
    });
    await tick();
    await tick();
    assert.equal(run.stream.abortCall("first"), "settled");
    end.resolve("x");
    await run.ended;
  });
});
