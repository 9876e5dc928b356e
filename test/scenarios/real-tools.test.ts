// The loop with the real tools on a real folder.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import {
  type AgentEvent,
  agentLoop,
  createLocalWorkspace,
  createTools,
  textOf,
} from "../../src/index.ts";
import type { ToolResultMessage } from "../../src/index.ts";
import { callsTurn, createScriptedModel, textTurn } from "../../src/testing/index.ts";

const folder = mkdtempSync(join(tmpdir(), "errand-tools-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const workspace = createLocalWorkspace({ cwd: folder, env: { PATH: process.env["PATH"] ?? "" } });
const tools = createTools(workspace);

async function run(
  calls: Parameters<typeof callsTurn>[0],
  signal?: AbortSignal,
): Promise<{ events: AgentEvent[]; results: ToolResultMessage[] }> {
  const { model, streamFn } = createScriptedModel([callsTurn(calls), textTurn("done")]);
  const prompt = { role: "user" as const, content: "go", timestamp: Date.now() };
  const stream = agentLoop([prompt], { messages: [], tools }, { model }, signal, streamFn);
  const events: AgentEvent[] = [];
  for await (const event of stream) events.push(event);
  const messages = await stream.result();
  return { events, results: messages.filter((message) => message.role === "toolResult") };
}

const text = (result: ToolResultMessage | undefined): string => textOf(result?.content ?? "");

test("of eight `sleep 0.3` all eight starts precede the first end", async () => {
  const calls = Array.from({ length: 8 }, () => ({ name: "bash", args: { command: "sleep 0.3" } }));
  const { events, results } = await run(calls);
  const kinds = events
    .map(({ type }) => type)
    .filter((type) => type === "tool_execution_start" || type === "tool_execution_end");
  assert.deepEqual(
    kinds.slice(0, 8),
    Array.from({ length: 8 }, () => "tool_execution_start"),
  );
  assert.ok(results.every(({ isError }) => !isError));
});

test("a read is cut at the line limit and says how to go on", async () => {
  const lines = Array.from({ length: 5000 }, (_, n) => `line ${n + 1}`);
  writeFileSync(join(folder, "long.txt"), `${lines.join("\n")}\n`);
  const { results } = await run([
    { name: "read", args: { path: "long.txt" } },
    { name: "read", args: { path: "long.txt", offset: 2001, limit: 2 } },
    { name: "read", args: { path: "long.txt", offset: 9999 } },
  ]);
  assert.match(
    text(results[0]),
    /line 2000\n\n\[Showing lines 1-2000 of 5000\. Use offset=2001 to continue\.\]$/,
  );
  assert.match(
    text(results[1]),
    /^line 2001\nline 2002\n\n\[2998 more lines in file\. Use offset=2003 to continue\.\]$/,
  );
  assert.match(text(results[2]), /Offset 9999 is beyond end of file \(5000 lines total\)/);
});

test("a read beside two edits of one file sees what the model's order says", async () => {
  writeFileSync(join(folder, "order.txt"), "one two three\n");
  const edit = (oldText: string, newText: string) => ({
    name: "edit",
    args: { path: "order.txt", edits: [{ oldText, newText }] },
  });
  const read = { name: "read", args: { path: "order.txt" } };
  const { results } = await run([read, edit("one", "1"), read, edit("two", "2"), read]);
  assert.equal(text(results[0]), "one two three\n");
  assert.equal(text(results[2]), "1 two three\n");
  assert.equal(text(results[4]), "1 2 three\n");
  assert.equal(readFileSync(join(folder, "order.txt"), "utf8"), "1 2 three\n");
});

test("a shell command waits for the writers before it, and the writers behind it wait for it", async () => {
  const write = (content: string) => ({ name: "write", args: { path: "shell.txt", content } });
  const shell = {
    name: "bash",
    args: { command: "sleep 0.1; sed -i s/x/y/ shell.txt; cat shell.txt" },
  };
  const { results } = await run([write("x1\n"), shell, write("x2\n")]);
  assert.equal(text(results[1]), "y1");
  assert.equal(readFileSync(join(folder, "shell.txt"), "utf8"), "x2\n");
});

test("an abort ends a running command and never starts the next one", async () => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 300);
  const { results } = await run(
    [
      { name: "bash", args: { command: "echo begun; sleep 60" } },
      { name: "write", args: { path: "never.txt", content: "x" } },
    ],
    controller.signal,
  );
  assert.match(text(results[0]), /begun[\s\S]*interrupted by the user/);
  assert.match(text(results[1]), /interrupted by the user\): this call was not started/);
  assert.throws(() => readFileSync(join(folder, "never.txt")));
});
