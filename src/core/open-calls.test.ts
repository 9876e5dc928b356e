// A continued history with open calls: each is settled before the model is asked again.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ok, runLoop, textOfResult, tool, user } from "../../test/kit/run-loop.ts";
import { textTurn } from "../testing/scripted-model.ts";
import {
  type AgentMessage,
  type AssistantMessage,
  emptyUsage,
  type ToolCall,
  type ToolResultMessage,
} from "./messages.ts";

function asked(calls: Partial<ToolCall>[], more: Partial<AssistantMessage> = {}): AssistantMessage {
  return {
    role: "assistant",
    content: calls.map((call, at) => ({
      type: "toolCall",
      id: `c${at}`,
      name: "act",
      arguments: {},
      ...call,
    })),
    api: "a",
    provider: "p",
    model: "m",
    usage: emptyUsage(),
    stopReason: "toolUse",
    timestamp: 0,
    ...more,
  };
}

const answered = (toolCallId: string): ToolResultMessage => ({
  role: "toolResult",
  toolCallId,
  toolName: "act",
  content: [{ type: "text", text: `old ${toolCallId}` }],
  isError: false,
  timestamp: 0,
});

const act = (more = {}) => tool("act", () => "new", more);
const look = tool("look", () => "seen", { pure: true });

async function goOn(history: AgentMessage[], setup: Partial<Parameters<typeof runLoop>[0]> = {}) {
  const run = await runLoop({
    turns: [textTurn("x")],
    tools: [act(), look],
    history,
    goOn: true,
    ...setup,
  });
  const sent = run.script.requests[0]?.context.messages ?? [];
  return { run, sent, texts: run.results().map(textOfResult) };
}

test("pure calls run and others are unknown, when nobody can say", async () => {
  const { run, sent, texts } = await goOn([user("a"), asked([{}, { name: "look" }])]);
  assert.match(texts[0] ?? "", /^It is unknown whether this call happened/);
  assert.equal(texts[1], "seen");
  assert.deepEqual(
    sent.map((message) => message.role),
    ["user", "assistant", "toolResult", "toolResult"],
  );
  assert.equal(run.end().reason, "done");
  assert.deepEqual(run.lines().slice(0, 5), [
    "agent_start",
    "turn_start",
    "tool_execution_start c0 act",
    "tool_execution_end c0 error",
    "tool_execution_start c1 look",
  ]);
});

test("results that are there stay in their place, and the new ones go where the model's order says", async () => {
  const { sent, run } = await goOn([
    user("a"),
    asked([{ name: "look" }, {}, { name: "look" }]),
    answered("c1"),
    user("go on"),
  ]);
  assert.deepEqual(
    sent.map((message) => (message.role === "toolResult" ? textOfResult(message) : message.role)),
    ["user", "assistant", "seen", "old c1", "seen", "user"],
  );
  assert.equal(run.results().length, 2);
  const starts = run.lines().filter((line) => line.startsWith("tool_execution_start"));
  assert.equal(starts.length, 2);
});

describe("openCalls says of a call", () => {
  test("not_started: it goes through all gates and runs", async () => {
    const refs: unknown[] = [];
    const { texts, run } = await goOn([user("a"), asked([{}])], {
      config: {
        openCalls: (ref) => (refs.push(ref), "not_started"),
        beforeToolCall: () => ({ args: { by: "hook" } }),
      },
    });
    assert.deepEqual(texts, ["new"]);
    assert.deepEqual(refs, [{ turn: 0, index: 0, toolCallId: "c0" }]);
    const intent = run.records.find((entry) => entry.type === "intent");
    assert.deepEqual(intent?.type === "intent" && intent.args, { by: "hook" });
  });

  test("unknown: a pure call runs again", async () => {
    const { texts } = await goOn([user("a"), asked([{ name: "look" }])], {
      config: { openCalls: () => "unknown" },
    });
    assert.deepEqual(texts, ["seen"]);
  });

  for (const [said, expected] of [
    ["not_done", /^new$/],
    ["unknown", /^It is unknown/],
    [ok("it had happened"), /^it had happened$/],
  ] as const) {
    test(`unknown, and its probe says ${typeof said === "string" ? said : "what it found"}`, async () => {
      const probed: unknown[] = [];
      const probe = async (id: string, args: unknown) => (probed.push([id, args]), said);
      const { texts } = await goOn([user("a"), asked([{ arguments: { p: 1 } }])], {
        tools: [act({ probe })],
        config: { openCalls: () => "unknown" },
      });
      assert.match(texts[0] ?? "", expected);
      assert.deepEqual(probed, [["c0", { p: 1 }]]);
    });
  }

  test("unknown, and its probe throws: it stays unknown and does not run", async () => {
    const probe = () => Promise.reject(new Error("cannot look"));
    const { texts } = await goOn([user("a"), asked([{}])], {
      tools: [act({ probe })],
      config: { openCalls: () => "unknown" },
    });
    assert.match(texts[0] ?? "", /^It is unknown/);
  });

  test("its result", async () => {
    const { texts } = await goOn([user("a"), asked([{}])], {
      config: { openCalls: () => answered("c0") },
    });
    assert.deepEqual(texts, ["old c0"]);
  });
});

describe("a call that must not run", () => {
  const cases: [string, Partial<ToolCall>, Partial<AssistantMessage>, RegExp][] = [
    ["in a message that was cut", {}, { stopReason: "length" }, /output limit/],
    ["in a message that was aborted", {}, { stopReason: "aborted" }, /Aborted/],
    ["in a message that failed", {}, { stopReason: "error", errorMessage: "reset" }, /\(reset\)/],
    ["whose arguments are no JSON", { argumentsError: "at 3" }, {}, /not valid JSON/],
  ];
  for (const [title, call, message, text] of cases) {
    test(title, async () => {
      let ran = 0;
      const { texts } = await goOn([user("a"), asked([call], message)], {
        tools: [tool("act", () => `${ran++}`, { pure: true })],
        config: { openCalls: () => "not_started" },
      });
      assert.equal(ran, 0);
      assert.match(texts[0] ?? "", text);
    });
  }
});

test("an unknown tool among the open calls is an error result, and the run goes on", async () => {
  const { texts, run } = await goOn([user("a"), asked([{ name: "gone" }])]);
  assert.match(texts[0] ?? "", /^Tool gone not found/);
  assert.equal(run.end().reason, "done");
});

test("a turn that was settled counts for the turns behind it", async () => {
  const { run } = await goOn([user("a"), asked([{ name: "look" }])]);
  const message = run.records.find((entry) => entry.type === "message");
  assert.equal(message?.type === "message" && message.turn, 1);
  const result = run.records.find((entry) => entry.type === "result");
  assert.equal(result?.type === "result" && result.call.turn, 0);
});
