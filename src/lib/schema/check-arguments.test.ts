import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import fc from "fast-check";
import { Type } from "typebox";
import * as v from "valibot";
import { z } from "zod";
import { checkArguments, validateToolArguments } from "./check-arguments.ts";
import { compileSchema } from "./compile-schema.ts";
import type { JsonSchema } from "./json-schema.ts";
import { jsonSchemaOf } from "./print-schema.ts";
import type { ParameterSchema } from "./parameter-schema.ts";

const text = { type: "string" };
const number = { type: "number" };

function object(
  properties: Record<string, JsonSchema | boolean>,
  more: JsonSchema = {},
): JsonSchema {
  return { type: "object", properties, ...more };
}

function args(parameters: ParameterSchema, received: unknown): unknown {
  const checked = checkArguments({ name: "t", parameters }, received);
  assert.ok(!(checked instanceof Promise));
  assert.ok(checked.ok, checked.ok ? "" : checked.text);
  return checked.args;
}

function problem(parameters: ParameterSchema, received: unknown): string {
  const checked = checkArguments({ name: "t", parameters }, received);
  assert.ok(!(checked instanceof Promise));
  assert.ok(!checked.ok, JSON.stringify(checked));
  return checked.text;
}

describe("coercion", () => {
  const edits = {
    type: "array",
    items: object({ oldText: text, newText: text }, { required: ["oldText"] }),
  };
  const cases: [string, JsonSchema, unknown, unknown][] = [
    ["a number as text", object({ n: number }), { n: "3" }, { n: 3 }],
    ["a negative fraction as text", object({ n: number }), { n: "-3.5" }, { n: -3.5 }],
    ["an integer as text", object({ n: { type: "integer" } }), { n: "10" }, { n: 10 }],
    ["true as text", object({ b: { type: "boolean" } }), { b: "true" }, { b: true }],
    ["false as text", object({ b: { type: "boolean" } }), { b: "false" }, { b: false }],
    [
      "a list as text",
      object({ l: { type: "array", items: text } }),
      { l: '["a","b"]' },
      { l: ["a", "b"] },
    ],
    [
      "an object as text",
      object({ o: object({ n: number }) }),
      { o: '{"n": "1"}' },
      { o: { n: 1 } },
    ],
    [
      "a list of texts of objects",
      object({ edits }),
      { edits: ['{"oldText":"a"}'] },
      { edits: [{ oldText: "a" }] },
    ],
    [
      "one object for a list",
      object({ edits }),
      { edits: { oldText: "a" } },
      { edits: [{ oldText: "a" }] },
    ],
    [
      "one object as text for a list",
      object({ edits }),
      { edits: '{"oldText":"a"}' },
      { edits: [{ oldText: "a" }] },
    ],
    [
      "null for an optional property",
      object({ a: text, b: text }, { required: ["a"] }),
      { a: "x", b: null },
      { a: "x" },
    ],
    [
      "null where null is allowed",
      object({ a: { type: ["string", "null"] } }),
      { a: null },
      { a: null },
    ],
    ["a listed number as text", object({ e: { enum: [1, 2] } }), { e: "2" }, { e: 2 }],
    [
      "the one branch that fits",
      object({ u: { anyOf: [number, { type: "boolean" }] } }),
      { u: "7" },
      { u: 7 },
    ],
    [
      "a nullable union",
      object({ u: { anyOf: [number, { type: "null" }] } }),
      { u: "7" },
      { u: 7 },
    ],
    [
      "through a reference",
      object({ a: { $ref: "#/$defs/n" } }, { $defs: { n: number } }),
      { a: "1" },
      { a: 1 },
    ],
    ["through allOf", object({ a: { allOf: [number] } }), { a: "1" }, { a: 1 }],
    ["further properties", object({}, { additionalProperties: number }), { x: "1" }, { x: 1 }],
    [
      "a tuple",
      object({ t: { type: "array", prefixItems: [number, text] } }),
      { t: ["1", "1"] },
      { t: [1, "1"] },
    ],
    ["the whole arguments as text", object({ n: number }), '{"n": 1}', { n: 1 }],
    ["no arguments as null", object({}), null, {}],
    ["no arguments as an empty list", object({}), [], {}],
    ["no arguments as a blank text", object({}), " ", {}],
    ["no arguments at all", object({}), undefined, {}],
  ];
  for (const [title, schema, received, expected] of cases) {
    test(title, () => assert.deepEqual(args(schema, received), expected));
  }
});

describe("what is not clear is not guessed", () => {
  const cases: [string, JsonSchema, unknown][] = [
    ["null for a required text", object({ a: text }, { required: ["a"] }), { a: null }],
    ["a number for a text", object({ a: text }), { a: 7 }],
    ["an empty text for a number", object({ n: number }), { n: "" }],
    ["a text with blanks for a number", object({ n: number }), { n: " 3" }],
    ["hexadecimal", object({ n: number }), { n: "0x10" }],
    ["an exponent that prints otherwise", object({ n: number }), { n: "1e3" }],
    ["a fraction for an integer", object({ n: { type: "integer" } }), { n: "3.7" }],
    ["infinity", object({ n: number }), { n: "Infinity" }],
    ["true for a number", object({ n: number }), { n: true }],
    ["one for a boolean", object({ b: { type: "boolean" } }), { b: 1 }],
    ["yes for a boolean", object({ b: { type: "boolean" } }), { b: "yes" }],
    ["a lone text for a list", object({ l: { type: "array", items: text } }), { l: "a" }],
    ["a broken list as text", object({ l: { type: "array" } }), { l: '["a"' }],
    [
      "two branches that would fit",
      object({ u: { anyOf: [number, { type: "array", items: number }, object({ a: number })] } }),
      { u: '[{"a":1}' },
    ],
    ["an unknown value of a list of values", object({ e: { enum: ["a", "b"] } }), { e: "c" }],
  ];
  for (const [title, schema, received] of cases) {
    test(title, () => assert.match(problem(schema, received), /^Validation failed for tool "t":/));
  }

  test("a text that is valid stays a text, whatever it looks like", () => {
    const schema = object({ a: text, u: { type: ["string", "number"] } });
    assert.deepEqual(args(schema, { a: '{"x":1}', u: "3" }), { a: '{"x":1}', u: "3" });
  });
});

describe("the text for the model", () => {
  test("has a line for each problem and the received arguments", () => {
    const schema = object(
      { path: text, limit: { type: "integer" }, mode: { enum: ["a", "b"] } },
      { required: ["path"], additionalProperties: false },
    );
    assert.equal(
      problem(schema, { pth: "x", limit: "many", mode: 3 }),
      [
        'Validation failed for tool "t":',
        "  - path: missing, wanted string",
        "  - pth: unknown property, did you mean path?",
        '  - limit: is "many" (string), wanted integer',
        '  - mode: is 3 (number), wanted one of "a" (string), "b" (string)',
        "",
        "Received arguments:",
        '{\n  "pth": "x",\n  "limit": "many",\n  "mode": 3\n}',
      ].join("\n"),
    );
  });

  test("names the place within lists and objects", () => {
    const schema = object({
      l: { type: "array", items: object({ n: number }, { required: ["n"] }) },
    });
    const said = problem(schema, { l: [{ n: 1 }, {}, { n: "x" }] });
    assert.match(said, /- l\.1\.n: missing, wanted number/);
    assert.match(said, /- l\.2\.n: is "x" \(string\), wanted number/);
  });

  test("tells a union once", () => {
    const schema = object({ u: { anyOf: [number, object({ k: text })] } });
    const lines = problem(schema, { u: true })
      .split("\n")
      .filter((line) => line.startsWith("  -"));
    assert.deepEqual(lines, ["  - u: is true (boolean), wanted number or an object { k }"]);
  });

  test("tells at most 20 problems and how many more there are", () => {
    const keys = Array.from({ length: 50 }, (_, n) => `k${n}`);
    const schema = z.object(Object.fromEntries(keys.map((key) => [key, z.string()])));
    const lines = problem(schema, {})
      .split("\n")
      .filter((line) => line.startsWith("  -"));
    assert.equal(lines.length, 21);
    assert.equal(lines.at(-1), "  - and 30 more");
  });

  test("repeats at most 2 KB of what came", () => {
    const schema = object({ a: { type: "array", items: number } });
    const said = problem(schema, { a: Array.from({ length: 100_000 }, () => "漢".repeat(10)) });
    assert.ok(said.length < 5000, `${said.length}`);
    assert.match(said, /the first 2 KB of/);
    assert.ok(!said.includes("\uFFFD"));
  });
});

describe("schemas of every kind", () => {
  const kinds: [string, ParameterSchema][] = [
    ["typebox", Type.Object({ path: Type.String(), limit: Type.Optional(Type.Integer()) })],
    [
      "plain JSON Schema",
      object({ path: text, limit: { type: "integer" } }, { required: ["path"] }),
    ],
    ["zod", z.object({ path: z.string(), limit: z.int().optional() })],
    [
      "valibot",
      toStandardJsonSchema(
        v.object({ path: v.string(), limit: v.optional(v.pipe(v.number(), v.integer())) }),
      ),
    ],
  ];
  for (const [name, schema] of kinds) {
    test(`${name} checks, coerces, and prints itself as JSON Schema`, () => {
      assert.deepEqual(args(schema, { path: "a", limit: 2 }), { path: "a", limit: 2 });
      assert.deepEqual(args(schema, { path: "a", limit: "2" }), { path: "a", limit: 2 });
      assert.deepEqual(args(schema, { path: "a", limit: null }), { path: "a" });
      assert.match(problem(schema, { limit: 2 }), /path/);
      const jsonSchema = jsonSchemaOf(schema);
      assert.equal(jsonSchema.type, "object");
      assert.deepEqual(Object.keys(jsonSchema["properties"] as object), ["path", "limit"]);
      assert.equal(compileSchema(schema), compileSchema(schema));
    });
  }

  test("a check that is asynchronous is waited for", async () => {
    const schema = z.object({ path: z.string().refine(async (path) => path !== "bad") });
    const good = await checkArguments({ name: "t", parameters: schema }, { path: "a" });
    assert.deepEqual(good, { ok: true, args: { path: "a" } });
    const bad = await checkArguments({ name: "t", parameters: schema }, { path: "bad" });
    assert.equal(bad.ok, false);
    assert.throws(
      () =>
        validateToolArguments(
          { name: "t", parameters: schema },
          { name: "t", arguments: { path: "a" } },
        ),
      /checks asynchronously/,
    );
  });

  test("a library's own transformation counts", () => {
    const schema = z.object({ n: z.string().transform((s) => s.length) });
    assert.deepEqual(args(schema, { n: "four" }), { n: 4 });
  });

  test("without a type, with an unknown format or keyword, still work", () => {
    assert.deepEqual(args({}, { a: 1 }), { a: 1 });
    assert.deepEqual(
      args(object({ u: { type: "string", format: "no-such", "x-mine": 1 } }), { u: "x" }),
      { u: "x" },
    );
  });

  test("a reference that leads nowhere refuses only at its place", () => {
    const schema = object({ a: { $ref: "#/$defs/missing" }, b: text });
    assert.deepEqual(args(schema, { b: "x" }), { b: "x" });
    assert.match(problem(schema, { a: "x" }), /a: no value is allowed here/);
  });

  test("a reference in a circle ends", () => {
    const tree = object({ child: { $ref: "#" }, n: number });
    assert.deepEqual(args(tree, { child: { child: { n: "1" } } }), { child: { child: { n: 1 } } });
    const loop = object({ a: { $ref: "#/properties/a" } });
    assert.doesNotThrow(() =>
      checkArguments({ name: "t", parameters: object({ b: loop }) }, { b: {} }),
    );
  });
});

test("arguments that are no object are refused", () => {
  assert.match(problem({}, [1]), /wanted an object/);
  assert.match(problem({}, "x"), /wanted an object/);
});

test("values nested beyond reason are refused, not walked", () => {
  let deep: unknown = 1;
  for (let n = 0; n < 100_000; n++) deep = [deep];
  const checked = compileSchema(object({})).validate({ deep });
  assert.ok(!(checked instanceof Promise) && !checked.ok);
  assert.match(checked.problems[0] ?? "", /nested more than 500 levels/);
});

test("__proto__ stays a property of its own", () => {
  const received: unknown = JSON.parse('{"__proto__": {"polluted": "1"}, "n": "1"}');
  const made = args(
    object({ n: number }, { additionalProperties: object({ polluted: number }) }),
    received,
  );
  assert.equal(({} as { polluted?: number }).polluted, undefined);
  assert.deepEqual(Object.keys(made as object).toSorted(), ["__proto__", "n"]);
});

test("what is handed in is never changed, and a valid value comes back equal and as a copy", () => {
  const schema = object({ l: { type: "array", items: number }, o: object({ s: text }) });
  const received = { l: [1, 2], o: { s: "x" }, more: null };
  const made = args(schema, received) as typeof received;
  assert.deepEqual(made, received);
  assert.notEqual(made.l, received.l);
  const sloppy = { l: ["1"], o: '{"s":"y"}' };
  args(schema, sloppy);
  assert.deepEqual(sloppy, { l: ["1"], o: '{"s":"y"}' });
});

const leaf: fc.Arbitrary<JsonSchema> = fc.constantFrom<JsonSchema>(
  text,
  number,
  { type: "integer" },
  { type: "boolean" },
  { type: "null" },
  { type: ["string", "null"] },
  { enum: ["a", 1, true] },
  {},
);

const schemas = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    leaf,
    tie("schema").map((items) => ({ type: "array", items })),
    fc.tuple(tie("schema"), tie("schema")).map((anyOf) => ({ anyOf })),
    fc
      .tuple(tie("schema"), tie("schema"), fc.boolean())
      .map(([a, b, needed]) => object({ a, b }, needed ? { required: ["a"] } : {})),
  ),
})).schema;

test("for any value and schema: nothing throws, what is let through fits, what fits is not changed", () => {
  fc.assert(
    fc.property(schemas, fc.jsonValue(), fc.constantFrom("a", "b", "c"), (schema, value, key) => {
      const whole = object({ a: schema, b: number });
      const received = { [key]: value };
      const first = compileSchema(whole).validate(received);
      assert.ok(!(first instanceof Promise));
      if (!first.ok) {
        assert.ok(first.problems.length > 0);
        return;
      }
      const again = compileSchema(whole).validate(first.value);
      assert.ok(!(again instanceof Promise) && again.ok);
      assert.deepEqual(again.value, first.value);
    }),
    { numRuns: Number(process.env["ERRAND_FC_RUNS"] ?? 1000) },
  );
});
