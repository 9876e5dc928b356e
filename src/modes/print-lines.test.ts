import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { RunEnd } from "../agent/agent.ts";
import type { AgentEvent } from "../core/events.ts";
import { callLine, endLine, retryLine, totalsLine } from "./print-lines.ts";
import { noTotals } from "./output.ts";

type CallEnd = Extract<AgentEvent, { type: "tool_execution_end" }>;

function ended(changes: Partial<CallEnd> & { text?: string } = {}): CallEnd {
  const { text = "", ...rest } = changes;
  return {
    type: "tool_execution_end",
    toolCallId: "c1",
    toolName: "read",
    result: { content: [{ type: "text", text }] },
    isError: false,
    durationMs: 4,
    ...rest,
  };
}

describe("the line of a call", () => {
  const cases: [string, CallEnd, Record<string, unknown>, string][] = [
    ["names the path", ended(), { path: "README.md", offset: 3 }, "read README.md"],
    [
      "says how long a slow one took",
      ended({ toolName: "bash", durationMs: 2345 }),
      { command: "npm test" },
      "bash npm test (2.3 s)",
    ],
    [
      "counts minutes",
      ended({ toolName: "bash", durationMs: 125_000 }),
      { command: "make" },
      "bash make (2 min 5 s)",
    ],
    [
      "names what is looked for, and where",
      ended({ toolName: "grep" }),
      { path: "src", pattern: "TODO" },
      "grep TODO in src",
    ],
    [
      "shows the first line of a long command",
      ended({ toolName: "bash" }),
      { command: "\n cd a\nls\n" },
      "bash cd a …",
    ],
    ["needs no argument", ended({ toolName: "ls" }), {}, "ls"],
    [
      "takes the first text of an unknown tool",
      ended({ toolName: "roll" }),
      { n: 1, who: "me" },
      "roll me",
    ],
    [
      "says why it failed, in one line",
      ended({ isError: true, text: "no such file: x\nLook elsewhere." }),
      { path: "x" },
      "read x: no such file: x …",
    ],
    ["fails without words", ended({ isError: true }), { path: "x" }, "read x: failed"],
    [
      "lets no escape sequence through",
      ended({ toolName: "\u001b[2Jread", isError: true, text: "\u001b]0;x\u0007bad" }),
      { path: "a\u001b[31m\tb" },
      "read a b: bad",
    ],
    [
      "is cut between characters",
      ended(),
      { path: `${"x".repeat(99)}😀` },
      `read ${"x".repeat(99)}…`,
    ],
  ];
  for (const [title, event, args, line] of cases) {
    test(title, () => assert.equal(callLine(event, args), line));
  }
});

describe("the line at the end", () => {
  const cases: [string, Omit<RunEnd, "messages">, string | undefined][] = [
    ["is none for an answer", { reason: "done" }, undefined],
    ["is none when a tool ended the run", { reason: "terminated" }, undefined],
    [
      "names the cause",
      {
        reason: "error",
        cause: { message: "Nothing listens at\n\u001b[1m127.0.0.1:1.", errorKind: "network" },
      },
      "the run failed: Nothing listens at 127.0.0.1:1.",
    ],
    [
      "says what may help",
      { reason: "error", cause: { message: "529: overloaded", errorKind: "overloaded" } },
      "the run failed: 529: overloaded. Try again later.",
    ],
    [
      "names the flag behind a limit",
      { reason: "max_turns", cause: { message: "The limit of 3 turns is reached." } },
      "stopped: The limit of 3 turns is reached. --max-turns allows more.",
    ],
    ["needs no cause", { reason: "aborted" }, "aborted"],
    [
      "tells of a cut answer",
      { reason: "length" },
      "the answer was cut at the model's output limit. Ask for it in smaller pieces.",
    ],
  ];
  for (const [title, end, line] of cases) {
    test(title, () => assert.equal(endLine({ messages: [], ...end }), line));
  }

  test("is bounded", () => {
    const message = "x".repeat(1_000_000);
    assert.equal(endLine({ messages: [], reason: "error", cause: { message } })?.length, 1017);
  });
});

test("a retry tells how long it waits, and why", () => {
  const retry = { type: "request_retry" as const, attempt: 2, discardedCallIds: [] };
  assert.equal(
    retryLine({ ...retry, delayMs: 3200, reason: "overloaded" }),
    "retrying in 4 s: overloaded (attempt 2 failed)",
  );
  assert.equal(
    retryLine({ ...retry, delayMs: 0, reason: "the model answered nothing" }),
    "asking again: the model answered nothing",
  );
});

test("the totals are tokens, money where it costs any, and time", () => {
  const totals = { ...noTotals(), input: 10, cacheRead: 90, output: 7, totalTokens: 107 };
  assert.equal(totalsLine("a/b", totals, 1234), "a/b · 107 tokens (100 in, 7 out) · 1.2 s");
  assert.equal(
    totalsLine("a/b", { ...totals, costUsd: 0.01234 }, 1234),
    "a/b · 107 tokens (100 in, 7 out) · $0.0123 · 1.2 s",
  );
});
