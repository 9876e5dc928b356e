// The bounds of a result, whoever wrote the tool.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ok, runLoop, textOfResult, tool } from "../../test/kit/run-loop.ts";
import { callTurn, textTurn } from "../testing/scripted-model.ts";
import type { AgentLoopConfig } from "./config.ts";
import type { ToolResultMessage } from "./messages.ts";
import type { AgentTool } from "./tool.ts";

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

describe("the bounds of a result", () => {
  test("64 KB of text, with how to get the rest", async () => {
    const result = await resultOf(tool("act", () => "x".repeat(30_000_000)));
    const text = textOfResult(result);
    assert.equal(text.indexOf("\n["), 65_536);
    assert.match(
      text,
      /\[Output cut: the first 64 KB of 28\.6 MB are shown\..*call again for less/,
    );
  });

  test("are those of all text blocks together, and count bytes, never half a character", async () => {
    const result = await resultOf(
      tool("act", () => ({
        content: [
          { type: "text", text: "y".repeat(65_534) },
          { type: "text", text: "漢字" },
          { type: "text", text: "z" },
        ],
      })),
    );
    const [first, note] = result.content;
    assert.equal(first?.type === "text" && first.text.length, 65_534);
    assert.equal(result.content.length, 2);
    assert.match(note?.type === "text" ? note.text : "", /^\[Output cut/);
  });

  test("a spilled text says where the whole lies", async () => {
    let kept = "";
    const result = await resultOf(
      tool("act", () => "x".repeat(70_000)),
      {
        spill: async (text, { toolCallId }) => {
          kept = text;
          return `/spill/${toolCallId}`;
        },
      },
    );
    assert.equal(kept.length, 70_000);
    assert.match(textOfResult(result), /The whole text is in \/spill\/c1\.\]$/);
  });

  test("a spill that fails leaves the note without it", async () => {
    const result = await resultOf(
      tool("act", () => "x".repeat(70_000)),
      { spill: () => Promise.reject(new Error("disk full")) },
    );
    assert.match(textOfResult(result), /call again for less/);
  });

  test("a thousand blocks, and how many more there were", async () => {
    const blocks = Array.from({ length: 2500 }, () => ({ type: "text", text: "" }));
    const result = await resultOf(tool("act", () => ({ content: blocks })));
    assert.equal(result.content.length, 1001);
    assert.match(textOfResult(result), /\[1500 more blocks left out: a result holds 1000\.\]$/);
  });

  test("exactly 64 KB is whole", async () => {
    const result = await resultOf(tool("act", () => "x".repeat(65_536)));
    assert.equal(textOfResult(result).length, 65_536);
  });

  test("twenty images of five megabytes; more, and larger ones, are named in their place", async () => {
    const image = (size: number) => ({
      type: "image",
      data: "A".repeat(size),
      mimeType: "image/png",
    });
    const result = await resultOf(
      tool("act", () => ({
        content: [image(5 * 1024 * 1024 + 1), ...Array.from({ length: 20 }, () => image(4))],
      })),
    );
    const kinds = result.content.map((block) => block.type);
    assert.equal(kinds.filter((kind) => kind === "image").length, 19);
    assert.match(textOfResult(result), /^\[Image left out: 5\.0 MB of base64/);
    assert.match(textOfResult(result), /a result holds 20 images/);
  });

  test("details of more than one megabyte, or that are no data, are dropped with a note", async () => {
    const big = await resultOf(
      tool("act", () => ok("x", { details: { a: "y".repeat(1_100_000) } })),
    );
    assert.match(JSON.stringify(big.details), /^\{"dropped":".*bytes/);
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    const odd = await resultOf(tool("act", () => ok("x", { details: cyclic })));
    assert.match(JSON.stringify(odd.details), /^\{"dropped":/);
    const live = await resultOf(tool("act", () => ok("x", { details: { f: () => 1, n: 1 } })));
    assert.deepEqual(live.details, { n: 1 });
  });
});

test("a block that a tool changes later, or that carries more, is kept as it was", async () => {
  const block = { type: "text" as const, text: "first", more: "x".repeat(1000), f: () => 1 };
  const reused = tool("act", () => ({ content: [block] }));
  const run = await runLoop({
    turns: [callTurn("act", { n: 1 }), callTurn("act", { n: 2 }), textTurn("x")],
    tools: [reused],
    config: { afterToolCall: ({ args }) => void (block.text = `after ${String(args["n"])}`) },
  });
  block.text = "long after";
  assert.deepEqual(
    run.results().map(({ content }) => content),
    [[{ type: "text", text: "after 1" }], [{ type: "text", text: "after 2" }]],
  );
});
