import assert from "node:assert/strict";
import { test } from "node:test";
import { nearestNames } from "./nearest-names.ts";

const tools = ["read", "bash", "edit", "write", "grep", "find", "ls"];

const cases: [string, string[]][] = [
  ["raed", ["read"]],
  ["Read", ["read"]],
  ["reads", ["read"]],
  ["read_file", ["read"]],
  ["writ", ["write"]],
  ["qqqq", []],
  ["", []],
  ["x", []],
];
for (const [name, nearest] of cases) {
  test(`${JSON.stringify(name)} is near ${nearest.join() || "nothing"}`, () => {
    assert.deepEqual(nearestNames(name, tools), nearest);
  });
}

test("the best come first, at most as many as asked for", () => {
  const files = ["notes.md", "note.md", "notes.txt", "other.js"];
  assert.deepEqual(nearestNames("note.md", files, 2), ["note.md", "notes.md"]);
});

test("long names and many candidates are bounded", () => {
  const many = Array.from({ length: 100_000 }, (_, n) => `candidate${n}`);
  assert.deepEqual(nearestNames("z".repeat(1_000_000), many), []);
});
