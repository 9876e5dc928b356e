import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  cutUtf8,
  formatBytes,
  truncateHead,
  truncateLine,
  truncateTail,
  utf8Length,
} from "./truncate.ts";

const lines = (count: number): string => Array.from({ length: count }, (_, n) => `${n}`).join("\n");

describe("the head", () => {
  test("of a short text is the text as it is", () => {
    for (const [text, count] of [
      ["", 0],
      ["a", 1],
      ["a\n", 1],
      ["a\nb", 2],
      ["\n", 1],
      ["a\r\nb\r\n", 2],
    ] as const) {
      const { content, truncated, truncatedBy, totalLines, outputLines } = truncateHead(text);
      assert.deepEqual(
        [content, truncated, truncatedBy, totalLines, outputLines],
        [text, false, null, count, count],
      );
    }
  });

  test("is cut at the line limit, 2,000 if none is given", () => {
    const cut = truncateHead(lines(2001));
    assert.deepEqual(cut, {
      content: lines(2000),
      truncated: true,
      truncatedBy: "lines",
      totalLines: 2001,
      totalBytes: lines(2001).length,
      outputLines: 2000,
      outputBytes: lines(2000).length,
      firstLineExceedsLimit: false,
      lastLinePartial: false,
    });
  });

  test("is cut at the byte limit, never within a line", () => {
    const text = Array.from({ length: 100 }, () => "é".repeat(500)).join("\n");
    const { content, truncatedBy, outputLines, outputBytes } = truncateHead(text);
    assert.equal(truncatedBy, "bytes");
    assert.equal(outputLines, 51);
    assert.equal(outputBytes, 51 * 1001 - 1);
    assert.ok(content.endsWith("é") && text.startsWith(`${content}\n`));
  });

  test("is empty when the first line alone is too long, and says so", () => {
    const { content, firstLineExceedsLimit, truncatedBy } = truncateHead("x".repeat(51_201));
    assert.deepEqual([content, firstLineExceedsLimit, truncatedBy], ["", true, "bytes"]);
  });

  test("may be exactly as large as the limits", () => {
    assert.equal(truncateHead("x".repeat(51_200)).truncated, false);
    assert.equal(truncateHead("ab\ncd", { maxLines: 2, maxBytes: 5 }).truncated, false);
    assert.equal(truncateHead("ab\ncd", { maxLines: 2, maxBytes: 4 }).content, "ab");
  });

  test("keeps every line when only the final line break is over the byte limit, and calls that whole", () => {
    const { content, truncated, truncatedBy } = truncateHead("ab\ncd\n", { maxBytes: 5 });
    assert.deepEqual([content, truncated, truncatedBy], ["ab\ncd", false, null]);
  });

  test("takes a carriage return as a part of its line", () => {
    assert.equal(truncateHead("a\r\nb\r\n", { maxLines: 1 }).content, "a\r");
  });

  test("counts a lone surrogate as the three bytes that it becomes", () => {
    assert.equal(truncateHead("\uD800\nb", { maxBytes: 3 }).content, "\uD800");
    assert.equal(truncateHead("\uD800\nb", { maxBytes: 2 }).firstLineExceedsLimit, true);
  });

  test("keeps blank lines", () => {
    assert.equal(truncateHead("\n\n\na", { maxLines: 2 }).content, "\n");
    assert.equal(truncateHead("\n\n\na", { maxLines: 2 }).outputLines, 2);
  });
});

describe("the tail", () => {
  test("is cut at the line limit, without the final line break", () => {
    const cut = truncateTail("a\nb\nc\n", { maxLines: 2 });
    assert.deepEqual([cut.content, cut.truncatedBy, cut.totalLines], ["b\nc", "lines", 3]);
  });

  test("of a line break alone is empty and whole, whatever the limit", () => {
    const { content, truncated, totalLines } = truncateTail("\n", { maxLines: 1, maxBytes: 0 });
    assert.deepEqual([content, truncated, totalLines], ["", false, 1]);
  });

  test("is cut at the byte limit", () => {
    const cut = truncateTail("aa\nbb\ncc", { maxBytes: 5 });
    assert.deepEqual([cut.content, cut.truncatedBy, cut.outputBytes], ["bb\ncc", "bytes", 5]);
  });

  test("of a last line that is too long is its end, in whole characters", () => {
    const cut = truncateTail(`first\n${"é".repeat(100)}`, { maxBytes: 9 });
    assert.deepEqual([cut.content, cut.lastLinePartial, cut.outputLines], ["éééé", true, 1]);
    assert.equal(truncateTail("x😀", { maxBytes: 3 }).content, "");
    assert.equal(truncateTail("x😀", { maxBytes: 4 }).content, "😀");
  });
});

test("head and tail keep their limits and are parts of the text, for any text and limits", () => {
  const text = fc
    .array(fc.string({ unit: "grapheme" }), { maxLength: 12 })
    .map((all) => all.join("\n"));
  fc.assert(
    fc.property(text, fc.nat({ max: 8 }), fc.nat({ max: 40 }), (whole, maxLines, maxBytes) => {
      for (const [cut, place] of [
        [truncateHead(whole, { maxLines, maxBytes }), "start"],
        [truncateTail(whole, { maxLines, maxBytes }), "end"],
      ] as const) {
        const { content, outputBytes, outputLines, truncated, truncatedBy, totalLines } = cut;
        assert.equal(truncated, truncatedBy !== null);
        assert.equal(truncated, outputLines < totalLines || cut.lastLinePartial);
        assert.ok(content.isWellFormed() || !whole.isWellFormed());
        assert.equal(utf8Length(content), outputBytes);
        assert.ok(outputBytes <= maxBytes && outputLines <= maxLines);
        const body = whole.endsWith("\n") ? whole.slice(0, -1) : whole;
        assert.ok(
          place === "start"
            ? whole.startsWith(content)
            : whole === content || body.endsWith(content),
        );
      }
    }),
    { numRuns: 2000 },
  );
});

test("a line is cut at its limit, never within a character", () => {
  assert.deepEqual(truncateLine("x".repeat(500)), { text: "x".repeat(500), wasTruncated: false });
  assert.deepEqual(truncateLine("x".repeat(501)), {
    text: `${"x".repeat(500)}... [truncated]`,
    wasTruncated: true,
  });
  assert.equal(truncateLine("a😀b", 2).text, "a... [truncated]");
});

test("bytes are counted as UTF-8, cuts are whole characters", () => {
  const encoder = new TextEncoder();
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat({ max: 60 }), (text, max) => {
      assert.equal(utf8Length(text), encoder.encode(text).length);
      const cut = cutUtf8(text, max);
      assert.ok(utf8Length(cut) <= max && text.startsWith(cut));
    }),
  );
  assert.equal(utf8Length("\uD800"), 3);
  assert.equal(cutUtf8("é", 1), "");
});

test("sizes are told in the unit that fits", () => {
  assert.deepEqual([0, 1023, 1024, 51_200, 1_258_291, 3 * 1024 ** 3].map(formatBytes), [
    "0 bytes",
    "1023 bytes",
    "1 KB",
    "50 KB",
    "1.2 MB",
    "3.0 GB",
  ]);
});
