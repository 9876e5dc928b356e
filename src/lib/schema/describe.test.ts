import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { z } from "zod";
import { number, object, problemLines, refusalOf, text } from "../../../test/kit/tool-arguments.ts";
import type { JsonSchema } from "./json-schema.ts";

describe("the text for the model", () => {
  test("has a line for each problem and the received arguments", () => {
    const schema = object(
      { path: text, limit: { type: "integer" }, mode: { enum: ["a", "b"] } },
      { required: ["path"], additionalProperties: false },
    );
    assert.equal(
      refusalOf(schema, { pth: "x", limit: "many", mode: 3 }),
      [
        'Validation failed for tool "t":',
        "  - path: missing, wanted string",
        "  - pth: unknown property, did you mean path?",
        '  - limit: is "many" (string), wanted integer',
        '  - mode: is 3 (number), wanted one of "a", "b"',
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
    const said = refusalOf(schema, { l: [{ n: 1 }, {}, { n: "x" }] });
    assert.match(said, /- l\.1\.n: missing, wanted number/);
    assert.match(said, /- l\.2\.n: is "x" \(string\), wanted number/);
  });

  test("tells a union once", () => {
    const schema = object({ u: { anyOf: [number, object({ k: text })] } });
    const lines = problemLines(schema, { u: true });
    assert.deepEqual(lines, ["  - u: is true (boolean), wanted number or an object { k }"]);
  });

  test("tells at most 20 problems and how many more there are", () => {
    const keys = Array.from({ length: 50 }, (_, n) => `k${n}`);
    const schema = z.object(Object.fromEntries(keys.map((key) => [key, z.string()])));
    const lines = problemLines(schema, {});
    assert.equal(lines.length, 21);
    assert.equal(lines.at(-1), "  - and 30 more");
  });

  test("tells the same count of a plain schema, whatever the validator stops at", () => {
    const keys = Array.from({ length: 50 }, (_, n) => `k${n}`);
    const wrong = Object.fromEntries(keys.map((key) => [key, "x"]));
    const schema = object(Object.fromEntries(keys.map((key) => [key, number])));
    const lines = problemLines(schema, wrong);
    assert.equal(lines.length, 21);
    assert.equal(lines.at(-1), "  - and 30 more");
  });

  test("goes into the branch that the value names, and tells a wrong name at its place", () => {
    const branch = (op: string): JsonSchema =>
      object({ op: { const: op }, n: number }, { required: ["op", "n"] });
    const schema = object({ u: { anyOf: [branch("add"), branch("drop")] } });
    assert.match(refusalOf(schema, { u: { op: "add" } }), /\n {2}- u\.n: missing, wanted number\n/);
    assert.match(
      refusalOf(schema, { u: { op: "Add", n: 1 } }),
      /\n {2}- u\.op: is "Add" \(string\), wanted one of "add", "drop"\n/,
    );
  });

  test("says each limit in words", () => {
    const limits: [JsonSchema, unknown, string][] = [
      [{ type: "number", minimum: 1 }, 0, "is 0 (number), wanted at least 1"],
      [{ type: "number", exclusiveMaximum: 1 }, 1, "is 1 (number), wanted less than 1"],
      [{ type: "string", minLength: 1 }, "", 'is "" (string), wanted at least 1 character'],
      [{ type: "string", pattern: "^a" }, "b", 'is "b" (string), wanted a text that matches /^a/'],
      [{ type: "array", maxItems: 2 }, [1, 2, 3], "is a list, wanted at most 2 items"],
      [{ not: { type: "string" } }, "b", 'is "b" (string), wanted something else'],
      [
        { type: "object", dependentRequired: { a: ["b"] } },
        { a: 1 },
        "is an object, wanted the properties that belong together: a needs b",
      ],
      [
        { allOf: [object({ a: number }), { unevaluatedProperties: false }] },
        { b: 1 },
        "is an object, which the tool's schema does not let through",
      ],
    ];
    for (const [schema, value, said] of limits) {
      const whole = refusalOf(object({ v: schema }), { v: value });
      assert.ok(whole.includes(`  - v: ${said}`), whole);
    }
  });

  test("keeps each problem on one line of bounded length, whatever the names and values", () => {
    const closed = object({ known: number }, { additionalProperties: false });
    const schema = object(
      { e: { enum: Array.from({ length: 5000 }, (_, n) => `value ${n}`) }, o: closed },
      { additionalProperties: false },
    );
    const nasty = "k\u2028\n  - x: fine\n".repeat(50_000);
    const said = refusalOf(schema, { e: "q".repeat(100_000), o: { [nasty]: 1 }, "a b": 1 });
    const [, ...lines] = said.slice(0, said.indexOf("\n\nReceived")).split(/[\n\u2028]/);
    assert.equal(lines.length, 3);
    for (const line of lines) assert.ok(line.length < 600, `${line.length}`);
    assert.match(said, /- "a b": unknown property/);
    assert.ok(said.length < 4500);
  });

  test("of a schema library keeps each message on one line", () => {
    const schema = z.object({ a: z.string().refine(() => false, "first\n  second") });
    assert.match(refusalOf(schema, { a: "x" }), /\n {2}- a: first second\n\nReceived/);
  });

  test("repeats at most 2 KB of what came", () => {
    const schema = object({ a: { type: "array", items: number } });
    const said = refusalOf(schema, { a: Array.from({ length: 100_000 }, () => "漢".repeat(10)) });
    assert.ok(said.length < 5000, `${said.length}`);
    assert.match(said, /the first 2 KB of/);
    assert.ok(!said.includes("\uFFFD"));
  });
});
