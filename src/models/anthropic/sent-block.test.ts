import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { jsonText, marked, sentBlock } from "./sent-block.ts";

test("half surrogate pairs are replaced wherever they stand, and everything else stays", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc
      .array(fc.constantFrom("\ud83d", "\ude00", "\\", "ud83d", '"', "a"), { maxLength: 8 })
      .map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, (value) => {
      const whole = value.toWellFormed();
      assert.deepEqual(JSON.parse(jsonText([value])), [whole]);
      assert.ok(jsonText({ [value]: 1 }).isWellFormed());
      assert.deepEqual(Object.keys(JSON.parse(jsonText({ [`k${value}`]: 1 })) as object), [
        `k${whole}`,
      ]);
    }),
    { numRuns: 500 },
  );
});

test("a marked block is the same block with the mark", () => {
  const block = sentBlock("text", jsonText({ type: "text", text: "漢字 }" }));
  const before = [...block.bytes];
  assert.deepEqual(JSON.parse(Buffer.from(marked(block)).toString()), {
    type: "text",
    text: "漢字 }",
    cache_control: { type: "ephemeral" },
  });
  assert.deepEqual([...block.bytes], before);
});
