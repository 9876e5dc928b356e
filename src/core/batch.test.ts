// Scheduling: what runs together, what waits, and in which order ends and results come.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ok, runLoop, startLoop, textOfResult, tick, tool } from "../../test/kit/run-loop.ts";
import { callsTurn, callTurn, textTurn } from "../testing/scripted-model.ts";
import type { AgentTool, Claim } from "./tool.ts";

const path = (access: "read" | "write", name = "/f"): Claim => ({ on: "path", path: name, access });

/** A file of one text, with tools that read and change it in two steps, so that a race would show. */
function fileTools(start = ""): { text: () => string; tools: AgentTool[] } {
  let text = start;
  const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const read = tool(
    "read",
    async () => {
      await later();
      return text;
    },
    { claims: () => [path("read")], pure: true },
  );
  const append = tool(
    "append",
    async (args) => {
      const before = text;
      await later();
      text = before + String(args["text"]);
      return "ok";
    },
    { claims: () => [path("write")] },
  );
  const shell = tool(
    "shell",
    async (args) => {
      const before = text;
      await later();
      text = before.replaceAll(String(args["from"]), String(args["to"]));
      return text;
    },
    { claims: () => [{ on: "everything", access: "write" }] },
  );
  return { text: () => text, tools: [read, append, shell] };
}

describe("calls on one file", () => {
  test("two edits run in the model's order and none is lost", async () => {
    const file = fileTools("a");
    await runLoop({
      turns: [
        callsTurn([
          { name: "append", args: { text: "b" } },
          { name: "append", args: { text: "c" } },
          { name: "append", args: { text: "d" } },
        ]),
        textTurn("x"),
      ],
      tools: file.tools,
    });
    assert.equal(file.text(), "abcd");
  });

  test("a read beside two edits sees what the model's order says", async () => {
    const file = fileTools("a");
    const run = await runLoop({
      turns: [
        callsTurn([
          { name: "read" },
          { name: "append", args: { text: "b" } },
          { name: "read" },
          { name: "append", args: { text: "c" } },
          { name: "read" },
        ]),
        textTurn("x"),
      ],
      tools: file.tools,
    });
    assert.deepEqual(run.results().map(textOfResult), ["a", "ok", "ab", "ok", "abc"]);
  });

  test("a shell command is a barrier between what is before and behind it", async () => {
    const file = fileTools("x");
    const run = await runLoop({
      turns: [
        callsTurn([
          { name: "append", args: { text: "x" } },
          { name: "shell", args: { from: "x", to: "y" } },
          { name: "append", args: { text: "x" } },
          { name: "read" },
        ]),
        textTurn("x"),
      ],
      tools: file.tools,
    });
    assert.deepEqual(run.results().map(textOfResult), ["ok", "yy", "ok", "yyx"]);
  });
});

/** Tools whose calls end when the test says so. */
function gatedTool(more: Partial<AgentTool> = {}): {
  tool: AgentTool;
  started: string[];
  finish: (name: string) => void;
} {
  const gates = new Map<string, (text: string) => void>();
  const started: string[] = [];
  return {
    started,
    finish: (name) => gates.get(name)?.(`end of ${name}`),
    tool: tool(
      "wait",
      (args) => {
        const name = String(args["name"]);
        started.push(name);
        return new Promise<string>((resolve) => gates.set(name, resolve));
      },
      more,
    ),
  };
}

const waits = (...names: string[]) =>
  callsTurn(names.map((name) => ({ id: name, name: "wait", args: { name } })));

describe("order", () => {
  test("ends come in completion order, results in the model's order", async () => {
    const gated = gatedTool();
    const run = startLoop({ turns: [waits("a", "b", "c"), textTurn("x")], tools: [gated.tool] });
    await tick();
    for (const name of ["c", "a", "b"]) {
      gated.finish(name);
      await tick();
    }
    await run.ended;
    const ends = run.events.flatMap((event) =>
      event.type === "tool_execution_end" ? [event.toolCallId] : [],
    );
    assert.deepEqual(ends, ["c", "a", "b"]);
    assert.deepEqual(
      run.results().map(({ toolCallId }) => toolCallId),
      ["a", "b", "c"],
    );
    assert.deepEqual(
      run.script.requests[1]?.context.messages
        .slice(2)
        .map((m) => m.role === "toolResult" && m.toolCallId),
      ["a", "b", "c"],
    );
  });

  test("each result is recorded when it settles, not when the batch does", async () => {
    const gated = gatedTool();
    const run = startLoop({ turns: [waits("fast", "slow"), textTurn("x")], tools: [gated.tool] });
    await tick();
    gated.finish("fast");
    await tick();
    const recorded = run.records.filter((entry) => entry.type === "result");
    assert.deepEqual(
      recorded.map((entry) => entry.type === "result" && entry.call.toolCallId),
      ["fast"],
    );
    gated.finish("slow");
    await run.ended;
  });

  test("what waits for a call starts only after its result is recorded", async () => {
    const recording = Promise.withResolvers<void>();
    const gated = gatedTool({ claims: () => [path("write")] });
    const run = startLoop({
      turns: [waits("a", "b"), textTurn("x")],
      tools: [gated.tool],
      config: {
        record: (entries) =>
          entries.some((entry) => entry.type === "result" && entry.call.toolCallId === "a")
            ? recording.promise
            : Promise.resolve(),
      },
    });
    await tick();
    gated.finish("a");
    await tick();
    assert.deepEqual(gated.started, ["a"]);
    recording.resolve();
    await tick();
    assert.deepEqual(gated.started, ["a", "b"]);
    gated.finish("b");
    await run.ended;
  });

  test("at most eight run at once, or as many as the config says", async () => {
    const names = Array.from({ length: 20 }, (_, at) => `n${at}`);
    for (const [maxParallel, most] of [
      [undefined, 8],
      [3, 3],
    ] as const) {
      const gated = gatedTool();
      const run = startLoop({
        turns: [waits(...names), textTurn("x")],
        tools: [gated.tool],
        config: maxParallel === undefined ? {} : { maxParallel },
      });
      await tick();
      assert.deepEqual(gated.started, names.slice(0, most));
      for (const name of names) {
        gated.finish(name);
        await tick();
      }
      await run.ended;
      assert.equal(run.results().length, 20);
    }
  });
});

describe("sequential", () => {
  for (const [what, config, mode] of [
    ["one sequential tool", {}, "sequential"],
    ["a sequential config", { toolExecution: "sequential" }, undefined],
  ] as const) {
    test(`${what} makes the whole batch run one by one, gates and record too`, async () => {
      const order: string[] = [];
      const note = (text: string) => (order.push(text), text);
      const plain = tool("plain", (args) => note(`run ${String(args["n"])}`), {
        prepareArguments: (raw) => (note(`gate ${String((raw as { n: number }).n)}`), raw),
      });
      const other = { ...plain, name: "other", ...(mode ? { executionMode: mode } : {}) };
      await runLoop({
        turns: [
          callsTurn([
            { name: "plain", args: { n: 1 } },
            { name: "other", args: { n: 2 } },
            { name: "plain", args: { n: 3 } },
          ]),
          textTurn("x"),
        ],
        tools: [plain, other],
        config: {
          ...config,
          record: async (entries) => {
            for (const entry of entries) if (entry.type === "result") note("recorded");
          },
        },
      });
      assert.deepEqual(order, [
        "gate 1",
        "run 1",
        "recorded",
        "gate 2",
        "run 2",
        "recorded",
        "gate 3",
        "run 3",
        "recorded",
      ]);
    });
  }

  test("is decided over the tools that are found: an unknown name does not count", async () => {
    const gated = gatedTool();
    const turn = callsTurn([
      { name: "Serial tool that is not there" },
      { id: "a", name: "wait", args: { name: "a" } },
      { id: "b", name: "wait", args: { name: "b" } },
    ]);
    const run = startLoop({ turns: [turn, textTurn("x")], tools: [gated.tool] });
    await tick();
    assert.deepEqual(gated.started, ["a", "b"]);
    gated.finish("a");
    gated.finish("b");
    await run.ended;
  });
});

describe("claims", () => {
  test("that throw make the call a barrier", async () => {
    const gated = gatedTool({
      claims: () => {
        throw new Error("cannot say");
      },
    });
    const run = startLoop({ turns: [waits("a", "b"), textTurn("x")], tools: [gated.tool] });
    await tick();
    assert.deepEqual(gated.started, ["a"]);
    gated.finish("a");
    await tick();
    gated.finish("b");
    await run.ended;
  });

  test("are asked for again before the start when an earlier call wrote, and a moved target is permitted anew", async () => {
    let target = "/old";
    const asked: string[] = [];
    const move = tool("move", () => ((target = "/new"), "moved"), {
      claims: () => [path("write", "/link")],
    });
    const write = tool("write", () => `wrote ${target}`, {
      claims: () => [path("write", target), path("write", "/link")],
    });
    const run = await runLoop({
      turns: [callsTurn([{ name: "move" }, { name: "write" }]), textTurn("x")],
      tools: [move, write],
      config: {
        authorize: ({ toolCall, claims }) => {
          const [first] = claims;
          asked.push(`${toolCall.name} ${first?.on === "path" ? first.path : ""}`);
          return { decision: "allow", reason: "" };
        },
      },
    });
    assert.deepEqual(asked, ["move /link", "write /old", "write /new"]);
    assert.equal(textOfResult(run.results()[1]), "wrote /new");
    const intent = run.records.findLast((entry) => entry.type === "intent");
    assert.deepEqual(intent?.type === "intent" && intent.claims[0], path("write", "/new"));
  });

  test("that never hold still end as a barrier", async () => {
    let n = 0;
    const write = tool("write", () => "x", { claims: () => [path("write", `/f${n++}`)] });
    const run = await runLoop({
      turns: [callsTurn([{ name: "write" }, { name: "write" }]), textTurn("x")],
      tools: [write],
    });
    assert.equal(run.results().length, 2);
    assert.ok(run.results().every((result) => !result.isError));
  });

  test("are not asked for again when nothing was written before", async () => {
    let asked = 0;
    const read = tool("read", () => "x", { claims: () => (asked++, [path("read")]) });
    await runLoop({
      turns: [callsTurn([{ name: "read" }, { name: "read" }]), textTurn("x")],
      tools: [read],
    });
    assert.equal(asked, 2);
  });
});

test("a tool's own usage is kept in its result and its cost counts", async () => {
  const usage = {
    input: 1,
    output: 1,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 2,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 5 },
  };
  const paid = tool("paid", () => ok("x", { usage }));
  const run = await runLoop({
    turns: [callTurn("paid", {}), textTurn("never")],
    tools: [paid],
    config: { limits: { costUsd: 1 } },
  });
  assert.equal(run.end().reason, "max_cost");
  assert.deepEqual(run.results()[0]?.usage, usage);
});
