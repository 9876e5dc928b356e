import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { viewFile } from "./file-view.ts";
import { applySplices, planEdits } from "./match-edit.ts";
import type { Edit } from "./match-edit.ts";

/** Bytes with many line ends of all kinds, characters of several bytes, halves of such, and noise. */
const piece = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .constantFrom("a", "b", "foo", " ", "\t", "é", "漢", "😀")
      .map((text) => Buffer.from(text)),
  },
  { weight: 4, arbitrary: fc.constantFrom("\n", "\r\n", "\r").map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)) },
);
const content = fc.array(piece, { maxLength: 60 }).map((pieces) => Buffer.concat(pieces));
const newText = fc
  .array(fc.constantFrom("x", "yy", "\n", "\r\n", "z"), { maxLength: 6 })
  .map((parts) => parts.join(""));

describe("planEdits", () => {
  test("leaves all bytes outside of a unique place as they are, whatever the bytes", () => {
    fc.assert(
      fc.property(content, content, newText, (before, after, text) => {
        // A place that stands out: nothing else holds "#".
        const plain = (part: Buffer): Buffer => Buffer.from(part.filter((byte) => byte !== 0x23));
        const [head, tail] = [plain(before), plain(after)];
        const file = Buffer.concat([head, Buffer.from("#here#"), tail]);
        fc.pre(file[0] !== 0xff && file[0] !== 0xfe);
        const { view, splices, problems } = plan(file, [{ oldText: "#here#", newText: text }]);
        assert.deepEqual(problems, []);
        const result = applySplices(file, view, splices);
        assert.deepEqual(result.subarray(0, head.length), head);
        assert.deepEqual(result.subarray(result.length - tail.length), tail);
        const middle = result.subarray(head.length, result.length - tail.length).toString();
        assert.equal(
          middle.replaceAll("\r\n", "\n").replaceAll("\r", "\n"),
          text.replaceAll("\r\n", "\n"),
        );
      }),
      { numRuns: 500 },
    );
  });

  test("finds a stretch of lines sent with LF in a file of any line ends, and keeps the line ends of lines that stay", () => {
    const line = fc.constantFrom("alpha", "beta", "gamma", "", "  delta");
    const end = fc.constantFrom("\n", "\r\n");
    const lines = fc.array(fc.tuple(line, end), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, lines, (before, middle, after) => {
        const join = (part: [string, string][]): string => part.map((one) => one.join("")).join("");
        const named = middle.map(([text, lineEnd], index): [string, string] => [
          `${text}#${index}`,
          lineEnd,
        ]);
        const file = Buffer.from(join(before) + join(named) + join(after));
        const sent = named.map(([text]) => `${text}\n`).join("");
        const { view, splices, problems } = plan(file, [
          { oldText: sent, newText: `new\n${sent}` },
        ]);
        assert.deepEqual(problems, []);
        const firstEnd = named[0]?.[1] ?? "";
        const expected = `${join(before)}new${firstEnd}${join(named)}${join(after)}`;
        assert.equal(applySplices(file, view, splices).toString(), expected);
      }),
      { numRuns: 300 },
    );
  });

  test("does with several edits what replacing them one by one in the original would do", () => {
    const count = fc.integer({ min: 1, max: 8 });
    fc.assert(
      fc.property(
        count,
        fc.array(newText, { minLength: 8, maxLength: 8 }),
        fc.boolean(),
        (places, texts, backwards) => {
          const file = Array.from({ length: places }, (_, index) => `[${index}]`).join(" ~\n");
          const edits = Array.from({ length: places }, (_, index): Edit => ({
            oldText: `[${index}]`,
            newText: texts[index] ?? "",
          }));
          const { view, splices, problems } = plan(
            Buffer.from(file),
            backwards ? edits.toReversed() : edits,
          );
          assert.deepEqual(problems, []);
          // A text of nothing but CRLF line ends is taken for the sender's habit.
          const asPlace = (text: string): string =>
            /(^|[^\r])\n/.test(text) ? text : text.replaceAll("\r\n", places > 1 ? "\n" : "\r\n");
          const expected = edits.reduce(
            (text, edit) => text.replace(edit.oldText, () => asPlace(edit.newText)),
            file,
          );
          assert.equal(applySplices(Buffer.from(file), view, splices).toString(), expected);
        },
      ),
    );
  });

  test("tells how many places there are without listing them all", () => {
    const { problems } = plan(Buffer.from("x\n".repeat(5000)), [{ oldText: "x", newText: "y" }]);
    assert.match(
      problems[0] ?? "",
      /stands at more than 1000 places \(lines 1, 2, 3, 4, 5, 6, 7, 8, …\)/,
    );
  });

  test("stops looking after a few failures, and says how many are left", () => {
    const edits = Array.from({ length: 20 }, (_, index): Edit => ({
      oldText: `none ${index}`,
      newText: "",
    }));
    const { problems } = plan(Buffer.from("something\n"), edits);
    assert.equal(problems.length, 6);
    assert.equal(problems.at(-1), "15 more edits were not looked for.");
  });
});

function plan(
  file: Buffer,
  edits: readonly Edit[],
): ReturnType<typeof planEdits> & { view: ReturnType<typeof viewFile> } {
  const view = viewFile(file);
  return { view, ...planEdits(view, edits) };
}
