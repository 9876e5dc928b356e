// A file's lines are found whatever pieces the file comes in.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { linePattern } from "./js-pattern.ts";
import { LineSearch } from "./search-lines.ts";
import type { LineQuery } from "./search-lines.ts";
import type { FoundLine } from "./search.ts";

const query = (pattern: string, context: number, literal: boolean): LineQuery => ({
  pattern: linePattern(pattern, { literal, ignoreCase: false }),
  bytes: literal ? Buffer.from(pattern) : undefined,
  context,
});

/** Line by line, as one would write it down. */
function plainly(text: string, wanted: RegExp, context: number): FoundLine[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const hits = lines.flatMap((line, n) => (wanted.test(line) ? [n] : []));
  return lines.flatMap((line, n) =>
    hits.some((hit) => Math.abs(hit - n) <= context)
      ? [{ line: n + 1, text: line, isMatch: hits.includes(n) }]
      : [],
  );
}

/** As a file is read: whole lines up to `size` bytes, or as much of a line. */
function inPieces(text: string, size: number, search: LineSearch): FoundLine[] {
  let rest = Buffer.from(text);
  while (rest.length >= size) {
    const piece = rest.subarray(0, size);
    const cut = piece.lastIndexOf(10) + 1 || piece.length;
    search.push(piece.subarray(0, cut), piece[cut - 1] === 10 ? "line" : "nowhere");
    rest = rest.subarray(cut);
  }
  search.push(rest, "file");
  return search.file.lines;
}

const text = fc
  .array(fc.constantFrom("x", "é", "a", "\n", "\n", "😀", "ab"), { maxLength: 60 })
  .map((parts) => parts.join(""));
const context = fc.integer({ min: 0, max: 3 });

describe("lines that match", () => {
  for (const [pattern, literal] of [
    ["x", true],
    ["x", false],
    ["^$", false],
    ["[^ab]$", false],
    ["a|x$", false],
  ] as const) {
    test(`are found in one piece: ${pattern}${literal ? " as text" : ""}`, () => {
      fc.assert(
        fc.property(text, context, (content, around) => {
          const search = new LineSearch("f", query(pattern, around, literal));
          assert.deepEqual(
            inPieces(content, 1_000_000, search),
            plainly(content, new RegExp(pattern, "u"), around),
          );
        }),
        { numRuns: 300 },
      );
    });
  }

  test("are found in pieces of any size", () => {
    const size = fc.integer({ min: 1, max: 20 });
    fc.assert(
      fc.property(text, context, size, fc.boolean(), (content, around, bytes, literal) => {
        const plain = content.replaceAll(/[é😀]/gu, "z");
        const search = new LineSearch("f", query("x", around, literal));
        const found = inPieces(plain, bytes, search).map(({ line, isMatch }) => [line, isMatch]);
        assert.deepEqual(
          found,
          plainly(plain, /x/, around).map(({ line, isMatch }) => [line, isMatch]),
        );
      }),
      { numRuns: 1000 },
    );
  });
});
