import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Agent, type AgentOptions } from "../agent/agent.ts";
import { MAX_UNREAD_EVENTS } from "../core/event-queue.ts";
import type { UserMessage } from "../core/messages.ts";
import { defineTool } from "../core/tool.ts";
import { callTurn, createScriptedModel, type TurnScript } from "../testing/scripted-model.ts";
import { jsonLineProblem } from "../../test/kit/json-line-check.ts";
import { recordOutput } from "../../test/kit/output-recorder.ts";
import { runJson } from "./json.ts";

const prompt: UserMessage = { role: "user", content: "go", timestamp: 0 };
const session = { sessionId: "s1", cwd: "/work", timestamp: 5 };

const look = defineTool({
  name: "look",
  description: "Looks.",
  parameters: { type: "object", properties: {} },
  execute: async (_id, _args, _signal, onUpdate) => {
    onUpdate?.({ content: [{ type: "text", text: "half" }] });
    return { content: [{ type: "text", text: "seen" }], details: { n: [1, null, "x"] } };
  },
});

function setUp(turns: TurnScript[], options: AgentOptions = {}): Agent {
  const script = createScriptedModel(turns);
  return new Agent({
    streamFn: script.streamFn,
    ...options,
    initialState: { model: script.model, tools: [look] },
  });
}

type Line = Record<string, unknown> & { type: string };

function linesOf(text: string): Line[] {
  assert.ok(text.endsWith("\n"));
  return text
    .slice(0, -1)
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

const dialogue: TurnScript[] = [
  {
    thinking: "Hm.",
    text: "Let me look.",
    ...callTurn("look"),
    usage: {
      input: 5,
      output: 2,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.5 },
    },
  },
  { text: "All is well.", deltaSize: 3, usage: { input: 9, output: 3 } },
];

describe("JSON mode", () => {
  test("writes the session, the events in their order, and the result", async () => {
    const { port, out } = recordOutput();
    const agent = setUp(dialogue);
    const told: string[] = [];
    agent.subscribe(({ type }) => told.push(type));
    await runJson(agent, prompt, { port, session });
    const lines = linesOf(out());
    assert.deepEqual(
      lines.map(({ type }) => type),
      ["session", ...told, "result"],
    );
    const { provider, id } = agent.state.model;
    assert.deepEqual(lines[0], {
      type: "session",
      version: 1,
      id: "s1",
      cwd: "/work",
      model: { provider, id },
      timestamp: 5,
    });
    assert.deepEqual(lines.at(-1), {
      type: "result",
      text: "All is well.",
      reason: "done",
      usage: { input: 14, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: 19 },
      costUsd: 0.5,
      sessionId: "s1",
    });
  });

  const runs: [string, TurnScript[], AgentOptions][] = [
    ["an answer after a call", dialogue, {}],
    ["a failed run", [{ text: "Half", error: { kind: "auth", message: "no", status: 401 } }], {}],
    [
      "a repeated request",
      [{ text: "Half", error: { kind: "server", message: "no" } }, ...dialogue],
      { retry: { baseMs: 1 } },
    ],
    ["broken arguments", [{ calls: [{ name: "look", rawArguments: "{" }] }, { text: "Well." }], {}],
    ["an unknown tool", [callTurn("lok"), { text: "Well." }], {}],
    ["a limit", dialogue, { limits: { turns: 1 } }],
    ["a cut answer", [{ text: "Half", stopReason: "length" }], {}],
  ];
  for (const [title, turns, options] of runs) {
    test(`every line of ${title} is in the published schema`, async () => {
      const { port, out } = recordOutput();
      await runJson(setUp(turns, options), prompt, { port, session });
      assert.deepEqual(linesOf(out()).map(jsonLineProblem).filter(Boolean), []);
    });
  }

  test("the deltas of a message add up to its text", async () => {
    const { port, out } = recordOutput();
    await runJson(setUp([{ text: "All is well.", deltaSize: 3 }]), prompt, { port, session });
    const deltas = linesOf(out()).flatMap((line) => {
      const step = line["assistantMessageEvent"] as { type: string; delta?: string } | undefined;
      return step?.type === "text_delta" ? [step.delta] : [];
    });
    assert.deepEqual(deltas, ["All", " is", " we", "ll."]);
  });

  test("the result names the cause of a failure", async () => {
    const { port, out } = recordOutput();
    const error = { kind: "auth", message: "The key is not taken." } as const;
    const end = await runJson(setUp([{ error }]), prompt, { port, session });
    assert.equal(end.reason, "error");
    const cause = { message: "The key is not taken.", errorKind: "auth" };
    assert.deepEqual(linesOf(out()).at(-1)?.["cause"], cause);
  });

  test("a reader who is behind is waited for, loses nothing, and costs no delta each", async () => {
    const recorded = recordOutput();
    const text = "x".repeat(20_000);
    const agent = setUp([{ text, deltaSize: 1 }]);
    const goOn = recorded.stall();
    const run = runJson(agent, prompt, { port: recorded.port, session });
    await new Promise<void>((resolve) => {
      agent.subscribe((event) => event.type === "agent_end" && resolve());
    });
    assert.equal(recorded.writes(), 1, "nothing is written to a reader who is behind");
    goOn();
    await run;
    const lines = linesOf(recorded.out());
    assert.ok(lines.length < MAX_UNREAD_EVENTS + 20, `${lines.length} lines`);
    const deltas = lines.flatMap(
      (line) => (line["assistantMessageEvent"] as { delta?: string } | undefined)?.delta ?? [],
    );
    assert.equal(deltas.join(""), text);
    assert.equal(lines.at(-1)?.["text"], text);
  });

  test("a bug of ours is passed on, without a result", async () => {
    const { port, out } = recordOutput();
    const agent = setUp([]);
    agent.prompt = () => Promise.reject(new TypeError("boom"));
    await assert.rejects(runJson(agent, prompt, { port, session }), /boom/);
    assert.deepEqual(
      linesOf(out()).map(({ type }) => type),
      ["session"],
    );
  });
});
