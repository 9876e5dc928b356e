import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { clustersOf, clusterWidth } from "./width.ts";

describe("one cluster", () => {
  const cases: [string, number][] = [
    ["a", 1],
    ["é", 1],
    ["e\u0301", 1],
    ["\u00ad", 1],
    ["漢", 2],
    ["ｱ", 1],
    ["，", 2],
    ["한", 2],
    ["\u1112\u1161\u11ab", 2],
    ["😀", 2],
    ["👩‍👩‍👧", 2],
    ["🇩🇪", 2],
    ["❤\ufe0f", 2],
    ["❤", 1],
    ["1\ufe0f\u20e3", 2],
    ["\u200b", 0],
    ["\u0301", 0],
    ["𠮷", 2],
    ["─", 1],
    ["⠙", 1],
  ];
  for (const [cluster, width] of cases) {
    test(`${JSON.stringify(cluster)} takes ${width}`, () => {
      assert.deepEqual(clustersOf(cluster), [cluster]);
      assert.equal(clusterWidth(cluster), width);
    });
  }
});

test("a text is split into what a reader takes for characters", () => {
  assert.deepEqual(clustersOf("ast，"), ["a", "s", "t", "，"]);
  assert.deepEqual(clustersOf("e\u0301👩‍👩‍👧x"), ["e\u0301", "👩‍👩‍👧", "x"]);
  assert.deepEqual(clustersOf("か\u3099한\u11a8é\u0301"), ["か\u3099", "한\u11a8", "é\u0301"]);
  assert.deepEqual(clustersOf("a\tb"), ["a", "\t", "b"]);
  assert.deepEqual(clustersOf(""), []);
});
