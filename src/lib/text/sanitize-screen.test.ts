// What a terminal would show of an output.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { screenText } from "./sanitize-screen.ts";

function cases(title: string, table: Readonly<Record<string, [string, string]>>): void {
  describe(title, () => {
    for (const [name, [text, shown]] of Object.entries(table)) {
      test(name, () => assert.equal(screenText(text), shown));
    }
  });
}

cases("a sequence is no text:", {
  colours: ["\u001b[1;31mred\u001b[0m", "red"],
  "colours with colons": ["\u001b[38:2::1:2:3mred\u001b[m", "red"],
  "unknown finals": ["a\u001b[?25l\u001b[1;5r\u001b[>4;2mb\u001b[!p\u001b[5n", "ab"],
  "parameters and intermediates in any order": ["a\u001b[ 1$2mb", "ab"],
  "the 8-bit form": ["\u009b31mred\u009b0m", "red"],
  "a title, ended by a bell": ["\u001b]0;title\u0007x", "x"],
  "a title, ended by a string terminator": ["\u001b]0;title\u001b\\x", "x"],
  "a title in the 8-bit form": ["\u009d0;title\u009cx", "x"],
  "a title that is cancelled": ["\u001b]0;title\u0018x", "x"],
  "a title without an end, up to the end of its line": ["\u001b]0;title\nnext", "\nnext"],
  "a title that another sequence breaks off": ["\u001b]0;title\u001b[31mx", "x"],
  "a link": ["\u001b]8;;http://x\u001b\\text\u001b]8;;\u001b\\", "text"],
  "a picture of several lines": ["a\u001bPq#0;2;0\n#1~~@@\n--\u001b\\b", "ab"],
  "a picture in the 8-bit form": ["a\u0090q#0\n~~\u009cb", "ab"],
  "a device control string without an end, up to its line": ["a\u001bPq#0\nb", "a\nb"],
  "an application command": ["a\u001b_Ga=T;AAAA\u001b\\b", "ab"],
  "a privacy message": ["a\u001b^secret\u001b\\b", "ab"],
  "a start of string": ["a\u001bXsecret\u001b\\b", "ab"],
  "what a multiplexer hands through": ["a\u001bPtmux;\u001b\u001b]0;t\u0007\u001b\\b", "ab"],
  "other escapes": ["\u001b(B\u001b=x\u001b#8\u001b%G", "x"],
  "a lone escape": ["x\u001b", "x"],
  "a sequence that is cut off": ["x\u001b[31", "x"],
  "a string that is cut off": ["x\u001bPq#0", "x"],
  "bells, nulls and deletes": ["a\u0007\u0000b\u007fc", "abc"],
});

cases("a carriage return", {
  "writes a progress line over": ["10%\r50%\r100%\ndone", "100%\ndone"],
  "leaves what is not written over": ["12345\rab", "ab345"],
  "is part of a line end": ["a\r\nb\r\r\nc\r", "a\nb\nc"],
  "leaves a cleared line empty": ["10%\rready\r\u001b[K\n", "\n"],
  "keeps no blanks that wrote something over": ["building\rdone    \nx", "done\nx"],
  "counts in cells, not in characters": ["日本語\rab", "ab本語"],
  "turns half of a wide character into a blank": ["日本\rx", "x 本"],
  "passes a tab by its stop": ["abc\tdef\r\tX", "abc\tXef"],
});

cases("a backspace", {
  "does not erase by itself": ["abc\b\b", "abc"],
  "lets the next character replace": ["abc\b\bX", "aXc"],
  "makes bold and underlined text plain": ["N\bNA\bA_\bB", "NAB"],
  "stops at the start of the line": ["a\n\b\b\bb", "a\nb"],
  "in a very long line goes one back": [`${"a".repeat(3000)}\bb`, `${"a".repeat(2999)}b`],
});

cases("a move of the cursor", {
  "up goes back to a line": ["one\ntwo\n\u001b[2A\u001b[2KONE\n\u001b[1B", "ONE\ntwo\n"],
  "up and to the start": ["a 1%\nb 1%\n\u001b[2Fa 2%\nb 2%\n", "a 2%\nb 2%\n"],
  "up stops at the first line": ["a\u001b[99A\rb", "b"],
  "down stops at the last line": ["a\nb\u001b[1A\u001b[99B\rc", "a\nc"],
  "right leaves blanks": ["a\u001b[3Cb", "a   b"],
  "to a column": ["abcdef\u001b[2GX", "aXcdef"],
  "left and right": ["abcdef\u001b[4DX\u001b[1CY", "abXdYf"],
  "is undone by a restore": ["ab\u001b7\u001b[1;1Hx\u001b8\u001b[sc\u001b[u\rd", "dbc\nx"],
  "that names no place begins a page below": ["log\n\u001b[Hpage", "log\npage"],
  "to a place stays on the page": [
    "log\n\u001b[H\u001b[Ja\nb\n\u001b[H\u001b[JA\nB\n",
    "log\nA\nB\n",
  ],
  "to a place makes the rows that are missing": ["\u001b[3;3Hx", "\n\n  x"],
});

cases("an erasure", {
  "to the end of the line": ["abc\u001b[2D\u001b[K", "a"],
  "to the start of the line": ["abc\u001b[2D\u001b[1KX", " Xc"],
  "of the line": ["abc\u001b[2Kd", "   d"],
  below: ["a\nb\nc\u001b[2A\r\u001b[J", ""],
  "of the screen keeps what was there": ["a\u001b[2Jb", "a\nb"],
  "of the screen twice keeps each page": ["a\u001b[2J\u001b[Hb\u001b[2J\u001b[Hc", "a\nb\nc"],
  "of cells": ["abcdef\r\u001b[2Xx", "x cdef"],
  "that takes cells away": ["abcdef\r\u001b[2Px", "xdef"],
  "that makes room": ["abc\r\u001b[2@x", "x abc"],
});

test("text without control characters is the same text", () => {
  const text = "a\tb  \nc é 漢 😀 \n\n";
  assert.equal(screenText(text), text);
});

const part = fc.oneof(
  fc.constantFrom(
    ..."\u001b[|\u001b]|\u001bP|\u001b\\|\u009b|\u009d|\u0090|\u009c|\u0007|\u0018|\n|\r|\b|\t|x|日|e\u0301|😀|;|?|9|99999|A|B|C|D|E|F|G|H|J|K|P|X|@|s|u|m|\u001b7|\u001b8|\u001bM|\u001bD|\u001bE|\u001bc".split(
      "|",
    ),
  ),
  fc.string({ unit: "binary", maxLength: 3 }),
);

test("of any text no control character is left but line break and tab, and it does not grow without bound", () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
      const shown = screenText(parts.join(""));
      // oxlint-disable-next-line no-control-regex
      assert.doesNotMatch(shown, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      assert.equal(screenText(shown), shown);
      assert.ok(shown.length < 100_000);
    }),
    { numRuns: 1000 },
  );
});

test("no text takes longer than its length asks for", () => {
  const long = "x".repeat(100_000);
  for (const unit of [
    "\u001b]",
    "\u001b[",
    "\u001b[1;",
    "\u001bP",
    "\u0090",
    "\u009d\n",
    "\r",
    "\b",
    "a\b",
    "\u001b[1Ka",
    "\u001b[2K",
    "\u001b[999P",
    "\u001b[999@a",
    "\u001b[999Ca\n",
    "\u001b[999;999Ha",
    "\u001b[1A",
    "\n\u001b[99A",
    "日\r",
    "\u0301",
  ]) {
    const shown = screenText(`${long}\r${unit.repeat(50_000)}`);
    assert.ok(shown.length < 6_000_000, `${JSON.stringify(unit)} ${shown.length}`);
  }
});
