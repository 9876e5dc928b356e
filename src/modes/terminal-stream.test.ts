import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { sanitizeText } from "../lib/text/sanitize.ts";
import { TerminalStream } from "./terminal-stream.ts";

function showing(pieces: readonly string[]): string[] {
  const written: string[] = [];
  const stream = new TerminalStream((text) => written.push(text));
  stream.begin();
  for (const piece of pieces) stream.push(piece);
  stream.end();
  return written;
}

test("plain text is shown piece by piece, and its last line is ended", () => {
  assert.deepEqual(showing(["Hel", "lo\nwor", "ld"]), ["Hel", "lo\nwor", "ld", "\n"]);
});

test("a text that ends its line gets no empty one", () => {
  assert.equal(showing(["done\n"]).join(""), "done\n");
});

test("nothing is written for nothing", () => {
  assert.deepEqual(showing(["", "\u001b[2J"]), []);
});

test("a sequence that is torn between pieces does not reach the terminal", () => {
  assert.equal(showing(["a\u001b]0;ti", "tle\u0007b\u009b3", "1mc"]).join(""), "abc\n");
});

test("half a character waits for its other half", () => {
  assert.deepEqual(showing(["x\ud83d", "\ude00y"]), ["x", "😀y", "\n"]);
});

test("whatever the pieces, the screen gets the whole text cleaned", () => {
  const parts = fc.constantFrom(
    "\u001b",
    "[",
    "]",
    "31m",
    "\u0007",
    "\u009b",
    "\n",
    "a",
    "😀",
    "\\",
    "P",
    "\u0000",
  );
  fc.assert(
    fc.property(fc.array(fc.array(parts, { maxLength: 6 }), { maxLength: 12 }), (lists) => {
      const pieces = lists.map((list) => list.join(""));
      const whole = sanitizeText(pieces.join(""));
      const shown = showing(pieces).join("");
      assert.equal(shown, whole === "" || whole.endsWith("\n") ? whole : `${whole}\n`);
    }),
  );
});
