// Makes arguments fit their schema where only one thing can be meant. Nothing is invented: what is unclear stays as it
// is and fails validation. Works on plain JSON Schema, in place on a copy of the caller's.
import {
  isSchema,
  type JsonSchema,
  resolveRef,
  schemasIn,
  typeName,
  typesOf,
} from "./json-schema.ts";

/** Deeper parts of a value stay as they are. */
const MAX_DEPTH = 64;

/** Says whether a value fits a schema of the same document. */
export type Fits = (schema: JsonSchema, value: unknown) => boolean;

/**
 * Coerces `value`, which must be the callee's own copy, and returns it or what takes its place.
 * `"3"` for a number if it prints back the same, `"true"`, a JSON text for a list or an object, one object for a list,
 * `null` for an optional property: left out. What fits already is not touched.
 */
export function coerce(root: JsonSchema, value: unknown, fits: Fits): unknown {
  return coerceBy(root, value, { root, fits, depth: 0 });
}

interface Place {
  root: JsonSchema;
  fits: Fits;
  depth: number;
}

function coerceBy(written: JsonSchema, value: unknown, place: Place): unknown {
  const schema = resolveRef(written, place.root);
  if (!schema || place.depth > MAX_DEPTH) return value;
  let result = coerceType(schema, value);
  for (const part of schemasIn(schema["allOf"])) result = coerceBy(part, result, deeper(place));
  for (const keyword of ["anyOf", "oneOf"]) {
    const branches = schemasIn(schema[keyword]);
    if (branches.length > 0) result = coerceUnion(branches, result, place);
  }
  if (Array.isArray(result)) coerceItems(schema, result, place);
  else if (isRecord(result)) coerceProperties(schema, result, place);
  return result;
}

function deeper(place: Place): Place {
  return { ...place, depth: place.depth + 1 };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What the `type`, `enum` and `const` keywords make of a value of another type. */
function coerceType(schema: JsonSchema, value: unknown): unknown {
  const listed = coerceListed(schema, value);
  if (listed !== undefined) return listed;
  const types = typesOf(schema);
  if (types.length === 0 || hasType(value, types)) return value;
  if (typeof value === "string") return coerceText(value, types);
  if (types.includes("array") && isRecord(value)) return [value];
  return value;
}

function hasType(value: unknown, types: readonly string[]): boolean {
  const name = typeName(value);
  return types.includes(name) || (name === "number" && types.includes("integer"));
}

/** `"1"` where only the number 1 is listed. */
function coerceListed(schema: JsonSchema, value: unknown): unknown {
  if (typeof value !== "string") return undefined;
  const listed: unknown[] = Array.isArray(schema["enum"]) ? schema["enum"] : [];
  const all = "const" in schema ? [...listed, schema["const"]] : listed;
  if (all.includes(value)) return undefined;
  const same = all.filter(
    (one) => (typeof one === "number" || typeof one === "boolean") && String(one) === value,
  );
  return same.length === 1 ? same[0] : undefined;
}

function coerceText(text: string, types: readonly string[]): unknown {
  const readings: unknown[] = [];
  const number = Number(text);
  const isNumber = text !== "" && Number.isFinite(number) && String(number) === text;
  if (isNumber && (types.includes("number") || types.includes("integer"))) readings.push(number);
  if (types.includes("boolean") && (text === "true" || text === "false")) {
    readings.push(text === "true");
  }
  if (types.includes("array") || types.includes("object")) {
    const parsed = parseStructure(text);
    if (parsed !== undefined && types.includes(typeName(parsed))) readings.push(parsed);
    // One object as text where a list is wanted.
    else if (isRecord(parsed)) readings.push([parsed]);
  }
  return readings.length === 1 ? readings[0] : text;
}

/** The list or object that a JSON text holds. */
function parseStructure(text: string): unknown {
  const first = text.trimStart().charAt(0);
  if (first !== "[" && first !== "{") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A value that fits no branch takes the form of the only branch that it can be made to fit. */
function coerceUnion(branches: readonly JsonSchema[], value: unknown, place: Place): unknown {
  if (branches.some((branch) => place.fits(branch, value))) return value;
  const made = branches
    .map((branch) => ({
      branch,
      value: coerceBy(branch, structuredClone(value), deeper(place)),
    }))
    .filter((attempt) => place.fits(attempt.branch, attempt.value));
  return made.length === 1 ? made[0]?.value : value;
}

function coerceItems(schema: JsonSchema, list: unknown[], place: Place): void {
  const first = schemasIn(schema["prefixItems"]);
  const { items } = schema;
  for (const [at, item] of list.entries()) {
    const own = first[at] ?? (isSchema(items) ? items : undefined);
    if (own) list[at] = coerceBy(own, item, deeper(place));
  }
}

function coerceProperties(schema: JsonSchema, object: Record<string, unknown>, place: Place): void {
  const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
  const required: unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  const { additionalProperties } = schema;
  // Only keys that are there are written, so that no name reaches a prototype.
  for (const key of Object.keys(object)) {
    const declared = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const own = isSchema(declared) ? declared : declared === undefined ? additionalProperties : {};
    if (!isSchema(own)) continue;
    const value = object[key];
    if (value === null && declared !== undefined && !required.includes(key)) {
      if (!place.fits(own, null)) delete object[key];
      continue;
    }
    object[key] = coerceBy(own, value, deeper(place));
  }
}
