import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { canonicalJson } from "./canonical-json.ts";
import { jsonEqual } from "./json-equal.ts";
import { findJsonError } from "./find-json-error.ts";
import { isDeeperThan } from "./json-depth.ts";
import { MAX_ARGUMENT_DEPTH, parseArguments } from "./parse-arguments.ts";
import { prettyJson } from "./pretty-json.ts";
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

  test("is refused when it is nested deeper than anything can print", () => {
    const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
    assert.equal(parseArguments(nested(MAX_ARGUMENT_DEPTH)).ok, true);
    for (const levels of [MAX_ARGUMENT_DEPTH + 1, 200_000]) {
      const parsed = parseArguments(nested(levels));
      assert.match(parsed.ok ? "" : parsed.error, /nested more than 500 levels deep, send flatter/);
    }
  });

  test("with __proto__ gives a harmless property of its own", () => {
    const parsed = parseArguments('{"__proto__": {"x": 1}}');
    assert.ok(parsed.ok && Object.hasOwn(parsed.value, "__proto__"));
    assert.equal(({} as { x?: number }).x, undefined);
  });
});

describe("where a text stops being JSON", () => {
  const cases: [string, number, string][] = [
    ['{"n":?}', 5, 'unexpected "?", wanted a value'],
    ['{"a":1', 6, "unexpected end, wanted a comma or }"],
    ['{"a": 1,}', 8, 'unexpected "}", wanted a property name in double quotes'],
    ["{'a':1}", 1, `unexpected "'", wanted a property name in double quotes, or }`],
    ['{"a":"x', 7, "the string that begins at 5 never ends"],
    ['{"a":1} x', 8, 'unexpected "x", wanted the end of the text'],
    ['{"a" 1}', 5, 'unexpected "1", wanted a colon'],
    ['["\\q"]', 2, 'unexpected "\\\\", wanted an escape that JSON knows'],
    ["[1 2]", 3, 'unexpected "2", wanted a comma or ]'],
    ["[01]", 2, 'unexpected "1", wanted a comma or ]'],
    ["[😀]", 1, 'unexpected "😀", wanted a value'],
    ["", 0, "unexpected end, wanted a value"],
    ["[".repeat(100_000), 100_000, "unexpected end, wanted a value"],
  ];
  for (const [text, at, what] of cases) {
    test(`${JSON.stringify(text.slice(0, 20))}: ${what}`, () => {
      assert.deepEqual(findJsonError(text), { at, what });
    });
  }

  test("is told with the arguments' error", () => {
    const parsed = parseArguments('{"n":?}');
    assert.deepEqual(parsed, {
      ok: false,
      error:
        'The arguments are no JSON: at position 5 of 7, unexpected "?", wanted a value. Received: {"n":?}',
    });
  });

  test("is nowhere exactly if JSON.parse takes the text", () => {
    const isJson = (text: string): boolean => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    const bits = fc.constantFrom(...'{}[],:"\\0123.e+- \n'.split(""), "true", '"a"', "\\u00e9");
    const garbled = fc
      .tuple(fc.json(), fc.nat(), fc.nat({ max: 2 }), bits)
      .map(([text, place, cut, put]) => {
        const at = place % (text.length + 1);
        return text.slice(0, at) + put + text.slice(at + cut);
      });
    const texts = fc.oneof(
      fc.json(),
      garbled,
      fc.array(bits, { maxLength: 12 }).map((all) => all.join("")),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const error = findJsonError(text);
        assert.equal(error === undefined, isJson(text), JSON.stringify(error));
        assert.ok(!error || error.at <= text.length);
      }),
      { numRuns: Number(process.env["ERRAND_FC_RUNS"] ?? 3000) },
    );
  });
});

describe("pretty JSON with a bound", () => {
  test("is what JSON.stringify prints, cut, with the whole length", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat({ max: 80 }), (value, max) => {
        const whole = JSON.stringify(value, null, 2);
        const bytes = new TextEncoder().encode(whole).length;
        const { text, ...counted } = prettyJson(value, max);
        assert.deepEqual(counted, { bytes, isCounted: true });
        assert.ok(whole.startsWith(text));
        assert.equal(prettyJson(value, bytes).text, whole);
      }),
    );
  });

  test("never throws, and ends on anything", () => {
    const cyclic: Record<string, unknown> = { big: 1n, f: () => 1 };
    cyclic["self"] = [cyclic, cyclic];
    assert.ok(prettyJson(cyclic, 2048).text.startsWith('{\n  "big": "[1n]",\n  "f": "[function]"'));
    assert.equal(prettyJson(cyclic, 2048).isCounted, false);
    const hostile = Object.defineProperty({}, "a", {
      enumerable: true,
      get: () => {
        throw new Error("no");
      },
    });
    assert.equal(prettyJson(hostile, 2048).text, '"[cannot be read]"');
    // Printed in whole, the indentation alone would be half a gigabyte.
    let wide: unknown = Array.from({ length: 500_000 }, () => 0);
    for (let level = 0; level < 490; level++) wide = [wide];
    assert.ok(prettyJson(wide, 2048).bytes > 480_000_000);
  });
});

test("depth is told without recursion, for shared and circular values too", () => {
  assert.equal(isDeeperThan(1, 0), false);
  assert.equal(isDeeperThan([[1], { a: {} }], 3), false);
  assert.equal(isDeeperThan([[1], { a: {} }], 2), true);
  let shared: unknown = [];
  for (let level = 0; level < 60; level++) shared = [shared, shared];
  assert.equal(isDeeperThan(shared, 100), false);
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  assert.equal(isDeeperThan(cyclic, 5), false);
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

test("equality is told at any depth, and ends on values that hold themselves", () => {
  const nested = (levels: number): unknown => {
    let value: unknown = 1;
    for (let level = 0; level < levels; level++) value = [value];
    return value;
  };
  assert.equal(jsonEqual(nested(100_000), nested(100_000)), true);
  assert.equal(jsonEqual(nested(100_000), nested(99_999)), false);
  const [a, b]: unknown[][] = [[], []];
  a?.push(a);
  b?.push(b);
  assert.equal(jsonEqual(a, b), false);
});

test("a plain copy of something far too large is refused before it is built", () => {
  let shared: unknown = ["x"];
  for (let level = 0; level < 100; level++) shared = [shared, shared];
  assert.deepEqual(toJsonValue(shared, 1000), {
    ok: false,
    reason: "more than 1000 bytes as JSON",
  });
});

test("a plain copy is let through exactly up to its limit", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      const bytes = new TextEncoder().encode(text).length;
      assert.deepEqual(toJsonValue(value, bytes), { ok: true, value: JSON.parse(text), bytes });
      assert.equal(toJsonValue(value, bytes - 1).ok, false);
    }),
  );
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
