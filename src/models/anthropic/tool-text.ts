// What the API is told of a tool, as JSON text.
import type { Tool } from "../../core/tool.ts";
import { jsonSchemaOf } from "../../lib/schema/print-schema.ts";
import { isRecord } from "./errors.ts";
import { jsonText } from "./sent-block.ts";

// By identity: tools are the same objects for a whole run.
const kept = new WeakMap<Tool, { name: string; text: string }>();

/**
 * `name` is the tool's on the wire. Never throws: a schema that cannot be shown is sent as an open object, and
 * validation tells the model the rest.
 */
export function toolText(tool: Tool, name: string): string {
  let found = kept.get(tool);
  if (found?.name !== name) {
    const text = jsonText({
      name,
      description: tool.description,
      input_schema: inputSchema(tool),
    });
    found = { name, text };
    kept.set(tool, found);
  }
  return found.text;
}

function inputSchema(tool: Tool): Record<string, unknown> {
  try {
    const schema: unknown = jsonSchemaOf(tool.parameters);
    // Through JSON once here: what JSON cannot hold must fail inside this try.
    return objectSchema(JSON.parse(JSON.stringify(schema)) as unknown);
  } catch {
    return { type: "object", additionalProperties: true };
  }
}

/**
 * The API wants `type: "object"` at the root, and no union, intersection or reference there: alternatives become one
 * object with the properties of all, of which those are required that each alternative requires.
 */
export function objectSchema(schema: unknown): Record<string, unknown> {
  if (!isRecord(schema) || Array.isArray(schema)) return { type: "object" };
  const { anyOf, oneOf, allOf, $ref, type: _type, ...rest } = schema;
  const properties: Record<string, unknown> = { ...propertiesOf(schema) };
  const required = new Set(requiredOf(schema));
  const target = typeof $ref === "string" ? resolve(schema, $ref) : undefined;
  const parts = [...listOf(allOf), ...(target === undefined ? [] : [target])];
  for (const part of parts.map(objectSchema)) {
    Object.assign(properties, propertiesOf(part));
    for (const name of requiredOf(part)) required.add(name);
  }
  for (const alternatives of [listOf(anyOf), listOf(oneOf)]) {
    const objects = alternatives.map(objectSchema);
    for (const part of objects) {
      for (const [name, value] of Object.entries(propertiesOf(part))) {
        if (!Object.hasOwn(properties, name)) properties[name] = value;
      }
    }
    const [first, ...others] = objects.map((part) => new Set(requiredOf(part)));
    for (const name of first ?? []) {
      if (others.every((names) => names.has(name))) required.add(name);
    }
  }
  const lowered: Record<string, unknown> = { type: "object", ...rest };
  if (Object.keys(properties).length > 0 || isRecord(schema.properties))
    lowered.properties = properties;
  if (required.size > 0) lowered.required = [...required];
  return lowered;
}

function resolve(root: Record<string, unknown>, reference: string): unknown {
  const [, place, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(reference) ?? [];
  const definitions = place === undefined ? undefined : root[place];
  if (!isRecord(definitions) || name === undefined || !Object.hasOwn(definitions, name))
    return undefined;
  const found = definitions[name];
  // One step only: a definition that is itself a reference may be a circle.
  return isRecord(found) && "$ref" in found ? undefined : found;
}

function propertiesOf(schema: Record<string, unknown>): Record<string, unknown> {
  return isRecord(schema.properties) ? schema.properties : {};
}

function requiredOf(schema: Record<string, unknown>): string[] {
  return listOf(schema.required).filter((name) => typeof name === "string");
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
