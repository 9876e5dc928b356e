import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import {
  acceptedArguments,
  list,
  number,
  object,
  refusalOf,
} from "../../../test/kit/tool-arguments.ts";
import { compileSchema } from "./compile-schema.ts";

test("arguments that are no object are refused", () => {
  assert.match(refusalOf({}, [1]), /wanted an object/);
  assert.match(refusalOf({}, "3"), /- \(arguments\): The arguments are a number, wanted an object/);
});

test("values nested beyond reason are refused, not walked", () => {
  let deep: unknown = 1;
  for (let n = 0; n < 100_000; n++) deep = [deep];
  const checked = compileSchema(object({})).validate({ deep });
  assert.ok(!(checked instanceof Promise) && !checked.ok);
  assert.match(checked.problems.first[0]?.message ?? "", /nested more than 500 levels/);
});

test("anything at all that is handed in is answered", () => {
  let deep: unknown = 1;
  for (let n = 0; n < 100_000; n++) deep = [deep];
  let shared: unknown = [1];
  for (let n = 0; n < 60; n++) shared = [shared, shared];
  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = [cyclic, cyclic];
  const throwing = Object.defineProperty({}, "a", {
    enumerable: true,
    get: () => {
      throw new Error("no");
    },
  });
  const cases: [unknown, RegExp][] = [
    [{ deep }, /nested more than 500 levels deep, send a flatter value/],
    [{ shared }, /holds more than 1000000 values, send fewer/],
    [cyclic, /nested more than 500 levels deep/],
    [{ f: () => 1 }, /holds a function, which is no data/],
    [throwing, /holds what is no data/],
    [{ n: 1n }, /- n: .*bigint/],
  ];
  for (const [received, said] of cases) {
    for (const schema of [object({ n: number }), z.object({ n: z.number() })]) {
      assert.match(refusalOf(schema, received), said);
    }
  }
});

// The time limit stands for "not exponential": eight levels took 17 s, each further one four times as long.
test("a union within a union within a union is done in time", { timeout: 30_000 }, () => {
  const ops = ["and", "or", "xor", "not"].map((op) =>
    object({ op: { const: op }, arg: { $ref: "#/$defs/e" } }, { required: ["op", "arg"] }),
  );
  const named = object({ e: { $ref: "#/$defs/e" } }, { $defs: { e: { anyOf: [...ops, number] } } });
  const alike = object(
    { e: { $ref: "#/$defs/e" } },
    {
      $defs: {
        e: {
          anyOf: [
            number,
            ...["a", "b", "c"].map((x) => object({ arg: { $ref: "#/$defs/e" }, [x]: number })),
          ],
        },
      },
    },
  );
  for (const [schema, leaf] of [
    [named, { op: "bad", arg: 1 }],
    [named, "x"],
    [alike, "x"],
  ] as const) {
    let e: unknown = leaf;
    for (let n = 0; n < 40; n++) e = { op: "and", arg: e };
    const lastLine =
      /- e(\.arg){40}(\.op)?: is "|- \(arguments\): nested too deep for the many forms/;
    assert.match(refusalOf(schema, { e }), lastLine);
  }
  let e: unknown = "3";
  for (let n = 0; n < 12; n++) e = { op: "and", arg: e };
  assert.doesNotMatch(JSON.stringify(acceptedArguments(named, { e })), /"3"/);
});

test("many wrong items of a union are told in time", { timeout: 30_000 }, () => {
  const schema = object({ l: list({ anyOf: [number, { type: "boolean" }] }) });
  const said = refusalOf(schema, { l: Array.from({ length: 100_000 }, () => "x") });
  assert.match(said, /- l\.0: is "x" \(string\), wanted number or boolean\n/);
  assert.match(said, /- and 99980 more\n/);
});
