import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { sanitizeText } from "./sanitize.ts";

describe("what is stripped", () => {
  const cases: [string, string, string][] = [
    ["colours", "\u001b[31mred\u001b[0m", "red"],
    ["unknown finals", "\u001b[5A\u001b[?25l\u001b[1;5rx", "x"],
    ["the 8-bit form", "\u009b31mred", "red"],
    ["a title, ended by a bell", "\u001b]0;title\u0007x", "x"],
    ["a title, ended by a string terminator", "\u001b]0;title\u001b\\x", "x"],
    ["a link", "\u001b]8;;http://x\u001b\\text\u001b]8;;\u001b\\", "text"],
    ["a device control string", "\u001bPq#0\u001b\\x", "x"],
    ["a title without an end, up to the end of its line", "\u001b]0;title\nnext", "\nnext"],
    ["a sequence that is cut off", "x\u001b[31", "x"],
    ["a lone escape", "x\u001b", "x"],
    ["other escapes", "\u001b(B\u001b=x\u001bc", "x"],
    ["bells, backspaces, deletes", "a\u0007b\u0008c\u007f", "abc"],
    ["nothing of plain text", "a\tb\nc é 漢 😀", "a\tb\nc é 漢 😀"],
  ];
  for (const [title, text, clean] of cases) {
    test(title, () => assert.equal(sanitizeText(text), clean));
  }
});

test("no control character but line break and tab is ever left", () => {
  const nasty = fc.constantFrom(
    "\u001b",
    "[",
    "]",
    "31m",
    "\u009b",
    "\u0007",
    "\n",
    "P",
    "\\",
    "x",
    ";",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(nasty, fc.string({ unit: "binary" }))), (parts) => {
      // oxlint-disable-next-line no-control-regex
      assert.doesNotMatch(
        sanitizeText(parts.join("")),
        /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/,
      );
    }),
  );
});

test("a million open sequences take no longer than their length", () => {
  assert.equal(sanitizeText("\u001b]".repeat(500_000)), "");
  assert.equal(sanitizeText("\u001b[".repeat(500_000)), "");
});
