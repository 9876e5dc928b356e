import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { mask, quotedValue, unmask, valueOf } from "./quotes.ts";

test("each quoted piece becomes one character, and comes back as it was written", () => {
  const masked = mask(`a "b c" 'd' \`e\` “f” ‘g’ 「h」 『i』.`);
  assert.match(masked.text, /^a . . . . . . .\.$/);
  assert.equal(unmask(masked.text, masked), `a "b c" 'd' \`e\` “f” ‘g’ 「h」 『i』.`);
  assert.deepEqual(
    masked.pieces.map((piece) => piece.inner),
    ["b c", "d", "e", "f", "g", "h", "i"],
  );
});

test("an apostrophe inside a word neither opens nor closes", () => {
  for (const text of ["it's Ann's", "don't", "what’s up’"]) assert.equal(mask(text).text, text);
  assert.equal(mask("'it's'").pieces[0]?.inner, "it's");
});

test("a quote that is never closed is an ordinary character", () => {
  for (const text of [`a "b`, "a “b", "5' long", "「"]) assert.equal(mask(text).text, text);
});

test("a value is inside its quotes only if it is one quoted piece", () => {
  const masked = mask(`"a" "b"c`);
  assert.equal(valueOf(masked.text, masked), `"a" "b"c`);
  assert.equal(quotedValue(masked.text, masked), undefined);
  assert.equal(valueOf(` ${masked.text.charAt(0)} `, masked), "a");
});

test("characters of the prompt's that look like a placeholder stay themselves", () => {
  const masked = mask(`\uE000 "x" \uE001`);
  assert.equal(unmask(masked.text, masked), `\uE000 "x" \uE001`);
  assert.equal(valueOf(masked.text.charAt(0), masked), "\uE000");
});

test("any text comes back whole", () => {
  const part = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom('"', "'", "“", "”", "\uE000"),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
      const masked = mask(parts.join(""));
      assert.equal(unmask(masked.text, masked), parts.join(""));
    }),
  );
  const many = `"x" `.repeat(7000);
  const masked = mask(many);
  assert.equal(unmask(masked.text, masked), many);
});
