import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { LineScanner, fitLines } from "./line-scanner.ts";
import type { LineWindow, LineWindowRequest } from "./line-scanner.ts";

/** Feeds `content` in pieces of the given sizes, over and over, each in a buffer that is used again. */
function scan(content: Buffer, request: LineWindowRequest, sizes: readonly number[]): LineWindow {
  const scanner = new LineScanner(request);
  const reused = Buffer.alloc(64);
  let enough = false;
  let at = 0;
  for (let turn = 0; at < content.length && !enough; turn++) {
    const size = Math.min(sizes[turn % sizes.length] ?? 1, content.length - at);
    content.copy(reused, 0, at, at + size);
    enough = scanner.feed(reused.subarray(0, size));
    reused.fill(0x21);
    at += size;
  }
  return scanner.finish(!enough || at === content.length);
}

const texts = fc
  .array(fc.constantFrom("a", "bb", "é", "\n", "\r\n", "long piece "), { maxLength: 40 })
  .map((parts) => parts.join(""));
const sizes = fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 1, maxLength: 4 });
const numbers = fc.record({
  firstLine: fc.integer({ min: 1, max: 12 }),
  column: fc.integer({ min: 1, max: 12 }),
  maxLines: fc.integer({ min: 1, max: 6 }),
});

describe("the line scanner", () => {
  test("finds the same window however the file comes in pieces, and counts all lines", () => {
    fc.assert(
      fc.property(texts, sizes, numbers, (text, pieces, { firstLine, column, maxLines }) => {
        const content = Buffer.from(text);
        const window = scan(
          content,
          { firstLine, column, maxLines, maxBytes: 1000, skipBytes: 0, countAll: true },
          pieces,
        );
        const lines = content.toString("latin1").match(/[^\n]*\n|[^\n]+$/g) ?? [];
        const first = lines[firstLine - 1];
        if (first === undefined) {
          assert.deepEqual([window.found, window.lines], ["no_such_line", lines.length]);
          return;
        }
        const length = first.replace(/\n$/, "").length;
        if (column > 1 && column > length) {
          assert.deepEqual([window.found, window.firstLineBytes], ["no_such_column", length]);
          return;
        }
        const wanted = lines
          .slice(firstLine - 1, firstLine - 1 + maxLines)
          .join("")
          .slice(column - 1);
        assert.deepEqual([window.found, window.lines], ["lines", lines.length]);
        assert.equal(window.bytes.toString("latin1"), wanted);
        assert.equal(window.firstLineBytes, length);
        assert.equal(window.atEnd, firstLine - 1 + maxLines >= lines.length);
      }),
      { numRuns: 1000 },
    );
  });

  test("keeps no more than a few bytes over the limit, and stops there if it need not count", () => {
    const content = Buffer.from(`${"x".repeat(5000)}\nlast`);
    const request = { firstLine: 1, column: 1, maxLines: 9, maxBytes: 100, skipBytes: 0 };
    const stopped = scan(content, { ...request, countAll: false }, [64]);
    assert.deepEqual(
      [stopped.bytes.length, stopped.atEnd, stopped.countedAll],
      [104, false, false],
    );
    const counted = scan(content, { ...request, countAll: true }, [64]);
    assert.deepEqual([counted.bytes.length, counted.lines, counted.firstLineBytes], [104, 2, 5000]);
  });

  test("leaves out the bytes of a mark, also when they come one by one", () => {
    const request = {
      firstLine: 1,
      column: 2,
      maxLines: 9,
      maxBytes: 100,
      skipBytes: 3,
      countAll: true,
    };
    assert.equal(scan(Buffer.from("\ufeffabc"), request, [1]).bytes.toString(), "bc");
  });
});

describe("fitting lines", () => {
  const plain = { atEnd: true, growth: 1, weigh: (line: Buffer) => line.length };

  test("takes whole lines up to the limit of bytes, the last line's end not counted", () => {
    const bytes = Buffer.from("abc\ndef\nghi\n");
    const fit = (maxBytes: number): unknown => fitLines(bytes, { ...plain, maxLines: 9, maxBytes });
    assert.deepEqual(fit(11), { length: 11, lines: 3, cutBy: null, cutFirstLine: false });
    assert.deepEqual(fit(10), { length: 7, lines: 2, cutBy: "bytes", cutFirstLine: false });
    assert.deepEqual(fit(7), { length: 7, lines: 2, cutBy: "bytes", cutFirstLine: false });
    assert.deepEqual(fit(2), { length: 2, lines: 1, cutBy: "bytes", cutFirstLine: true });
  });

  test("cuts an over-long line before the character that does not fit", () => {
    const bytes = Buffer.from("é漢😀");
    const lengths = [1, 2, 3, 4, 5, 6, 7, 8].map(
      (maxBytes) => fitLines(bytes, { ...plain, maxLines: 9, maxBytes }).length,
    );
    assert.deepEqual(lengths, [1, 2, 2, 2, 5, 5, 5, 5]);
  });
});
