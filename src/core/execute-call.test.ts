// Execution: the deadline, updates, thrown things, the hook after a call, and the bounds of a result.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ok, runLoop, startLoop, textOfResult, tick, tool } from "../../test/kit/run-loop.ts";
import { callTurn, textTurn } from "../testing/scripted-model.ts";
import type { AgentLoopConfig } from "./config.ts";
import type { ToolResultMessage } from "./messages.ts";
import type { AgentTool, ToolResult } from "./tool.ts";

async function resultOf(
  used: AgentTool,
  config: Partial<AgentLoopConfig> = {},
): Promise<ToolResultMessage> {
  const run = await runLoop({
    turns: [callTurn("act", { n: 1 }, "c1"), textTurn("x")],
    tools: [used],
    config,
  });
  assert.equal(run.end().reason, "done");
  const result = run.results()[0];
  assert.ok(result);
  return result;
}

describe("whatever is thrown becomes readable text", () => {
  const things: [string, unknown, string][] = [
    ["an object", { code: 7 }, '{"code":7}'],
    ["a text", "no", "no"],
    ["undefined", undefined, "undefined was thrown"],
    ["an error without a message", new RangeError(), "RangeError"],
  ];
  for (const [what, thrown, text] of things) {
    test(what, async () => {
      const result = await resultOf(
        tool("act", () => {
          throw thrown;
        }),
      );
      assert.equal(textOfResult(result), text);
      assert.equal(result.isError, true);
    });
  }

  test("a tool that is no async function may throw too", async () => {
    const raw: AgentTool = {
      name: "act",
      description: "",
      parameters: {},
      execute: () => {
        throw new Error("at once");
      },
    };
    assert.equal(textOfResult(await resultOf(raw)), "at once");
  });
});

test("isError of the tool's own is an error result", async () => {
  const result = await resultOf(tool("act", () => ok("sorry", { isError: true })));
  assert.equal(result.isError, true);
  assert.equal(textOfResult(result), "sorry");
});

describe("a tool that returns odd things", () => {
  const odd: [string, unknown, ToolResultMessage["content"]][] = [
    ["nothing", undefined, []],
    ["null", null, []],
    ["no content", {}, []],
    ["a text as content", { content: "hello" }, [{ type: "text", text: "hello" }]],
    ["texts as blocks", { content: ["a"] }, [{ type: "text", text: "a" }]],
    [
      "a block of no known kind",
      { content: [{ type: "audio", data: 1 }] },
      [{ type: "text", text: '{"type":"audio","data":1}' }],
    ],
    ["content that is no list", { content: { a: 1 } }, [{ type: "text", text: '{"a":1}' }]],
  ];
  for (const [what, returned, content] of odd) {
    test(what, async () => {
      const raw = { ...tool("act", () => ""), execute: async () => returned as ToolResult };
      assert.deepEqual((await resultOf(raw)).content, content);
    });
  }
});

describe("updates", () => {
  test("reach the listener with the call's final arguments", async () => {
    const run = await runLoop({
      turns: [callTurn("act", { n: 1 }, "c1"), textTurn("x")],
      tools: [
        {
          ...tool("act", () => ""),
          execute: async (_id, _args, _signal, onUpdate) => {
            onUpdate?.(ok("half"));
            return ok("whole");
          },
        },
      ],
    });
    const update = run.events.find((event) => event.type === "tool_execution_update");
    assert.deepEqual(update, {
      type: "tool_execution_update",
      toolCallId: "c1",
      toolName: "act",
      args: { n: 1 },
      partialResult: ok("half"),
    });
  });

  test("after settlement are dropped", async () => {
    let late: (() => void) | undefined;
    const run = await runLoop({
      turns: [callTurn("act", {}, "c1"), callTurn("later", {}, "c2"), textTurn("x")],
      tools: [
        {
          ...tool("act", () => ""),
          execute: async (_id, _args, _signal, onUpdate) => {
            late = () => onUpdate?.(ok("too late"));
            return ok("whole");
          },
        },
        tool("later", () => {
          late?.();
          return "ok";
        }),
      ],
    });
    assert.ok(!run.lines().some((line) => line.startsWith("tool_execution_update")));
  });

  test("nobody reads are not kept without bound: the last one wins", async () => {
    const run = startLoop({ turns: [] });
    const { agentLoop } = await import("./agent-loop.ts");
    const { createScriptedModel } = await import("../testing/scripted-model.ts");
    const script = createScriptedModel([callTurn("act", {}, "c1"), textTurn("x")]);
    const stream = agentLoop(
      [],
      {
        messages: [{ role: "user", content: "go", timestamp: 0 }],
        tools: [
          {
            ...tool("act", () => ""),
            execute: async (_id, _args, _signal, onUpdate) => {
              for (let n = 0; n < 300_000; n++) onUpdate?.(ok(`${n}`));
              return ok("whole");
            },
          },
        ],
      },
      {
        model: script.model,
        clock: run.manual.clock,
        timers: run.manual.timers,
        ids: () => "id",
      },
      undefined,
      script.streamFn,
    );
    await stream.result();
    let count = 0;
    let last = "";
    for await (const event of stream) {
      count++;
      if (event.type === "tool_execution_update") {
        const [block] = event.partialResult.content;
        last = block?.type === "text" ? block.text : "";
      }
    }
    assert.ok(count < 1100, `${count} events`);
    assert.equal(last, "299999");
  });
});

describe("a tool's deadline", () => {
  test("is ten minutes if it names none; then its signal aborts and its own words are kept", async () => {
    const run = startLoop({
      turns: [callTurn("act", {}, "c1"), textTurn("x")],
      tools: [
        tool(
          "act",
          (_args, signal) =>
            new Promise((resolve) =>
              signal.addEventListener("abort", () => resolve(ok("partial output"))),
            ),
        ),
      ],
    });
    await tick();
    await run.manual.advance(599_999);
    assert.ok(!run.lines().includes("tool_execution_end c1 error"));
    await run.manual.advance(1);
    await run.ended;
    const result = run.results()[0];
    assert.equal(result?.isError, true);
    assert.equal(
      textOfResult(result),
      "partial output\nact timed out after 600 s and was stopped.",
    );
    assert.equal(result?.durationMs, 600_000);
    assert.equal(run.end().reason, "done");
  });

  test("leaves a deaf tool behind after a grace of 750 ms, and says so", async () => {
    const run = startLoop({
      turns: [callTurn("act", {}, "c1"), textTurn("x")],
      tools: [tool("act", () => new Promise(() => {}), { timeoutMs: 1000 })],
    });
    await tick();
    await run.manual.advance(1749);
    assert.ok(!run.lines().includes("tool_execution_end c1 error"));
    await run.manual.advance(1);
    await run.ended;
    assert.match(
      textOfResult(run.results()[0]),
      /^act timed out after 1 s and was stopped\. It did not end within 750 ms and was left behind/,
    );
  });

  test("of zero is none", async () => {
    const end = Promise.withResolvers<string>();
    const run = startLoop({
      turns: [callTurn("act", {}, "c1"), textTurn("x")],
      tools: [tool("act", () => end.promise, { timeoutMs: 0 })],
    });
    await tick();
    await run.manual.advance(10_000_000);
    end.resolve("at last");
    await run.ended;
    assert.equal(textOfResult(run.results()[0]), "at last");
  });
});

describe("the hook after a call", () => {
  const first = () => ok("first", { details: { a: 1 } });

  test("replaces the fields that it gives, each whole, and leaves the others", async () => {
    const seen: unknown[] = [];
    const result = await resultOf(tool("act", first), {
      afterToolCall: ({ toolCall, args, result: given, isError }) => {
        seen.push([toolCall.id, args, given.content, isError]);
        return { content: [{ type: "text", text: "second" }], isError: true };
      },
    });
    assert.equal(textOfResult(result), "second");
    assert.equal(result.isError, true);
    assert.deepEqual(result.details, { a: 1 });
    assert.deepEqual(seen, [["c1", { n: 1 }, first().content, false]]);
  });

  test("may replace details and terminate", async () => {
    const run = await runLoop({
      turns: [callTurn("act", {}), textTurn("never")],
      tools: [tool("act", first)],
      config: { afterToolCall: () => ({ details: { b: 2 }, terminate: true }) },
    });
    assert.equal(run.end().reason, "terminated");
    assert.deepEqual(run.results()[0]?.details, { b: 2 });
  });

  test("that throws makes the result an error and keeps what the tool said", async () => {
    const result = await resultOf(tool("act", first), {
      afterToolCall: () => {
        throw new Error("after all");
      },
    });
    assert.equal(result.isError, true);
    assert.equal(textOfResult(result), "first\nThe hook after this call failed: after all");
  });

  test("that hangs makes the result an error after 30 s", async () => {
    const run = startLoop({
      turns: [callTurn("act", {}), textTurn("x")],
      tools: [tool("act", first)],
      config: { afterToolCall: () => new Promise(() => {}) },
    });
    await tick();
    await run.manual.advance(30_000);
    await run.ended;
    assert.match(textOfResult(run.results()[0]), /did not answer within 30 s/);
  });

  test("is not asked about calls that were not executed", async () => {
    let asked = 0;
    await runLoop({
      turns: [callTurn("nope", {}), textTurn("x")],
      config: { afterToolCall: () => void asked++ },
    });
    assert.equal(asked, 0);
  });

  test("sees the failure of a tool that threw", async () => {
    const result = await resultOf(
      tool("act", () => {
        throw new Error("broken");
      }),
      { afterToolCall: ({ isError }) => (isError ? { isError: false } : undefined) },
    );
    assert.equal(result.isError, false);
    assert.equal(textOfResult(result), "broken");
  });
});

test("the event's result is the bounded one", async () => {
  const run = await runLoop({
    turns: [callTurn("act", {}, "c1"), textTurn("x")],
    tools: [tool("act", () => "x".repeat(200_000))],
  });
  const end = run.events.find((event) => event.type === "tool_execution_end");
  assert.ok(end?.type === "tool_execution_end");
  assert.deepEqual(end.result.content, run.results()[0]?.content);
  assert.equal(end.isError, false);
});
