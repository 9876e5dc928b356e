import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ok, runLoop, startLoop, textOfResult, tick, tool, user } from "../../test/kit/run-loop.ts";
import { callsTurn, callTurn, textTurn } from "../testing/scripted-model.ts";
import { agentLoop, agentLoopContinue } from "./agent-loop.ts";
import type { AgentMessage } from "./messages.ts";

const echo = tool("echo", (args) => `echo ${String(args["text"])}`);

describe("a run", () => {
  test("tool calls and results go round until the model asks for nothing more", async () => {
    const run = await runLoop({
      turns: [callTurn("echo", { text: "a" }, "c1"), textTurn("done")],
      tools: [echo],
    });
    assert.deepEqual(run.lines(), [
      "agent_start",
      "turn_start",
      "message_start user",
      "message_end user",
      "message_start assistant",
      "message_end assistant toolUse",
      "tool_execution_start c1 echo",
      "tool_execution_end c1 ok",
      "message_start toolResult c1",
      "message_end toolResult c1 ok",
      "turn_end 1",
      "turn_start",
      "message_start assistant",
      "message_end assistant stop",
      "turn_end 0",
      "agent_end done",
    ]);
    assert.deepEqual(
      run.messages().map((message) => message.role),
      ["user", "assistant", "toolResult", "assistant"],
    );
    assert.equal(textOfResult(run.results()[0]), "echo a");
    const [first, second] = run.script.requests;
    assert.equal(first?.context.messages.length, 1);
    assert.deepEqual(second?.context.messages, run.messages().slice(0, 3));
    assert.equal(second?.context.systemPrompt, "be useful");
    assert.deepEqual(
      second?.context.tools?.map(({ name }) => name),
      ["echo"],
    );
  });

  test("the context that was handed in stays as it was", async () => {
    const history: AgentMessage[] = [user("before")];
    const run = await runLoop({ turns: [textTurn("x")], history });
    assert.equal(history.length, 1);
    assert.deepEqual(run.script.requests[0]?.context.messages, [user("before"), user("go")]);
    assert.equal(run.messages().length, 2);
  });

  test("the presence of calls decides, whatever stop reason the server claims", async () => {
    const turn = { ...callTurn("echo", { text: "a" }, "c1"), stopReason: "stop" as const };
    const run = await runLoop({ turns: [turn, textTurn("done")], tools: [echo] });
    assert.equal(textOfResult(run.results()[0]), "echo a");
    const claimed = { ...textTurn("no calls"), stopReason: "toolUse" as const };
    assert.equal((await runLoop({ turns: [claimed] })).end().reason, "done");
  });

  test("a message with neither text nor calls is asked for once more, and no more than once", async () => {
    const empty = { content: [] };
    const once = await runLoop({ turns: [empty, textTurn("here")] });
    assert.equal(once.end().reason, "done");
    assert.equal(once.script.requests.length, 2);
    assert.deepEqual(
      once.messages().map(({ role }) => role),
      ["user", "assistant"],
    );
    assert.deepEqual(
      once.events.filter((event) => event.type === "request_retry"),
      [
        {
          type: "request_retry",
          attempt: 1,
          delayMs: 0,
          reason: "the model answered nothing",
          discardedCallIds: [],
        },
      ],
    );
    assert.deepEqual(once.script.requests[1]?.context, once.script.requests[0]?.context);
    const twice = await runLoop({ turns: [empty, empty, textTurn("never asked for")] });
    assert.equal(twice.end().reason, "done");
    assert.equal(twice.script.requests.length, 2);
  });

  test("an answer without calls that was cut ends as length", async () => {
    const run = await runLoop({ turns: [{ text: "half", stopReason: "length" }] });
    assert.equal(run.end().reason, "length");
  });

  test("the batch ends the run only if every result terminates", async () => {
    const stop = tool("stop", () => ok("bye", { terminate: true }));
    const both = await runLoop({
      turns: [callsTurn([{ name: "stop" }, { name: "echo", args: { text: "a" } }]), textTurn("x")],
      tools: [stop, echo],
    });
    assert.equal(both.end().reason, "done");
    assert.equal(both.script.requests.length, 2);
    const all = await runLoop({
      turns: [callsTurn([{ name: "stop" }, { name: "stop" }]), textTurn("x")],
      tools: [stop, echo],
    });
    assert.equal(all.end().reason, "terminated");
    assert.equal(all.script.requests.length, 1);
    assert.equal(all.results().length, 2);
  });

  test("a batch that terminates still lets the queues speak", async () => {
    const stop = tool("stop", () => ok("bye", { terminate: true }));
    const queue = [user("one more thing")];
    const run = await runLoop({
      turns: [callTurn("stop", {}), textTurn("x")],
      tools: [stop],
      config: { getFollowUpMessages: () => queue.splice(0) },
    });
    assert.equal(run.end().reason, "done");
    assert.equal(run.script.requests.length, 2);
  });

  test("a bare loop says what it lacks", () => {
    const { model } = startLoop({ turns: [] }).script;
    assert.throws(() => agentLoop([user("x")], { messages: [] }, { model }), /root export binds/);
  });
});

describe("queues", () => {
  test("a steering message joins before the next request, a follow-up at the end", async () => {
    const steering: AgentMessage[][] = [[], [user("steer")], [], []];
    const followUps: AgentMessage[][] = [[user("follow")], []];
    const run = await runLoop({
      turns: [callTurn("echo", { text: "a" }), textTurn("b"), textTurn("c")],
      tools: [echo],
      config: {
        getSteeringMessages: () => steering.shift() ?? [],
        getFollowUpMessages: () => followUps.shift() ?? [],
      },
    });
    const said = run.messages().map((m) => (m.role === "user" ? m.content : m.role));
    assert.deepEqual(said, [
      "go",
      "assistant",
      "toolResult",
      "steer",
      "assistant",
      "follow",
      "assistant",
    ]);
    assert.equal(run.script.requests[1]?.context.messages.at(-1)?.role, "user");
    assert.equal(run.end().reason, "done");
  });

  test("steering that waits at the start goes with the first request", async () => {
    const steering = [user("first")];
    const run = await runLoop({
      turns: [textTurn("x")],
      config: { getSteeringMessages: () => steering.splice(0) },
    });
    assert.deepEqual(run.script.requests[0]?.context.messages, [user("go"), user("first")]);
  });

  test("follow-ups are not asked for while steering or calls go on", async () => {
    const order: string[] = [];
    await runLoop({
      turns: [callTurn("echo", { text: "a" }), textTurn("b")],
      tools: [echo],
      config: {
        getSteeringMessages: () => (order.push("steering"), []),
        getFollowUpMessages: () => (order.push("follow-up"), []),
      },
    });
    assert.deepEqual(order, ["steering", "steering", "steering", "follow-up"]);
  });
});

describe("between turns", () => {
  test("everything comes in its order", async () => {
    const order: string[] = [];
    const note = <T>(what: string, value: T): T => (order.push(what), value);
    const run = startLoop({
      turns: [callTurn("echo", { text: "a" }, "c1"), textTurn("b")],
      tools: [tool("echo", () => note("execute", "x"))],
      config: {
        record: (entries) => Promise.resolve(void order.push(...entries.map(({ type }) => type))),
        prepareNextTurn: () => note("prepareNextTurn", undefined),
        shouldStopAfterTurn: () => note("shouldStopAfterTurn", false),
        getSteeringMessages: () => note("steering", []),
        getFollowUpMessages: () => note("follow-up", []),
      },
    });
    await run.ended;
    assert.deepEqual(order, [
      "steering",
      "message",
      "message",
      "intent",
      "execute",
      "result",
      "prepareNextTurn",
      "shouldStopAfterTurn",
      "steering",
      "message",
      "prepareNextTurn",
      "shouldStopAfterTurn",
      "steering",
      "follow-up",
      "end",
    ]);
  });

  test("prepareNextTurn may replace context, model and options", async () => {
    const seen: unknown[] = [];
    const run = await runLoop({
      turns: [callTurn("echo", { text: "a" }), textTurn("b")],
      tools: [echo],
      config: {
        prepareNextTurn: ({ message, toolResults, context, newMessages }) => {
          seen.push([
            message.stopReason,
            toolResults.length,
            context.messages.length,
            newMessages.length,
          ]);
          if (message.stopReason !== "toolUse") return undefined;
          return {
            context: { systemPrompt: "short", messages: [user("summary")], tools: [echo] },
            model: { ...run0.model, id: "other" },
            options: { temperature: 0.5 },
          };
        },
      },
    });
    const request = run.script.requests[1];
    assert.deepEqual(request?.context.messages, [user("summary")]);
    assert.equal(request?.context.systemPrompt, "short");
    assert.equal(request?.model.id, "other");
    assert.equal(request?.options?.temperature, 0.5);
    assert.deepEqual(seen[0], ["toolUse", 1, 3, 3]);
    assert.deepEqual(
      run.records.filter((entry) => entry.type === "context_replaced"),
      [{ type: "context_replaced", by: "hook" }],
    );
  });

  test("shouldStopAfterTurn ends the run and leaves the queues as they are", async () => {
    const polled: string[] = [];
    const run = await runLoop({
      turns: [callTurn("echo", { text: "a" }), textTurn("never")],
      tools: [echo],
      config: {
        shouldStopAfterTurn: ({ toolResults }) => toolResults.length === 1,
        getSteeringMessages: () => (polled.push("s"), []),
        getFollowUpMessages: () => (polled.push("f"), []),
      },
    });
    assert.equal(run.end().reason, "hook_stop");
    assert.deepEqual(polled, ["s"]);
    assert.equal(run.results().length, 1);
  });

  for (const hook of [
    "prepareNextTurn",
    "shouldStopAfterTurn",
    "getSteeringMessages",
    "getFollowUpMessages",
    "transformContext",
    "convertToLlm",
  ] as const) {
    test(`${hook} that throws ends the run as an error with its cause`, async () => {
      const run = await runLoop({
        turns: [textTurn("x")],
        config: {
          [hook]: () => {
            throw new Error("broken hook");
          },
        },
      });
      assert.equal(run.end().reason, "error");
      assert.deepEqual(run.end().cause, { message: `${hook} failed: broken hook` });
      assert.equal(run.events.filter((event) => event.type === "agent_end").length, 1);
    });

    if (hook !== "shouldStopAfterTurn") {
      test(`${hook} that gives something else ends the run as an error`, async () => {
        const odd = hook === "prepareNextTurn" ? { context: {} } : "no list";
        const run = await runLoop({ turns: [textTurn("x")], config: { [hook]: () => odd } });
        assert.equal(run.end().reason, "error");
        assert.match(run.end().cause?.message ?? "", /gave no list of messages/);
      });
    }

    test(`${hook} that hangs ends the run after 30 s`, async () => {
      const run = startLoop({
        turns: [textTurn("x")],
        config: { [hook]: () => new Promise(() => {}) },
      });
      await tick();
      await run.manual.advance(29_999);
      assert.notEqual(run.events.at(-1)?.type, "agent_end");
      await run.manual.advance(1);
      await run.ended;
      assert.match(run.end().cause?.message ?? "", /did not answer within 30 s/);
    });
  }

  test("what is sent is shaped by transformContext, then convertToLlm, and the history stays", async () => {
    const run = await runLoop({
      turns: [textTurn("x")],
      history: [user("old")],
      config: {
        transformContext: (messages) => messages.slice(1),
        convertToLlm: (messages) => [
          ...(messages as Extract<AgentMessage, { role: "user" }>[]),
          { role: "user", content: "added", timestamp: 1 },
        ],
      },
    });
    assert.deepEqual(
      run.script.requests[0]?.context.messages.map((message) => message.content),
      ["go", "added"],
    );
    assert.equal(run.messages().length, 2);
  });

  test("roles of the caller's own and empty failed answers are not sent", async () => {
    const note = { role: "note", text: "for people" } as unknown as AgentMessage;
    const failed: AgentMessage = {
      role: "assistant",
      content: [],
      api: "a",
      provider: "p",
      model: "m",
      usage: {
        input: 0,
        output: 0,
        cacheRead: 0,
        cacheWrite: 0,
        totalTokens: 0,
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
      },
      stopReason: "error",
      timestamp: 0,
    };
    const run = await runLoop({ turns: [textTurn("x")], history: [user("a"), failed, note] });
    assert.deepEqual(run.script.requests[0]?.context.messages, [user("a"), user("go")]);
  });
});

describe("the prefix", () => {
  test("each request begins with the messages, the prompt and the tools of the one before", async () => {
    const turns = Array.from({ length: 6 }, (_, at) => callTurn("echo", { text: `${at}` }));
    const run = await runLoop({ turns: [...turns, textTurn("end")], tools: [echo] });
    const { requests } = run.script;
    assert.equal(requests.length, 7);
    for (const [at, request] of requests.entries()) {
      if (at === 0) continue;
      const before = requests[at - 1];
      const same = before?.context.messages.every(
        (message, place) => message === request.context.messages[place],
      );
      assert.ok(same, `request ${at}`);
      assert.equal(request.context.systemPrompt, before?.context.systemPrompt);
      assert.deepEqual(request.context.tools, before?.context.tools);
    }
  });
});

describe("limits", () => {
  const turns = (count: number) =>
    Array.from({ length: count }, (_, at) => callTurn("echo", { text: `${at}` }));

  test("turns end the run before the next request, with every result in place", async () => {
    const run = await runLoop({ turns: turns(5), tools: [echo], config: { limits: { turns: 2 } } });
    assert.equal(run.end().reason, "max_turns");
    assert.equal(run.end().cause?.message, "The limit of 2 turns is reached.");
    assert.equal(run.script.requests.length, 2);
    assert.equal(run.results().length, 2);
  });

  test("a run that finishes within its last turn is done", async () => {
    const run = await runLoop({
      turns: [...turns(1), textTurn("x")],
      tools: [echo],
      config: { limits: { turns: 2 } },
    });
    assert.equal(run.end().reason, "done");
  });

  test("a limit leaves the queues as they are", async () => {
    const polled: string[] = [];
    await runLoop({
      turns: turns(3),
      tools: [echo],
      config: {
        limits: { turns: 1 },
        getSteeringMessages: () => (polled.push("s"), []),
        getFollowUpMessages: () => (polled.push("f"), []),
      },
    });
    assert.deepEqual(polled, ["s"]);
  });

  test("tokens and money end the run too", async () => {
    const usage = { totalTokens: 60, cost: { total: 0.6 } } as never;
    const paid = turns(4).map((turn) => ({ ...turn, usage }));
    const tokens = await runLoop({
      turns: paid,
      tools: [echo],
      config: { limits: { tokens: 100 } },
    });
    assert.equal(tokens.end().reason, "max_tokens");
    assert.equal(tokens.script.requests.length, 2);
    const money = await runLoop({ turns: paid, tools: [echo], config: { limits: { costUsd: 1 } } });
    assert.equal(money.end().reason, "max_cost");
  });

  test("what was used before counts, and may forbid the first request", async () => {
    const used = { turns: 2, timeMs: 0, tokens: 0, costUsd: 0 };
    const run = await runLoop({
      turns: turns(1),
      tools: [echo],
      config: { limits: { turns: 2, used } },
    });
    assert.equal(run.end().reason, "max_turns");
    assert.deepEqual(run.lines(), ["agent_start", "agent_end max_turns"]);
  });

  test("wall time ends a batch that runs", async () => {
    const run = startLoop({
      turns: [callTurn("slow", {}, "c1")],
      tools: [
        tool(
          "slow",
          (_args, signal) =>
            new Promise((_, reject) =>
              signal.addEventListener("abort", () => reject(signal.reason as Error)),
            ),
        ),
      ],
      config: { limits: { timeMs: 5000 } },
    });
    await tick();
    await run.manual.advance(5000);
    await run.ended;
    assert.equal(run.end().reason, "max_time");
    assert.match(textOfResult(run.results()[0]), /Aborted \(The limit of 5 s is reached\.\)/);
  });

  test("the end is recorded with what was used", async () => {
    const run = await runLoop({ turns: [...turns(1), textTurn("x")], tools: [echo] });
    const end = run.records.at(-1);
    assert.equal(end?.type, "end");
    assert.equal(end?.type === "end" && end.used.turns, 2);
    assert.equal(end?.type === "end" && end.reason, "done");
  });
});

describe("repeated calls", () => {
  const same = (count: number) =>
    Array.from({ length: count }, () => callTurn("echo", { text: "a" }));

  test("equal calls with equal results are told at three and ended at five", async () => {
    const run = await runLoop({ turns: same(9), tools: [echo] });
    assert.equal(run.end().reason, "repeated_calls");
    assert.equal(run.script.requests.length, 5);
    assert.match(run.end().cause?.message ?? "", /echo 5 times.*repeatedCalls: 5/);
    const told = run.results().map((result) => result.content.length > 1);
    assert.deepEqual(told, [false, false, true, false, false]);
    assert.match(textOfResult(run.results()[2]), /^echo a\n\[This exact call .* 3 times/);
  });

  test("two equal calls of one message both run and count once", async () => {
    const pair = callsTurn([
      { name: "echo", args: { text: "a" } },
      { name: "echo", args: { text: "a" } },
    ]);
    const run = await runLoop({ turns: [pair, pair, textTurn("x")], tools: [echo] });
    assert.equal(run.end().reason, "done");
    assert.equal(run.results().length, 4);
    assert.ok(run.results().every((result) => textOfResult(result) === "echo a"));
  });

  test("honest polling with changing results is no circle", async () => {
    let n = 0;
    const run = await runLoop({
      turns: [...Array.from({ length: 10 }, () => callTurn("poll", {})), textTurn("x")],
      tools: [tool("poll", () => `${n++}`)],
    });
    assert.equal(run.end().reason, "done");
  });

  test("different arguments are different calls, in whatever order their keys come", async () => {
    const dirs = Array.from({ length: 26 }, (_, at) => callTurn("echo", { text: `${at}` }));
    const run = await runLoop({ turns: [...dirs, textTurn("x")], tools: [echo] });
    assert.equal(run.end().reason, "done");
    const keys = [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ];
    const turned = await runLoop({
      turns: Array.from({ length: 9 }, (_, at) =>
        callTurn("echo", keys[at % 2] as Record<string, unknown>),
      ),
      tools: [echo],
    });
    assert.equal(turned.end().reason, "repeated_calls");
  });

  test("equal failures of the gates count too", async () => {
    const run = await runLoop({ turns: Array.from({ length: 9 }, () => callTurn("nope", {})) });
    assert.equal(run.end().reason, "repeated_calls");
    assert.equal(run.script.requests.length, 5);
  });

  test("something new that was written starts every count anew", async () => {
    const turns = Array.from({ length: 6 }, (_, at) => [
      callTurn("change", { at }),
      callTurn("check", {}),
    ]).flat();
    const claims = () => [{ on: "path" as const, path: "/a", access: "write" as const }];
    const run = await runLoop({
      turns: [...turns, textTurn("x")],
      tools: [tool("change", () => "ok", { claims }), tool("check", () => "fails")],
    });
    assert.equal(run.end().reason, "done");
  });

  test("the limit can be set and turned off", async () => {
    const off = await runLoop({
      turns: [...same(8), textTurn("x")],
      tools: [echo],
      config: { limits: { repeatedCalls: 0 } },
    });
    assert.equal(off.end().reason, "done");
    const three = await runLoop({
      turns: same(8),
      tools: [echo],
      config: { limits: { repeatedCalls: 3 } },
    });
    assert.equal(three.script.requests.length, 3);
  });
});

describe("continuing", () => {
  test("throws on an empty history and on a finished answer", async () => {
    const { script } = startLoop({ turns: [] });
    const ports = { model: script.model, clock: {}, timers: {}, ids: () => "" } as never;
    assert.throws(
      () => agentLoopContinue({ messages: [] }, ports, undefined, script.streamFn),
      /history is empty/,
    );
    const answered = await runLoop({ turns: [textTurn("x")] });
    const messages = answered.messages();
    assert.throws(
      () => agentLoopContinue({ messages }, ports, undefined, script.streamFn),
      /without open calls/,
    );
  });

  test("goes on from a user message without adding to the history", async () => {
    const run = await runLoop({ turns: [textTurn("x")], history: [user("a")], goOn: true });
    assert.deepEqual(
      run.messages().map(({ role }) => role),
      ["assistant"],
    );
    assert.equal(run.end().reason, "done");
  });
});

const run0 = startLoop({ turns: [] }).script;
