import assert from "node:assert/strict";
import { test } from "node:test";
import { showResult } from "./show-result.ts";

const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}`).join("\n");

test("the first lines are quoted, and the others counted", () => {
  assert.deepEqual(showResult(lines(5), 2), { quoted: "> line 1\n> line 2", more: 3 });
  assert.deepEqual(showResult(`${lines(2)}\n`, 2), { quoted: "> line 1\n> line 2", more: 0 });
});

test("lines that the tool left out count too, and its note is not shown", () => {
  assert.deepEqual(
    showResult(`${lines(3)}\n\n[12 more lines in file. Use offset=4 to continue.]`, 2),
    { quoted: "> line 1\n> line 2", more: 13 },
  );
  assert.deepEqual(showResult("a\n\n[1 more line in file. Use offset=2 to continue.]", 5), {
    quoted: "> a",
    more: 1,
  });
  assert.equal(
    showResult(`${lines(20)}\n\n[Showing lines 1-20 of 48210. Use offset=21 to continue.]`, 5).more,
    48_205,
  );
});

test("a note without a number is shown as it is", () => {
  assert.equal(showResult("a\n\n[Some other note.]", 9).quoted, "> a\n>\n> [Some other note.]");
});

test("nothing is nothing", () => {
  for (const text of ["", "(no output)"]) {
    assert.deepEqual(showResult(text, 5), { quoted: "", more: 0 });
  }
});

test("a long line is cut, never inside a character", () => {
  const { quoted } = showResult("😀".repeat(5000), 5);
  assert.equal(quoted, `> ${"😀".repeat(200)}…`);
});
