import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { Type } from "typebox";
import * as v from "valibot";
import { z } from "zod";
import {
  acceptedArguments,
  number,
  object,
  refusalOf,
  text,
} from "../../../test/kit/tool-arguments.ts";
import {
  checkArguments,
  validateToolArguments,
  validateToolArgumentsAsync,
} from "./check-arguments.ts";
import { compileSchema } from "./compile-schema.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { ParameterSchema } from "./parameter-schema.ts";
import { jsonSchemaOf } from "./print-schema.ts";

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
      assert.deepEqual(acceptedArguments(schema, { path: "a", limit: 2 }), { path: "a", limit: 2 });
      assert.deepEqual(acceptedArguments(schema, { path: "a", limit: "2" }), {
        path: "a",
        limit: 2,
      });
      assert.deepEqual(acceptedArguments(schema, { path: "a", limit: null }), { path: "a" });
      assert.match(refusalOf(schema, { limit: 2 }), /path/);
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
    const call = { name: "t", arguments: { path: "a" } };
    const made = await validateToolArgumentsAsync({ name: "t", parameters: schema }, call);
    assert.deepEqual(made, { path: "a" });
    await assert.rejects(
      validateToolArgumentsAsync({ name: "t", parameters: schema }, { name: "t", arguments: {} }),
      /^Error: Validation failed for tool "t":\n {2}- path: /,
    );
    assert.throws(
      () =>
        validateToolArguments(
          { name: "t", parameters: schema },
          { name: "t", arguments: { path: "a" } },
        ),
      /validateToolArgumentsAsync/,
    );
  });

  test("a library's own transformation counts", () => {
    const schema = z.object({ n: z.string().transform((s) => s.length) });
    assert.deepEqual(acceptedArguments(schema, { n: "four" }), { n: 4 });
  });

  test("without a type, with an unknown format or keyword, still work", () => {
    assert.deepEqual(acceptedArguments({}, { a: 1 }), { a: 1 });
    assert.deepEqual(
      acceptedArguments(object({ u: { type: "string", format: "no-such", "x-mine": 1 } }), {
        u: "x",
      }),
      { u: "x" },
    );
  });

  test("a reference that leads nowhere refuses only at its place", () => {
    const schema = object({ a: { $ref: "#/$defs/missing" }, b: text });
    assert.deepEqual(acceptedArguments(schema, { b: "x" }), { b: "x" });
    assert.match(
      refusalOf(schema, { a: "x" }),
      /a: the tool's schema refers to "#\/\$defs\/missing" \(string\), which is nowhere/,
    );
  });

  test("no arguments are an empty object, whatever the schema says of its root", () => {
    for (const schema of [{}, { anyOf: [object({})] }, z.object({})]) {
      for (const received of [null, undefined, [], "", " null ", "{}"]) {
        assert.deepEqual(acceptedArguments(schema, received), {});
      }
    }
    assert.match(
      refusalOf({}, "{broken"),
      /- \(arguments\): The arguments are no JSON: at position 1/,
    );
  });

  test("with a pattern that is none, or one only without the u flag, still check the rest", () => {
    const schema = object(
      { a: { type: "string", pattern: "(" }, b: { type: "string", pattern: "^[\\w-.]+\\-$" } },
      { patternProperties: { "(": number } },
    );
    assert.deepEqual(acceptedArguments(schema, { a: "x", b: "x-" }), { a: "x", b: "x-" });
    assert.match(refusalOf(schema, { a: 1 }), /a: is 1 \(number\), wanted string/);
    assert.match(
      refusalOf(schema, { b: "x" }),
      /b: is "x" \(string\), wanted a text that matches \//,
    );
  });

  test("with thousands of listed values still work", () => {
    const many = Array.from({ length: 20_000 }, (_, n) => `v${n}`);
    assert.deepEqual(acceptedArguments(object({ e: { enum: many } }), { e: "v19999" }), {
      e: "v19999",
    });
    assert.match(refusalOf(object({ e: { enum: many } }), { e: "q" }), /wanted one of "v0", "v1",/);
  });

  test("that nothing can be checked by refuse each call and name the tool", async () => {
    let deep: JsonSchema = {};
    for (let n = 0; n < 2000; n++) deep = object({ a: deep });
    const throwing = {
      "~standard": {
        version: 1,
        vendor: "mine",
        validate: () => {
          throw new Error("boom");
        },
        jsonSchema: { input: () => ({}), output: () => ({}) },
      },
    };
    const rejecting = {
      "~standard": {
        ...throwing["~standard"],
        validate: () => Promise.reject(new Error("boom")),
      },
    };
    for (const schema of [undefined, null, 7, "x", [], deep, throwing, rejecting]) {
      const parameters = schema as unknown as ParameterSchema;
      const checked = await checkArguments({ name: "mine", parameters }, { a: 1 });
      assert.match(
        checked.ok ? "" : checked.text,
        /^Tool "mine" cannot be called: its schema is broken/,
      );
    }
    const always = true as unknown as ParameterSchema;
    assert.deepEqual(acceptedArguments(always, { a: 1 }), { a: 1 });
    const never: unknown = false;
    assert.match(refusalOf(never as ParameterSchema, { a: 1 }), /forbids/);
  });

  test("that cannot print themselves still check, and say what is wrong", () => {
    const schema = z.object({ when: z.date(), n: z.number() });
    const when = new Date(0);
    assert.deepEqual(acceptedArguments(schema, { when, n: 1 }), { when, n: 1 });
    assert.match(refusalOf(schema, { when, n: "1" }), /- n: Invalid input/);
  });

  test("of a recursive typebox type coerce on every level", () => {
    const tree = Type.Cyclic(
      { Tree: Type.Object({ n: Type.Number(), kids: Type.Array(Type.Ref("Tree")) }) },
      "Tree",
    );
    const schema = Type.Object({ tree });
    assert.deepEqual(
      acceptedArguments(schema, { tree: { n: "1", kids: [{ n: "2", kids: "[]" }] } }),
      {
        tree: { n: 1, kids: [{ n: 2, kids: [] }] },
      },
    );
  });

  test("a reference in a circle ends", () => {
    const tree = object({ child: { $ref: "#" }, n: number });
    assert.deepEqual(acceptedArguments(tree, { child: { child: { n: "1" } } }), {
      child: { child: { n: 1 } },
    });
    const loop = object({ a: { $ref: "#/properties/a" } });
    assert.doesNotThrow(() =>
      checkArguments({ name: "t", parameters: object({ b: loop }) }, { b: {} }),
    );
  });
});
