import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { showPath } from "./show-path.ts";

test("control characters, direction marks and lone surrogates become visible, the rest stays", () => {
  assert.equal(showPath("a\nb\r\t\u001b[0m\u007f\u009b"), "a\\nb\\r\\t\\x1b[0m\\x7f\\x9b");
  assert.equal(showPath("txt.\u202eexe\u2066\u200b"), "txt.\\u{202e}exe\\u{2066}\\u{200b}");
  assert.equal(showPath("\ud800x😀é 漢"), "\\u{d800}x😀é 漢");
});

test("a shown path is one line without control characters, whatever the name", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary" }),
      (name) => !/[\p{Cc}\u2028\u2029]/u.test(showPath(name)),
    ),
  );
});
