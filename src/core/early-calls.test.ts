// Early start: a pure call may run while the model still speaks; all it does is provisional until the message is whole.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type LoopSetup,
  runLoop,
  startLoop,
  textOfResult,
  tick,
  tool,
  user,
} from "../../test/kit/run-loop.ts";
import { callsTurn, type ScriptedTurn, textTurn } from "../testing/scripted-model.ts";
import { agentLoop } from "./agent-loop.ts";
import type { AssistantMessageEvent } from "./events.ts";
import {
  type AssistantMessage,
  emptyUsage,
  type ToolCall,
  type ToolResultMessage,
} from "./messages.ts";
import type { AgentTool } from "./tool.ts";

const pure = (name = "look", more: Partial<AgentTool> = {}): AgentTool =>
  tool(name, () => `${name} result`, { pure: true, ...more });

/** A turn that stands still before its end until the test opens it. */
function heldTurn(turn: ScriptedTurn, holdAt = "done"): { turn: ScriptedTurn; open: () => void } {
  const gate = Promise.withResolvers<void>();
  return {
    turn: { ...turn, gate: (name) => (name === holdAt ? gate.promise : undefined) },
    open: () => gate.resolve(),
  };
}

/** A model that takes its time: what can go on beside it does so before each of its events. */
const slowly = (turn: ScriptedTurn): ScriptedTurn => ({ ...turn, gate: tick });

const one = (name = "look"): ScriptedTurn => slowly(callsTurn([{ id: "c1", name }]));

/** Runs until the stream is held; gives what had started by then. */
async function startedWhileStreaming(
  turn: ScriptedTurn,
  setup: Omit<LoopSetup, "turns">,
): Promise<string[]> {
  const held = heldTurn(turn);
  const run = startLoop({ turns: [held.turn, textTurn("x")], ...setup });
  await tick();
  await tick();
  const started = run.lines().filter((line) => line.startsWith("tool_execution_start"));
  held.open();
  await run.ended;
  assert.equal(run.end().reason, "done");
  return started;
}

describe("a pure call", () => {
  test("starts at its own end event; its end, hook and result wait for the end of the message", async () => {
    const hooked: string[] = [];
    const held = heldTurn(one());
    const run = startLoop({
      turns: [held.turn, textTurn("x")],
      tools: [pure()],
      config: { afterToolCall: ({ toolCall }) => void hooked.push(toolCall.id) },
    });
    await tick();
    await tick();
    assert.deepEqual(run.lines().slice(-1), ["tool_execution_start c1 look"]);
    assert.deepEqual(hooked, []);
    assert.ok(!run.records.some((entry) => entry.type === "result"));
    held.open();
    await run.ended;
    const lines = run.lines();
    const start = lines.indexOf("tool_execution_start c1 look");
    const message = lines.indexOf("message_end assistant toolUse");
    const end = lines.indexOf("tool_execution_end c1 ok");
    assert.ok(start < message && message < end);
    assert.equal(lines.filter((line) => line.startsWith("tool_execution_start")).length, 1);
    assert.deepEqual(hooked, ["c1"]);
    assert.equal(textOfResult(run.results()[0]), "look result");
    const kinds = run.records.map((entry) => entry.type);
    assert.ok(!kinds.includes("intent"));
    assert.deepEqual(kinds.slice(0, 3), ["message", "message", "result"]);
  });

  test("may be followed by others, as long as all before are pure", async () => {
    const turn = callsTurn([
      { id: "a", name: "look" },
      { id: "b", name: "look" },
      { id: "c", name: "act" },
      { id: "d", name: "look" },
    ]);
    const tools = [pure(), tool("act", () => "x")];
    assert.deepEqual(await startedWhileStreaming(turn, { tools }), [
      "tool_execution_start a look",
      "tool_execution_start b look",
    ]);
  });

  test("decides by its arguments, where it says so", async () => {
    const turn = callsTurn([
      { id: "a", name: "look", args: { safe: true } },
      { id: "b", name: "look", args: { safe: false } },
    ]);
    const tools = [pure("look", { pure: (args) => (args as { safe: boolean }).safe })];
    assert.deepEqual(await startedWhileStreaming(turn, { tools }), ["tool_execution_start a look"]);
  });
});

describe("nothing starts early", () => {
  const cases: [string, Omit<LoopSetup, "turns">][] = [
    ["that is not pure", { tools: [tool("look", () => "x")] }],
    [
      "whose purity throws",
      {
        tools: [
          pure("look", {
            pure: () => {
              throw new Error("?");
            },
          }),
        ],
      },
    ],
    [
      "when a hook may still block it",
      { tools: [pure()], config: { beforeToolCall: () => undefined } },
    ],
    ["when the config is sequential", { tools: [pure()], config: { toolExecution: "sequential" } }],
    [
      "when any active tool is sequential",
      { tools: [pure(), tool("other", () => "x", { executionMode: "sequential" })] },
    ],
    [
      "that permission would have to ask about",
      {
        tools: [pure()],
        config: {
          authorize: ({ early }) =>
            early ? { decision: "ask", reason: "?" } : { decision: "allow", reason: "" },
        },
      },
    ],
    [
      "whose permission has no answer yet",
      {
        tools: [pure()],
        config: {
          authorize: ({ early }) =>
            early ? new Promise(() => {}) : { decision: "allow", reason: "" },
        },
      },
    ],
    [
      "whose arguments are bad",
      {
        tools: [
          pure("look", { parameters: { type: "object", properties: {}, required: ["path"] } }),
        ],
      },
    ],
    ["that no tool is there for", { tools: [] }],
  ];
  for (const [title, setup] of cases) {
    test(title, async () => assert.deepEqual(await startedWhileStreaming(one(), setup), []));
  }

  test("behind a call that has not ended", async () => {
    const turn = callsTurn([
      { id: "a", name: "look", rawArguments: "{" },
      { id: "b", name: "look" },
    ]);
    assert.deepEqual(await startedWhileStreaming(turn, { tools: [pure()] }), []);
  });
});

test("a permission that was given early is not asked for again, one that would ask is", async () => {
  const asked: [string, boolean][] = [];
  const turn = callsTurn([
    { id: "a", name: "look" },
    { id: "b", name: "look" },
  ]);
  const run = await runLoop({
    turns: [slowly(turn), textTurn("x")],
    tools: [pure()],
    config: {
      authorize: ({ toolCall, early }) => {
        asked.push([toolCall.id, early]);
        if (early && toolCall.id === "b") return { decision: "ask", reason: "" };
        return { decision: "allow", reason: "" };
      },
    },
  });
  assert.deepEqual(asked, [
    ["a", true],
    ["b", true],
    ["b", false],
  ]);
  assert.ok(run.results().every((result) => !result.isError));
});

test("the gates of a call that was looked at early run once", async () => {
  let shims = 0;
  await runLoop({
    turns: [one(), textTurn("x")],
    tools: [tool("look", () => "x", { prepareArguments: (raw) => (shims++, raw) })],
  });
  assert.equal(shims, 1);
});

describe("a message that is thrown away", () => {
  const pair = (lines: string[]): string[] =>
    lines.filter((line) => line.startsWith("tool_execution"));

  test("by a failed attempt: the call's signal aborts, one end comes at once, the repeat has its own pair", async () => {
    const signals: AbortSignal[] = [];
    const look = tool("look", (_args, signal) => (signals.push(signal), "x"), { pure: true });
    const failing: ScriptedTurn = {
      ...one(),
      error: { kind: "network", message: "reset" },
    };
    const run = startLoop({ turns: [failing, one(), textTurn("x")], tools: [look] });
    while (!run.lines().at(-1)?.startsWith("request_retry")) await tick();
    assert.deepEqual(run.lines().slice(-3), [
      "tool_execution_start c1 look",
      "tool_execution_end c1 error",
      "request_retry 1 " + run.lines().at(-1)?.split(" ")[2],
    ]);
    assert.equal(signals[0]?.aborted, true);
    await run.manual.advance(1000);
    await run.ended;
    assert.deepEqual(pair(run.lines()), [
      "tool_execution_start c1 look",
      "tool_execution_end c1 error",
      "tool_execution_start c1 look",
      "tool_execution_end c1 ok",
    ]);
    const retry = run.events.find((event) => event.type === "request_retry");
    assert.deepEqual(retry?.type === "request_retry" && retry.discardedCallIds, ["c1"]);
    const discarded = run.events.find((event) => event.type === "tool_execution_end");
    assert.ok(discarded?.type === "tool_execution_end");
    const [block] = discarded.result.content;
    assert.match(block?.type === "text" ? block.text : "", /^discarded: /);
    assert.equal(run.results().length, 1);
    assert.ok(!run.records.some((entry) => entry.type === "result" && entry.message.isError));
  });

  test("by its output limit: one pair, and the error result of a cut call", async () => {
    for (const cut of [
      { ...one(), stopReason: "length" as const },
      { ...one(), usage: { ...emptyUsage(), output: 10 } },
    ]) {
      const run = await runLoop({
        turns: [cut, textTurn("x")],
        tools: [pure()],
        config: { options: { maxTokens: 10 } },
      });
      assert.deepEqual(pair(run.lines()), [
        "tool_execution_start c1 look",
        "tool_execution_end c1 error",
      ]);
      assert.match(textOfResult(run.results()[0]), /output limit/);
      assert.equal(run.results().length, 1);
    }
  });

  test("by an abort: one pair, and the aborted result", async () => {
    const controller = new AbortController();
    const held = heldTurn(one());
    const run = startLoop({
      turns: [held.turn, textTurn("never")],
      tools: [pure()],
      signal: controller.signal,
    });
    await tick();
    await tick();
    controller.abort();
    await run.manual.advance(0);
    held.open();
    await run.ended;
    assert.equal(run.end().reason, "aborted");
    assert.deepEqual(pair(run.lines()), [
      "tool_execution_start c1 look",
      "tool_execution_end c1 error",
    ]);
    assert.equal(run.results().length, 1);
    assert.match(textOfResult(run.results()[0]), /^Aborted \(interrupted by the user\)/);
  });

  test("says nothing more of updates", async () => {
    let update: (() => void) | undefined;
    const look: AgentTool = {
      ...pure(),
      execute: (_id, _args, _signal, onUpdate) => {
        update = () => onUpdate?.({ content: [] });
        return new Promise(() => {});
      },
    };
    const failing: ScriptedTurn = { ...one(), error: { kind: "network", message: "reset" } };
    const run = startLoop({ turns: [failing, textTurn("x")], tools: [look] });
    while (!run.lines().at(-1)?.startsWith("request_retry")) await tick();
    update?.();
    await run.manual.advance(1000);
    await run.ended;
    assert.ok(!run.lines().some((line) => line.startsWith("tool_execution_update")));
  });
});

test("an early call that is cancelled alone is aborted, and the turn goes on", async () => {
  const held = heldTurn(one());
  const run = startLoop({
    turns: [held.turn, textTurn("x")],
    tools: [
      tool(
        "look",
        (_args, signal) =>
          new Promise((_, reject) =>
            signal.addEventListener("abort", () => reject(signal.reason as Error)),
          ),
        { pure: true },
      ),
    ],
  });
  await tick();
  await tick();
  assert.equal(run.stream.abortCall("c1", "changed my mind"), "aborted");
  held.open();
  await run.ended;
  assert.equal(run.end().reason, "done");
  assert.match(textOfResult(run.results()[0]), /cancelled: changed my mind/);
});

test("a call that the finished message holds otherwise is discarded, and runs as the message has it", async () => {
  const call = (n: number): ToolCall => ({
    type: "toolCall",
    id: "a",
    name: "look",
    arguments: { n },
  });
  const message = (n: number): AssistantMessage => ({
    role: "assistant",
    content: [call(n)],
    api: "a",
    provider: "p",
    model: "m",
    usage: emptyUsage(),
    stopReason: "toolUse",
    timestamp: 0,
  });
  async function* answer(): AsyncGenerator<AssistantMessageEvent> {
    const partial = message(1);
    yield { type: "start", partial };
    yield { type: "toolcall_start", contentIndex: 0, partial };
    yield { type: "toolcall_end", contentIndex: 0, toolCall: call(1), partial };
    await tick();
    yield { type: "done", reason: "toolUse", message: message(2) };
  }
  const { script, manual } = startLoop({ turns: [textTurn("x")] });
  let asked = 0;
  const ran: unknown[] = [];
  const stream = agentLoop(
    [user("go")],
    {
      messages: [],
      tools: [
        tool("look", (args) => (ran.push(args["n"]), `saw ${String(args["n"])}`), { pure: true }),
      ],
    },
    { model: script.model, clock: manual.clock, timers: manual.timers, ids: () => "id" },
    undefined,
    (model, context, options) =>
      asked++ === 0
        ? Object.assign(answer(), { result: () => Promise.resolve(message(2)) })
        : script.streamFn(model, context, options),
  );
  const messages = await stream.result();
  const results = messages.filter(({ role }) => role === "toolResult");
  assert.deepEqual(ran, [1, 2]);
  assert.deepEqual(
    results.map((result) => textOfResult(result as ToolResultMessage)),
    ["saw 2"],
  );
});

test("a hook that ends the run during a retry leaves no early call without its end", async () => {
  const failing: ScriptedTurn = { ...one(), error: { kind: "auth", message: "no" } };
  const recover = () => Promise.reject(new Error("confused"));
  const run = await runLoop({ turns: [failing], tools: [pure()], config: { recover } });
  assert.equal(run.end().reason, "error");
  assert.deepEqual(
    run.lines().filter((line) => line.startsWith("tool_execution")),
    ["tool_execution_start c1 look", "tool_execution_end c1 error"],
  );
});
