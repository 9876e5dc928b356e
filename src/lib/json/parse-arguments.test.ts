import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { canonicalJson } from "./canonical-json.ts";
import { jsonEqual } from "./json-equal.ts";
import { parseArguments } from "./parse-arguments.ts";
import { toJsonValue } from "./to-json-value.ts";

describe("a call's argument text", () => {
  for (const text of ["", "  \n", "null", " null ", "[]", "[ ]", "{}"]) {
    test(`${JSON.stringify(text)} means no arguments`, () => {
      assert.deepEqual(parseArguments(text), { ok: true, value: {} });
    });
  }

  test("is parsed strictly", () => {
    assert.deepEqual(parseArguments('{"a": [1, "x"]}'), { ok: true, value: { a: [1, "x"] } });
  });

  test("may hold raw control characters inside strings, which are escaped", () => {
    const text = '{"a": "line\nnext\ttab\u0001", \n "b\n": "\\n\\\\"}';
    assert.deepEqual(parseArguments(text), {
      ok: true,
      value: { a: "line\nnext\ttab\u0001", "b\n": "\n\\" },
    });
  });

  const broken = [
    '{"commands":["npm ci","npm test"',
    '{"path":"a","content":"x',
    '{"n":?}',
    "{'a': 1}",
    '{"a": 1,}',
    '{"a": 1} trailing',
    '{"a": "x\ny',
    "rm -rf /tmp",
    "{a: 1}",
  ];
  for (const text of broken) {
    test(`${JSON.stringify(text)} is not repaired, and its error quotes it`, () => {
      const parsed = parseArguments(text);
      assert.equal(parsed.ok, false);
      assert.ok(!parsed.ok && parsed.error.endsWith(`Received: ${text}`), JSON.stringify(parsed));
    });
  }

  for (const [text, kind] of [
    ["3", "a number"],
    ['"x"', "a string"],
    ["true", "a boolean"],
    ["[1]", "a list"],
  ] as const) {
    test(`${text} is ${kind}, not an object`, () => {
      const parsed = parseArguments(text);
      assert.match(parsed.ok ? "" : parsed.error, new RegExp(`^The arguments are ${kind}`));
    });
  }

  test("is quoted up to 2 KB", () => {
    const parsed = parseArguments(`{"a": "${"é".repeat(500_000)}`);
    assert.ok(!parsed.ok);
    assert.ok(parsed.error.length < 2500);
    assert.match(parsed.error, /the first 2 KB of 977 KB/);
  });

  test("with __proto__ gives a harmless property of its own", () => {
    const parsed = parseArguments('{"__proto__": {"x": 1}}');
    assert.ok(parsed.ok && Object.hasOwn(parsed.value, "__proto__"));
    assert.equal(({} as { x?: number }).x, undefined);
  });
});

test("canonical JSON is one text for equal data", () => {
  assert.equal(
    canonicalJson({ b: [1, { d: 2, c: 3 }], a: null }),
    '{"a":null,"b":[1,{"c":3,"d":2}]}',
  );
  assert.notEqual(canonicalJson([1, 2]), canonicalJson([2, 1]));
  assert.notEqual(canonicalJson({ a: "1" }), canonicalJson({ a: 1 }));
  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;
  assert.equal(typeof canonicalJson(cyclic), "string");
  assert.equal(canonicalJson(undefined), '"[undefined]"');
  assert.equal(canonicalJson(1n), '"[1n]"');
});

test("equal data is equal whatever the order of its keys", () => {
  assert.ok(jsonEqual({ a: 1, b: [{ c: 2 }] }, { b: [{ c: 2 }], a: 1 }));
  assert.ok(jsonEqual(Number.NaN, Number.NaN));
  for (const [a, b] of [
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { a: 1, b: 1 }],
    [{ a: undefined }, { b: undefined }],
    [[], {}],
    [null, {}],
    [[1], [1, 2]],
    ["1", 1],
  ]) {
    assert.ok(!jsonEqual(a, b), JSON.stringify([a, b]));
    assert.ok(!jsonEqual(b, a), JSON.stringify([b, a]));
  }
});

test("a plain copy keeps data, drops functions, and says why there is none", () => {
  assert.deepEqual(toJsonValue({ a: 1, f: () => 1 }, 100), { ok: true, value: { a: 1 }, bytes: 7 });
  assert.deepEqual(toJsonValue("é", 3), { ok: false, reason: "4 bytes as JSON, more than 3" });
  for (const odd of [
    1n,
    () => 1,
    undefined,
    {
      toJSON: () => {
        throw new Error("no");
      },
    },
  ]) {
    assert.equal(toJsonValue(odd, 100).ok, false);
  }
  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;
  const copy = toJsonValue(cyclic, 100);
  assert.ok(!copy.ok && !copy.reason.includes("\n"));
});
