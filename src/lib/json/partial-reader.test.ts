import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { createPartialReader, MAX_DEPTH } from "./partial-reader.ts";

const RUNS = Number(process.env["ERRAND_FC_RUNS"] ?? 1000);

function read(...chunks: string[]): unknown {
  const reader = createPartialReader();
  for (const chunk of chunks) reader.append(chunk);
  return reader.snapshot();
}

/** Cuts a text at random places. */
function cutUp(text: string, cuts: readonly number[]): string[] {
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].toSorted((a, b) => a - b);
  return [0, ...places].map((from, at) => text.slice(from, places[at] ?? text.length));
}

describe("what is there so far", () => {
  const cases: [string, unknown][] = [
    ["", undefined],
    ["  ", undefined],
    ["{", {}],
    ['{"pa', {}],
    ['{"path"', {}],
    ['{"path":', {}],
    ['{"path": "a', { path: "a" }],
    ['{"path": "a.txt", "con', { path: "a.txt" }],
    ['{"a": "x\\', { a: "x" }],
    ['{"a": "x\\u00', { a: "x" }],
    ['{"a": "x\\u00e9', { a: "xé" }],
    ['{"n": 12', { n: 12 }],
    ['{"n": 1e', {}],
    ['{"n": -', {}],
    ['{"t": tru', {}],
    ['{"t": true', { t: true }],
    ['{"l": [1, "a", {"b": nul', { l: [1, "a", {}] }],
    ['[[1], ["x', [[1], ["x"]]],
    ["12", 12],
    ['"ab', "ab"],
  ];
  for (const [text, value] of cases) {
    test(JSON.stringify(text), () => assert.deepEqual(read(text), value));
  }

  test("an open string grows from snapshot to snapshot, in its place in a list", () => {
    const reader = createPartialReader();
    reader.append('{"l": ["a');
    assert.deepEqual(reader.snapshot(), { l: ["a"] });
    reader.append("b");
    assert.deepEqual(reader.snapshot(), { l: ["ab"] });
    reader.append('", "c"], "m": "d"}');
    assert.deepEqual(reader.snapshot(), { l: ["ab", "c"], m: "d" });
  });
});

test("a character whose second half is still to come is held back, not lost", () => {
  for (const [first, second] of [
    ['{"a": "x\ud83d', '\ude00"}'],
    ['{"a": "x\\ud83d', '\\ude00"}'],
  ] as const) {
    const reader = createPartialReader();
    reader.append(first);
    assert.deepEqual(reader.snapshot(), { a: "x" });
    assert.deepEqual(reader.snapshot(), { a: "x" });
    reader.append(second);
    assert.deepEqual(reader.snapshot(), { a: "x😀" });
  }
});

test("of keys that come twice the last counts, in the first one's place", () => {
  const text = '{"a": {"b": 1}, "c": 2, "a": [3]}';
  assert.deepEqual(JSON.stringify(read(...text)), JSON.stringify(JSON.parse(text)));
});

// The time limit stands for "not quadratic": that took minutes.
test("a mebibyte in small pieces, looked at after each, is read whole", { timeout: 30_000 }, () => {
  for (const [open, piece, close] of [
    ['{"content": "', "abcdefghijklmnop", '"}'],
    ['{"content": "', '\\n\\u00e9\\"abcdef', '"}'],
    ['{"n": ', "1234567890123456", "}"],
    ['{"l": [', '{"a":[0,"b"]} , ', "0]}"],
    ["", "[[[[[[[[[[[[[[[[", ""],
  ] as const) {
    const reader = createPartialReader();
    reader.append(open);
    for (let at = 0; at < 65_536; at++) {
      reader.append(piece);
      reader.snapshot();
    }
    reader.append(close);
    if (close !== "") {
      const whole: unknown = JSON.parse(open + piece.repeat(65_536) + close);
      assert.deepEqual(reader.snapshot(), whole);
    }
  }
});

test("one character at a time is as good as any other cut", () => {
  const text = JSON.stringify({ path: "a\n😀", list: [1, -2.5e3, true, null, { "": "" }] });
  assert.deepEqual(read(...text.split("")), JSON.parse(text));
});

test("agrees with JSON.parse on whole texts, cut anywhere, looked at anywhere", () => {
  fc.assert(
    fc.property(
      fc.json(),
      fc.array(fc.nat(), { maxLength: 20 }),
      fc.boolean(),
      (text, cuts, look) => {
        const reader = createPartialReader();
        for (const chunk of cutUp(text, cuts)) {
          reader.append(chunk);
          if (look) reader.snapshot();
        }
        assert.deepEqual(reader.snapshot(), JSON.parse(text));
      },
    ),
    { numRuns: RUNS },
  );
});

test("never throws on a text that is cut, garbled, or no JSON at all", () => {
  const pieces = fc.constantFrom(
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    "\\",
    "\\u",
    "1",
    "-",
    "a",
    " ",
    "\n",
    "\u0000",
  );
  const garbage = fc
    .array(fc.oneof(pieces, fc.string()), { maxLength: 40 })
    .map((all) => all.join(""));
  fc.assert(
    fc.property(fc.oneof(garbage, fc.json()), fc.nat(), fc.array(fc.nat()), (text, end, cuts) => {
      const reader = createPartialReader();
      for (const chunk of cutUp(text.slice(0, end % (text.length + 1)), cuts)) {
        reader.append(chunk);
        JSON.stringify(reader.snapshot());
      }
    }),
    { numRuns: RUNS },
  );
});

test("reaches no prototype", () => {
  const value = read('{"__proto__": {"polluted": 1}, "constructor": 2}') as Record<string, unknown>;
  assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
  assert.deepEqual(Object.keys(value), ["__proto__", "constructor"]);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
});

test("does not keep more levels than anybody could walk", () => {
  const deep = "[".repeat(100_000);
  let depth = 0;
  for (let at: unknown = read(deep); Array.isArray(at); at = at[0]) depth++;
  assert.equal(depth, MAX_DEPTH);
  const within = `${"[".repeat(MAX_DEPTH)}{"a]": ["}\\""], "b": 1}, 7${"]".repeat(MAX_DEPTH)}`;
  let inner = read(within) as unknown[];
  while (Array.isArray(inner[0])) inner = inner[0];
  assert.deepEqual(inner, [null, 7]);
});

test("what follows a whole value is passed over", () => {
  assert.deepEqual(read('{"a":1} {"b":2}'), { a: 1 });
  assert.deepEqual(read("1 2"), 1);
});
