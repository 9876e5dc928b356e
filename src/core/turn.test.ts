// Calls that must not run: cut messages, broken arguments, calls that never ended.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { runLoop, textOfResult, tool } from "../../test/kit/run-loop.ts";
import { callsTurn, callTurn, type ScriptedTurn, textTurn } from "../testing/scripted-model.ts";
import type { AssistantMessageEvent } from "./events.ts";
import { EventStream } from "../lib/async/event-stream.ts";
import { type AssistantMessage, emptyUsage, type ToolCall } from "./messages.ts";

/** Counts how often it ran. */
function counter(): { ran: number; tool: ReturnType<typeof tool> } {
  const count = { ran: 0 };
  return Object.assign(count, { tool: tool("act", () => `ran ${++count.ran}`) });
}

const cut = (calls: ScriptedTurn["calls"]): ScriptedTurn => ({
  ...callsTurn(calls ?? []),
  stopReason: "length",
});

describe("a message that was cut", () => {
  test("runs none of its calls, also when the JSON is whole, and each gets an error result", async () => {
    const act = counter();
    const run = await runLoop({
      turns: [
        cut([
          { id: "a", name: "act" },
          { id: "b", name: "act" },
        ]),
        textTurn("x"),
      ],
      tools: [act.tool],
    });
    assert.equal(act.ran, 0);
    assert.deepEqual(
      run.results().map(({ toolCallId, isError }) => [toolCallId, isError]),
      [
        ["a", true],
        ["b", true],
      ],
    );
    assert.match(
      textOfResult(run.results()[0]),
      /output limit.*Send it again, complete and smaller/,
    );
    assert.equal(run.end().reason, "done");
    assert.deepEqual(
      run.lines().filter((line) => line.startsWith("tool_execution")),
      [
        "tool_execution_start a act",
        "tool_execution_end a error",
        "tool_execution_start b act",
        "tool_execution_end b error",
      ],
    );
  });

  for (const stopReason of ["stop", "toolUse"] as const) {
    test(`at the full token limit runs nothing, though the server claims ${stopReason}`, async () => {
      const act = counter();
      const usage = { ...emptyUsage(), output: 50 };
      const run = await runLoop({
        turns: [{ ...callTurn("act", {}), stopReason, usage }, textTurn("x")],
        tools: [act.tool],
        config: { options: { maxTokens: 50 } },
      });
      assert.equal(act.ran, 0);
      assert.match(textOfResult(run.results()[0]), /output limit \(50 tokens\)/);
    });
  }

  test("one token below the limit is whole", async () => {
    const act = counter();
    const usage = { ...emptyUsage(), output: 49 };
    await runLoop({
      turns: [{ ...callTurn("act", {}), usage }, textTurn("x")],
      tools: [act.tool],
      config: { options: { maxTokens: 50 } },
    });
    assert.equal(act.ran, 1);
  });

  test("is measured by the model's own maximum when none was asked for", async () => {
    const act = counter();
    const probe = await runLoop({ turns: [textTurn("x")] });
    const model = { ...probe.script.model, maxTokens: 10 };
    const usage = { ...emptyUsage(), output: 10 };
    await runLoop({
      turns: [{ ...callTurn("act", {}), usage }, textTurn("x")],
      tools: [act.tool],
      config: { model },
    });
    assert.equal(act.ran, 0);
  });

  test("the second in a row is told what to change, the third ends the run with all results", async () => {
    const act = counter();
    const turn = cut([{ name: "act" }]);
    const run = await runLoop({ turns: [turn, turn, turn, textTurn("never")], tools: [act.tool] });
    assert.equal(run.end().reason, "truncated_repeatedly");
    assert.match(run.end().cause?.message ?? "", /3 times in a row/);
    assert.equal(run.results().length, 3);
    assert.doesNotMatch(textOfResult(run.results()[0]), /Change the approach/);
    assert.match(textOfResult(run.results()[1]), /Change the approach/);
    assert.equal(act.ran, 0);
  });

  test("a whole message in between starts the count anew", async () => {
    const act = counter();
    const turn = cut([{ name: "act", args: { big: 1 } }]);
    const whole = callTurn("act", { small: 1 });
    const run = await runLoop({
      turns: [turn, turn, whole, turn, turn, textTurn("x")],
      tools: [act.tool],
    });
    assert.equal(run.end().reason, "done");
    assert.equal(act.ran, 1);
  });
});

describe("a single broken call", () => {
  test("does not run when its arguments are no JSON, while its siblings do", async () => {
    const act = counter();
    const run = await runLoop({
      turns: [
        callsTurn([
          { id: "a", name: "act", rawArguments: '{"n":?}' },
          { id: "b", name: "act" },
        ]),
        textTurn("x"),
      ],
      tools: [act.tool],
    });
    assert.equal(act.ran, 1);
    assert.match(textOfResult(run.results()[0]), /not valid JSON/);
    assert.equal(run.results()[0]?.isError, true);
    assert.equal(textOfResult(run.results()[1]), "ran 1");
  });

  test("does not run when the stream began and never ended it, while its siblings do", async () => {
    const act = counter();
    const whole: ToolCall = { type: "toolCall", id: "a", name: "act", arguments: {} };
    const torn: ToolCall = { type: "toolCall", id: "b", name: "act", arguments: { half: true } };
    const silent: ToolCall = { type: "toolCall", id: "c", name: "act", arguments: {} };
    const run = await runLoop({
      turns: [textTurn("x")],
      tools: [act.tool],
      config: {},
    });
    const message = assistant([whole, torn, silent]);
    const streams = [
      events([
        { type: "start", partial: message },
        { type: "toolcall_start", contentIndex: 0, partial: message },
        { type: "toolcall_end", contentIndex: 0, toolCall: whole, partial: message },
        { type: "toolcall_start", contentIndex: 1, partial: message },
        { type: "toolcall_delta", contentIndex: 1, delta: "{", partial: message },
        { type: "done", reason: "toolUse", message },
      ]),
      events([{ type: "done", reason: "stop", message: assistant([]) }]),
      events([{ type: "done", reason: "stop", message: assistant([]) }]),
    ];
    const { agentLoop } = await import("./agent-loop.ts");
    const stream = agentLoop(
      [],
      { messages: [{ role: "user", content: "go", timestamp: 0 }], tools: [act.tool] },
      {
        model: run.script.model,
        clock: run.manual.clock,
        timers: run.manual.timers,
        ids: () => "id",
      },
      undefined,
      () => streams.shift() as never,
    );
    const results = (await stream.result()).filter((m) => m.role === "toolResult");
    assert.deepEqual(
      results.map(({ toolCallId, isError }) => [toolCallId, isError]),
      [
        ["a", false],
        ["b", true],
        ["c", false],
      ],
    );
    assert.match(textOfResult(results[1]), /stream ended before this call was complete/);
    assert.equal(act.ran, 2);
  });
});

describe("ids and names", () => {
  test("the first of two calls with one id keeps it, the second gets a suffix", async () => {
    const run = await runLoop({
      turns: [
        callsTurn([
          { id: "call_0", name: "act", args: { n: 1 } },
          { id: "call_0", name: "act", args: { n: 2 } },
          { id: "", name: "act", args: { n: 3 } },
        ]),
        textTurn("x"),
      ],
      tools: [tool("act", (args) => `got ${String(args["n"])}`)],
    });
    assert.deepEqual(
      run.results().map((result) => [result.toolCallId, textOfResult(result)]),
      [
        ["call_0", "got 1"],
        ["call_0_2", "got 2"],
        ["call_2", "got 3"],
      ],
    );
    const message = run.messages()[1];
    assert.deepEqual(
      message?.role === "assistant" &&
        message.content.map((block) => block.type === "toolCall" && block.id),
      ["call_0", "call_0_2", "call_2"],
    );
    const ended = run.events.flatMap((event) =>
      event.type === "message_update" && event.assistantMessageEvent.type === "toolcall_end"
        ? [event.assistantMessageEvent.toolCall.id]
        : [],
    );
    assert.deepEqual(ended, ["call_0", "call_0_2", "call_2"]);
  });

  test("a case variant or a known namespace runs and is recorded under the real name", async () => {
    const run = await runLoop({
      turns: [callsTurn([{ name: "Act" }, { name: "functions.act" }]), textTurn("x")],
      tools: [tool("act", () => "ran")],
    });
    assert.deepEqual(
      run.results().map((result) => [result.toolName, textOfResult(result)]),
      [
        ["act", "ran"],
        ["act", "ran"],
      ],
    );
    const intents = run.records.filter((entry) => entry.type === "intent");
    assert.deepEqual(
      intents.map((entry) => entry.type === "intent" && entry.toolName),
      ["act", "act"],
    );
    const message = run.messages()[1];
    assert.ok(
      message?.role === "assistant" &&
        message.content.every((block) => block.type !== "toolCall" || block.name === "act"),
    );
  });
});

test("empty text blocks are left out of the history, after the calls were matched to their events", async () => {
  const run = await runLoop({
    turns: [
      {
        content: [
          { type: "text", text: "" },
          { type: "toolCall", id: "a", name: "act", arguments: {} },
        ],
      },
      textTurn("x"),
    ],
    tools: [tool("act", () => "ran")],
  });
  const message = run.messages()[1];
  assert.deepEqual(message?.role === "assistant" && message.content.map((block) => block.type), [
    "toolCall",
  ]);
  assert.equal(textOfResult(run.results()[0]), "ran");
});

test("an unknown stop reason counts as stop", async () => {
  const odd = { ...textTurn("x"), stopReason: "pending" as never };
  const run = await runLoop({ turns: [odd] });
  assert.equal(run.end().reason, "done");
  const message = run.messages()[1];
  assert.equal(message?.role === "assistant" && message.stopReason, "stop");
});

function assistant(content: AssistantMessage["content"]): AssistantMessage {
  return {
    role: "assistant",
    content,
    api: "a",
    provider: "p",
    model: "m",
    usage: emptyUsage(),
    stopReason: content.length > 0 ? "toolUse" : "stop",
    timestamp: 0,
  };
}

function events(
  all: AssistantMessageEvent[],
): EventStream<AssistantMessageEvent, AssistantMessage> {
  const stream = new EventStream<AssistantMessageEvent, AssistantMessage>(
    (event) => event.type === "done" || event.type === "error",
    (event) => (event.type === "done" ? event.message : assistant([])),
  );
  for (const event of all) stream.push(event);
  return stream;
}
