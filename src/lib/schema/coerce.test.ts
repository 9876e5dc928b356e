import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { Check } from "typebox/schema";
import {
  acceptedArguments,
  list,
  number,
  object,
  refusalOf,
  text,
} from "../../../test/kit/tool-arguments.ts";
import { checkArguments } from "./check-arguments.ts";
import { compileSchema } from "./compile-schema.ts";
import type { JsonSchema } from "./json-schema.ts";

const RUNS = Number(process.env["ERRAND_FC_RUNS"] ?? 1000);

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
    [
      "a list as text with raw line breaks in its strings",
      object({ edits }),
      { edits: '[{"oldText":"a\nb"}]' },
      { edits: [{ oldText: "a\nb" }] },
    ],
    ["a lone word for a list of texts", object({ l: list(text) }), { l: "a.ts" }, { l: ["a.ts"] }],
    ["a lone number for a list of numbers", object({ l: list(number) }), { l: 3 }, { l: [3] }],
    ["a lone number as text for a list", object({ l: list(number) }), { l: "3" }, { l: [3] }],
    [
      "numbers as text in a record",
      object({ r: { type: "object", patternProperties: { "^n": number } } }),
      { r: { n1: "1", x: "1" } },
      { r: { n1: 1, x: "1" } },
    ],
    [
      "a tuple of draft 7",
      object({ t: { type: "array", items: [number] } }),
      { t: ["1"] },
      { t: [1] },
    ],
    [
      "through a reference to a property, within a union",
      object({ n: number, u: { anyOf: [{ $ref: "#/properties/n" }, { type: "boolean" }] } }),
      { u: "7" },
      { u: 7 },
    ],
    [
      "through a reference to the whole, within a union",
      object({ kids: list({ anyOf: [{ $ref: "#" }, number] }) }),
      { kids: ["7", { kids: ["8"] }] },
      { kids: [7, { kids: [8] }] },
    ],
    [
      "through a reference by $id",
      object({ a: { $ref: "count" } }, { $defs: { c: { $id: "count", type: "number" } } }),
      { a: "1" },
      { a: 1 },
    ],
    [
      "branches that come to the same",
      object({ u: { anyOf: [number, { type: "integer" }] } }),
      { u: "7" },
      { u: 7 },
    ],
    [
      "the branch that the value names",
      object({
        u: {
          oneOf: [
            object({ kind: { const: "a" }, n: number }, { required: ["kind", "n"] }),
            object({ kind: { const: "b" }, n: { type: "boolean" } }, { required: ["kind", "n"] }),
          ],
        },
      }),
      { u: { kind: "a", n: "1" } },
      { u: { kind: "a", n: 1 } },
    ],
    ["the whole arguments as text", object({ n: number }), '{"n": 1}', { n: 1 }],
    ["no arguments as null", object({}), null, {}],
    ["no arguments as an empty list", object({}), [], {}],
    ["no arguments as a blank text", object({}), " ", {}],
    ["no arguments at all", object({}), undefined, {}],
  ];
  for (const [title, schema, received, expected] of cases) {
    test(title, () => assert.deepEqual(acceptedArguments(schema, received), expected));
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
    ["a text that may list several", object({ l: list(text) }), { l: "a, b" }],
    ["an empty text for a list", object({ l: list(text) }), { l: "" }],
    ["a lone object for a list of texts", object({ l: list(text) }), { l: { a: 1 } }],
    ["null for a required list", object({ l: list(text) }, { required: ["l"] }), { l: null }],
    ["a broken list as text", object({ l: { type: "array" } }), { l: '["a"' }],
    [
      "two branches that would fit",
      object({ u: { anyOf: [number, { type: "array", items: number }, object({ a: number })] } }),
      { u: '[{"a":1}' },
    ],
    ["an unknown value of a list of values", object({ e: { enum: ["a", "b"] } }), { e: "c" }],
  ];
  for (const [title, schema, received] of cases) {
    test(title, () =>
      assert.match(refusalOf(schema, received), /^Validation failed for tool "t":/),
    );
  }

  test("a text that is valid stays a text, whatever it looks like", () => {
    const schema = object({ a: text, u: { type: ["string", "number"] } });
    assert.deepEqual(acceptedArguments(schema, { a: '{"x":1}', u: "3" }), { a: '{"x":1}', u: "3" });
  });
});

test("__proto__ stays a property of its own", () => {
  const received: unknown = JSON.parse('{"__proto__": {"polluted": "1"}, "n": "1"}');
  const made = acceptedArguments(
    object({ n: number }, { additionalProperties: object({ polluted: number }) }),
    received,
  );
  assert.equal(({} as { polluted?: number }).polluted, undefined);
  assert.deepEqual(Object.keys(made as object).toSorted(), ["__proto__", "n"]);
});

test("what is handed in is never changed, and a valid value comes back equal and as a copy", () => {
  const schema = object({ l: { type: "array", items: number }, o: object({ s: text }) });
  const received = { l: [1, 2], o: { s: "x" }, more: null };
  const made = acceptedArguments(schema, received) as typeof received;
  assert.deepEqual(made, received);
  assert.notEqual(made.l, received.l);
  const sloppy = { l: ["1"], o: '{"s":"y"}' };
  acceptedArguments(schema, sloppy);
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
        assert.ok(first.problems.first.length > 0);
        assert.ok(!Check(whole as never, received), "what fits is let through");
        return;
      }
      assert.ok(Check(whole as never, first.value), "what is let through fits");
      if (Check(whole as never, received)) {
        assert.deepEqual(first.value, received);
        assert.notEqual(first.value, received);
      }
      const again = compileSchema(whole).validate(first.value);
      assert.ok(!(again instanceof Promise) && again.ok);
      assert.deepEqual(again.value, first.value);
    }),
    { numRuns: RUNS },
  );
});

/** Keywords with values that no schema may have. */
const broken: fc.Arbitrary<JsonSchema> = fc.dictionary(
  fc.constantFrom(
    "type",
    "properties",
    "required",
    "items",
    "prefixItems",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "enum",
    "const",
    "$ref",
    "$id",
    "$defs",
    "pattern",
    "patternProperties",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "dependentRequired",
    "minimum",
    "minLength",
    "maxItems",
    "format",
    "contains",
    "uniqueItems",
    "nullable",
  ),
  fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    leaf,
    fc.array(leaf, { maxLength: 2 }),
    fc.constantFrom<unknown>("#", "#/properties/a", "#/nowhere", "(", "string", ["a"], "http://[", {
      "(": {},
      a: { type: "number" },
    }),
  ),
  { maxKeys: 4 },
);

test("for any value and a schema of any shape: an answer, in bounded text", () => {
  fc.assert(
    fc.property(fc.oneof(broken, schemas), broken, fc.jsonValue(), (schema, root, value) => {
      for (const parameters of [object({ a: schema }, { ...root, type: "object" }), schema, root]) {
        const checked = checkArguments({ name: "t", parameters }, { a: value });
        assert.ok(!(checked instanceof Promise));
        if (checked.ok) continue;
        assert.match(checked.text, /^(Validation failed for tool|Tool) "t"/);
        assert.ok(checked.text.length < 20_000);
      }
    }),
    { numRuns: RUNS },
  );
});
