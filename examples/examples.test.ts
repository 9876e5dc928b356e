// Each example runs as a user would run it, and prints what its text promises.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

function run(name: string): string {
  const path = new URL(name, import.meta.url).pathname;
  return execFileSync(process.execPath, [path], {
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
}

test("mini-tool-loop shows the call and the answer", () => {
  assert.equal(
    run("mini-tool-loop.ts"),
    "[harness] 执行工具 read { path: 'a.txt', limit: 2 }\n[模型最终回答] 文件开头是：第一行\n",
  );
});

test("custom-tool runs what is valid and refuses what is not", () => {
  assert.equal(
    run("custom-tool.ts"),
    [
      'refused: Validation failed for tool "roll": - count: Too big: expected number to be <=10',
      "ran: 2 dice of 6: 6 ",
      "done - Two dice gave 6; ninety-nine are too many.",
      "",
    ].join("\n"),
  );
});

test("block-a-command blocks one call and runs the other", () => {
  assert.equal(
    run("block-a-command.ts"),
    [
      "blocked: Deleting is not allowed here. Say what you would delete instead.",
      "ran: ran: ls",
      "answer: I may not delete, so I only looked.",
      "",
    ].join("\n"),
  );
});
