// The gates: find the tool, shim, validation, the hook before a call, permission.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { runLoop, startLoop, textOfResult, tick, tool } from "../../test/kit/run-loop.ts";
import { callsTurn, callTurn, textTurn } from "../testing/scripted-model.ts";
import type { AgentLoopConfig } from "./config.ts";
import type { AgentTool } from "./tool.ts";

const act = tool("act", (args) => `ran ${JSON.stringify(args)}`, {
  parameters: {
    type: "object",
    properties: { path: { type: "string" } },
    required: ["path"],
  },
});

/** One call of `act` beside one that is fine; gives the first one's result and checks that the run went on. */
async function oneCall(
  call: { name?: string; args?: Record<string, unknown> },
  config: Partial<AgentLoopConfig> = {},
  used: AgentTool = act,
) {
  const run = await runLoop({
    turns: [
      callsTurn([
        { id: "c1", name: call.name ?? "act", args: call.args ?? { path: "a" } },
        { id: "c2", name: "fine" },
      ]),
      textTurn("x"),
    ],
    tools: [used, tool("fine", () => "fine")],
    config,
  });
  assert.equal(run.end().reason, "done");
  assert.equal(textOfResult(run.results()[1]), "fine");
  const starts = run.lines().filter((line) => line.startsWith("tool_execution_start c1"));
  const ends = run.lines().filter((line) => line.startsWith("tool_execution_end c1"));
  assert.deepEqual([starts.length, ends.length], [1, 1]);
  const result = run.results()[0];
  return { text: textOfResult(result), isError: result?.isError, run };
}

describe("each gate that does not let a call through gives one error result and the loop goes on", () => {
  test("an unknown tool, with the nearest real names", async () => {
    const { text, isError } = await oneCall({ name: "atc" });
    assert.equal(isError, true);
    assert.match(text, /^Tool atc not found\. Nearest: act\b/);
  });

  test("bad arguments, with what is wrong and what came", async () => {
    const { text, isError } = await oneCall({ args: { path: 7 } });
    assert.equal(isError, true);
    assert.match(text, /^Validation failed for tool "act":/);
  });

  test("a shim that throws", async () => {
    const shim = () => {
      throw new Error("no such shape");
    };
    const { text } = await oneCall({}, {}, { ...act, prepareArguments: shim });
    assert.equal(text, "The arguments of act could not be read: no such shape");
  });

  test("a hook that blocks, with its reason", async () => {
    const { text, isError, run } = await oneCall(
      {},
      {
        beforeToolCall: ({ toolCall }) =>
          toolCall.name === "act" ? { block: true, reason: "not today" } : undefined,
      },
    );
    assert.equal(text, "not today");
    assert.equal(isError, true);
    assert.deepEqual(
      run.records.find((entry) => entry.type === "denied"),
      {
        type: "denied",
        call: { turn: 0, index: 0, toolCallId: "c1" },
        by: "hook",
        reason: "not today",
      },
    );
  });

  test("a hook that throws counts as no", async () => {
    const { text, isError } = await oneCall(
      {},
      {
        beforeToolCall: ({ toolCall }) => {
          if (toolCall.name === "act") throw new Error("confused");
          return undefined;
        },
      },
    );
    assert.equal(isError, true);
    assert.match(text, /^Blocked: the hook before this call failed: confused$/);
  });

  test("a permission that is denied, with its reason and rule", async () => {
    const { text, isError, run } = await oneCall(
      {},
      {
        authorize: ({ toolCall }) =>
          toolCall.name === "act"
            ? { decision: "deny", reason: "outside the workspace", rule: "paths" }
            : { decision: "allow", reason: "" },
      },
    );
    assert.equal(text, "outside the workspace");
    assert.equal(isError, true);
    const denied = run.records.find((entry) => entry.type === "denied");
    assert.deepEqual(denied?.type === "denied" && [denied.by, denied.rule], ["policy", "paths"]);
  });

  for (const [what, decision] of [
    ["asks when nobody can be asked any more", { decision: "ask", reason: "who knows" }],
    ["says nothing", undefined],
  ] as const) {
    test(`a permission that ${what} counts as no`, async () => {
      const { isError } = await oneCall(
        {},
        {
          authorize: ({ toolCall }) =>
            toolCall.name === "act"
              ? (decision as never)
              : { decision: "allow" as const, reason: "" },
        },
      );
      assert.equal(isError, true);
    });
  }

  test("a permission that throws counts as no", async () => {
    const { text } = await oneCall(
      {},
      {
        authorize: ({ toolCall }) => {
          if (toolCall.name === "act") throw new Error("rules are broken");
          return { decision: "allow", reason: "" };
        },
      },
    );
    assert.equal(text, "Permission could not be decided: rules are broken");
  });

  test("a tool that throws", async () => {
    const broken = tool("act", () => {
      throw new Error("disk on fire");
    });
    const { text, isError } = await oneCall({}, {}, broken);
    assert.equal(text, "disk on fire");
    assert.equal(isError, true);
  });
});

test("a hook that hangs blocks its call after 30 s, and the loop goes on", async () => {
  const run = startLoop({
    turns: [callTurn("act", { path: "a" }), textTurn("x")],
    tools: [act],
    config: { beforeToolCall: () => new Promise(() => {}) },
  });
  await tick();
  await run.manual.advance(30_000);
  await run.ended;
  assert.match(textOfResult(run.results()[0]), /^Blocked: .*did not answer within 30 s/);
});

test("a blocked call may say that no more calls should come", async () => {
  const run = await runLoop({
    turns: [callTurn("act", { path: "a" }), textTurn("never")],
    tools: [act],
    config: { beforeToolCall: () => ({ block: true, terminate: true }) },
  });
  assert.equal(run.end().reason, "terminated");
});

describe("what a hook changes", () => {
  test("is validated again: a good change runs, and the history keeps what the model sent", async () => {
    const { text, run } = await oneCall(
      {},
      {
        beforeToolCall: ({ toolCall }) =>
          toolCall.name === "act" ? { args: { path: "b" } } : undefined,
      },
    );
    assert.equal(text, 'ran {"path":"b"}');
    const message = run.messages()[1];
    const block = message?.role === "assistant" ? message.content[0] : undefined;
    assert.deepEqual(block?.type === "toolCall" && block.arguments, { path: "a" });
    const intent = run.records.find((entry) => entry.type === "intent");
    assert.deepEqual(intent?.type === "intent" && intent.args, { path: "b" });
    const start = run.events.find((event) => event.type === "tool_execution_start");
    assert.deepEqual(start?.type === "tool_execution_start" && start.args, { path: "b" });
  });

  test("is validated again: a bad change is an error result", async () => {
    const { text } = await oneCall(
      {},
      {
        beforeToolCall: ({ toolCall }) =>
          toolCall.name === "act" ? { args: { path: 7 } } : undefined,
      },
    );
    assert.match(text, /^Validation failed/);
  });

  test("counts too when it changes its copy in place", async () => {
    const { text } = await oneCall(
      {},
      {
        beforeToolCall: ({ toolCall, args }) => {
          if (toolCall.name === "act") args["path"] = "c";
          return undefined;
        },
      },
    );
    assert.equal(text, 'ran {"path":"c"}');
  });

  test("comes before permission, which sees the final arguments, frozen", async () => {
    const { run } = await oneCall(
      {},
      {
        beforeToolCall: ({ toolCall }) =>
          toolCall.name === "act" ? { args: { path: "rewritten" } } : undefined,
        authorize: ({ toolCall, args }) => {
          if (toolCall.name !== "act") return { decision: "allow", reason: "" };
          assert.throws(() => (args["path"] = "mine"), TypeError);
          return { decision: "deny", reason: `saw ${String(args["path"])}` };
        },
      },
    );
    assert.equal(textOfResult(run.results()[0]), "saw rewritten");
  });
});

test("the shim gets a copy, and what it gives is validated", async () => {
  const sent = { file: "a" };
  const shim = (raw: unknown) => {
    const { file } = raw as { file?: string };
    delete (raw as { file?: string }).file;
    return { path: file };
  };
  const { text } = await oneCall({ args: sent }, {}, { ...act, prepareArguments: shim });
  assert.equal(text, 'ran {"path":"a"}');
  assert.deepEqual(sent, { file: "a" });
});

test("execute gets a fresh clone: what it changes reaches neither the history nor the record", async () => {
  const greedy = tool("act", (args) => {
    args["path"] = "changed";
    return "ok";
  });
  const { run } = await oneCall({}, {}, greedy);
  const start = run.events.find((event) => event.type === "tool_execution_start");
  assert.deepEqual(start?.type === "tool_execution_start" && start.args, { path: "a" });
});

describe("open questions", () => {
  test("are collected: the next call's gates do not wait for the answer", async () => {
    const asked: string[] = [];
    const answers = new Map<string, () => void>();
    const run = startLoop({
      turns: [
        callsTurn([
          { id: "a", name: "act", args: { path: "a" } },
          { id: "b", name: "act", args: { path: "b" } },
        ]),
        textTurn("x"),
      ],
      tools: [act],
      config: {
        authorize: ({ toolCall }) => {
          asked.push(toolCall.id);
          return new Promise((resolve) =>
            answers.set(toolCall.id, () => resolve({ decision: "allow", reason: "" })),
          );
        },
      },
    });
    await tick();
    assert.deepEqual(asked, ["a", "b"]);
    answers.get("b")?.();
    await tick();
    assert.ok(run.lines().includes("tool_execution_end b ok"));
    assert.ok(!run.lines().includes("tool_execution_start a act"));
    answers.get("a")?.();
    await run.ended;
  });

  test("hold back only what conflicts with the call", async () => {
    const answer = Promise.withResolvers<void>();
    const write = (name: string, path: string) =>
      tool(name, () => name, { claims: () => [{ on: "path", path, access: "write" }] });
    const run = startLoop({
      turns: [
        callsTurn([
          { id: "asks", name: "one" },
          { id: "same", name: "other" },
          { id: "apart", name: "apart" },
        ]),
        textTurn("x"),
      ],
      tools: [write("one", "/f"), write("other", "/f"), write("apart", "/g")],
      config: {
        authorize: async ({ toolCall }) => {
          if (toolCall.id === "asks") await answer.promise;
          return { decision: "allow", reason: "" };
        },
      },
    });
    await tick();
    assert.deepEqual(
      run.lines().filter((line) => line.startsWith("tool_execution_start")),
      ["tool_execution_start apart apart"],
    );
    answer.resolve();
    await run.ended;
    assert.deepEqual(run.results().map(textOfResult), ["one", "other", "apart"]);
  });
});

test("no name from outside reaches an object's prototype", async () => {
  for (const name of ["__proto__", "constructor", "toString"]) {
    const { text } = await oneCall({ name });
    assert.match(text, /not found/);
  }
});

describe("code of the caller's that is odd", () => {
  const standard = (validate: (value: unknown) => unknown) => ({
    "~standard": { version: 1, vendor: "odd", validate, jsonSchema: { input: () => ({}) } },
  });

  test("a schema whose check never ends refuses its call after 30 s", async () => {
    const parameters = standard(() => new Promise(() => {})) as never;
    const run = startLoop({
      turns: [callTurn("act", {}), textTurn("x")],
      tools: [{ ...act, parameters }],
    });
    await tick();
    await tick();
    await run.manual.advance(30_000);
    await run.ended;
    assert.match(textOfResult(run.results()[0]), /could not be checked: the check did not end/);
  });

  test("a schema may give what cannot be copied", async () => {
    const parameters = standard(() => ({ value: { path: "a", later: () => 1 } })) as never;
    for (const pure of [true, false]) {
      const odd: AgentTool = { ...act, pure, parameters };
      const { isError } = await oneCall({}, { beforeToolCall: () => undefined }, odd);
      assert.equal(isError, false);
      assert.equal((await oneCall({}, {}, odd)).isError, false);
    }
  });

  test("claims that are none count as everything", async () => {
    const claims = () => [{ on: "path", access: "read" }] as never;
    const { isError } = await oneCall({}, {}, { ...act, claims });
    assert.equal(isError, false);
  });

  test("a hook that changes the call itself does not reach the history", async () => {
    const { run } = await oneCall(
      {},
      {
        beforeToolCall: ({ toolCall }) => {
          toolCall.arguments["path"] = "changed";
          return undefined;
        },
      },
    );
    const message = run.messages()[1];
    const block = message?.role === "assistant" ? message.content[0] : undefined;
    assert.deepEqual(block?.type === "toolCall" && block.arguments, { path: "a" });
  });
});
