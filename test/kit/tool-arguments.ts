// Schemas and checks in a few words, for tests of what happens to a tool's arguments.
import assert from "node:assert/strict";
import { checkArguments } from "../../src/lib/schema/check-arguments.ts";
import type { JsonSchema } from "../../src/lib/schema/json-schema.ts";
import type { ParameterSchema } from "../../src/lib/schema/parameter-schema.ts";

export const text: JsonSchema = { type: "string" };
export const number: JsonSchema = { type: "number" };

/** A schema of an object with these properties. */
export function object(
  properties: Record<string, JsonSchema | boolean>,
  more: JsonSchema = {},
): JsonSchema {
  return { type: "object", properties, ...more };
}

/** A schema of a list of such items. */
export function list(items: JsonSchema): JsonSchema {
  return { type: "array", items };
}

/** The arguments that a tool `t` runs with; fails if they are refused. */
export function acceptedArguments(parameters: ParameterSchema, received: unknown): unknown {
  const checked = checkArguments({ name: "t", parameters }, received);
  assert.ok(!(checked instanceof Promise));
  assert.ok(checked.ok, checked.ok ? "" : checked.text);
  return checked.args;
}

/** The text by which a tool `t` refuses the arguments; fails if it takes them. */
export function refusalOf(parameters: ParameterSchema, received: unknown): string {
  const checked = checkArguments({ name: "t", parameters }, received);
  assert.ok(!(checked instanceof Promise));
  assert.ok(!checked.ok, JSON.stringify(checked));
  return checked.text;
}

/** The lines of that text that tell a problem. */
export function problemLines(parameters: ParameterSchema, received: unknown): string[] {
  const [problems = ""] = refusalOf(parameters, received).split("\n\nReceived arguments:");
  return problems.split("\n").slice(1);
}
