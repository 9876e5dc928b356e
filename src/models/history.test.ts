import { textOf } from "../core/messages.ts";
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  type AssistantMessage,
  emptyUsage,
  type Message,
  type StopReason,
  type ToolResultMessage,
} from "../core/messages.ts";
import { randomHistory } from "../../test/kit/random-history.ts";
import { callsOf, repairHistory } from "./history.ts";

const user = (content: string): Message => ({ role: "user", content, timestamp: 1 });

function assistant(ids: readonly string[], stopReason: StopReason = "toolUse"): AssistantMessage {
  return {
    role: "assistant",
    content: [
      { type: "text", text: "calling" },
      ...ids.map((id) => ({ type: "toolCall" as const, id, name: "read", arguments: {} })),
    ],
    api: "x",
    provider: "x",
    model: "x",
    usage: emptyUsage(),
    stopReason,
    timestamp: 1,
  };
}

function result(toolCallId: string, text: string): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId,
    toolName: "read",
    content: [{ type: "text", text }],
    isError: false,
    timestamp: 1,
  };
}

/** `u hello`, `a c1 c2`, `r c1 text`. */
function sketch(messages: readonly Message[]): string[] {
  return messages.map((message) => {
    switch (message.role) {
      case "user":
        return `u ${textOf(message.content)}`;
      case "assistant":
        return ["a", ...callsOf(message).map(({ id }) => id)].join(" ");
      case "toolResult": {
        const [block] = message.content;
        const text = block?.type === "text" ? block.text : "";
        return `r ${message.toolCallId} ${message.isError ? "error: " : ""}${text.slice(0, 10)}`;
      }
      default:
        return message satisfies never;
    }
  });
}

describe("repairing a history", () => {
  test("a history that is right stays the same objects", () => {
    const messages = [
      user("go"),
      assistant(["c1", "c2"]),
      result("c1", "1"),
      result("c2", "2"),
      user("on"),
    ];
    const repaired = repairHistory(messages);
    assert.equal(repaired.length, messages.length);
    for (const [at, message] of repaired.entries()) assert.equal(message, messages[at]);
  });

  test("a call without a result gets an error result, in its place", () => {
    const messages = [user("go"), assistant(["c1", "c2", "c3"]), result("c2", "2"), user("on")];
    assert.deepEqual(sketch(repairHistory(messages)), [
      "u go",
      "a c1 c2 c3",
      "r c1 error: No result:",
      "r c2 2",
      "r c3 error: No result:",
      "u on",
    ]);
  });

  test("results come in the order of the calls, directly behind them", () => {
    const messages = [
      assistant(["c1", "c2"]),
      user("meanwhile"),
      result("c2", "2"),
      result("c1", "1"),
    ];
    assert.deepEqual(sketch(repairHistory(messages)), [
      "a c1 c2",
      "r c1 1",
      "r c2 2",
      "u meanwhile",
    ]);
  });

  test("results without a call, and second ones, are left out", () => {
    const messages = [
      result("x", "stray"),
      assistant(["c1"]),
      result("c1", "first"),
      result("c1", "again"),
      result("y", "stray"),
    ];
    assert.deepEqual(sketch(repairHistory(messages)), ["a c1", "r c1 first"]);
  });

  test("ids that recur are paired by position", () => {
    const messages = [
      assistant(["c", "c"]),
      result("c", "first"),
      result("c", "second"),
      assistant(["c"]),
      result("c", "third"),
    ];
    assert.deepEqual(sketch(repairHistory(messages)), [
      "a c c",
      "r c first",
      "r c second",
      "a c",
      "r c third",
    ]);
  });

  for (const stopReason of ["error", "aborted"] as const) {
    test(`a message that ended by ${stopReason} loses calls of which none has a result`, () => {
      const messages = [user("go"), assistant(["c1"], stopReason), user("on")];
      assert.deepEqual(sketch(repairHistory(messages)), ["u go", "a", "u on"]);
    });

    test(`a message that ended by ${stopReason} keeps all its calls if one ran`, () => {
      const messages = [assistant(["c1", "c2"], stopReason), result("c2", "ran")];
      assert.deepEqual(sketch(repairHistory(messages)), [
        "a c1 c2",
        "r c1 error: No result:",
        "r c2 ran",
      ]);
    });
  }

  test("what is made for a repair is made once", () => {
    const messages = [assistant(["c1"]), assistant(["c2"], "aborted")];
    const [first, second] = [repairHistory(messages), repairHistory(messages)];
    assert.equal(first.length, 3);
    for (const [at, message] of first.entries()) assert.equal(message, second[at]);
  });

  test("broken shapes are survived", () => {
    const broken = [
      { role: "assistant", content: null },
      { role: "note", content: "?" },
      { role: "assistant", content: [null, { type: "toolCall" }] },
    ] as unknown as Message[];
    assert.equal(repairHistory(broken).length, 3);
  });

  test("in every repaired history each call has exactly one result, directly behind, in order", () => {
    fc.assert(
      fc.property(randomHistory, (messages) => {
        const repaired = repairHistory(messages);
        let open: string[] = [];
        for (const message of repaired) {
          if (message.role === "toolResult") {
            assert.equal(message.toolCallId, open.shift());
            continue;
          }
          assert.deepEqual(open, []);
          if (message.role === "assistant") open = callsOf(message).map(({ id }) => id);
        }
        assert.deepEqual(open, []);
      }),
      { numRuns: 500 },
    );
  });

  test("a repaired history needs no further repair, and keeps every user message", () => {
    fc.assert(
      fc.property(randomHistory, (messages) => {
        const once = repairHistory(messages);
        assert.deepEqual(repairHistory(once), once);
        const users = (list: readonly Message[]): Message[] =>
          list.filter(({ role }) => role === "user");
        assert.deepEqual(users(once), users(messages));
      }),
    );
  });
});
