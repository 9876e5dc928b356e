// Makes arguments fit their schema where only one thing can be meant. Nothing is invented: what is unclear stays as it
// is and fails validation. Works on plain JSON Schema, in place on a copy of the caller's.
//
// | received | wanted | becomes |
// | --- | --- | --- |
// | `"3"`, if the number prints back the same | number, integer | `3` |
// | `"true"`, `"false"` | boolean | the truth value |
// | a JSON text of a list or an object | list, object | what it holds |
// | one object | list of objects | a list of one |
// | one number, truth value, or text of one word that fits the items | list | a list of one |
// | `null` | an optional property that does not take it | left out |
//
// Never: a number for a text, `1` for true, `""` for 0, `null` for a required text, a text that may list several.
import { isDeeperThan } from "../json/json-depth.ts";
import { jsonEqual } from "../json/json-equal.ts";
import { parseText } from "../json/parse-arguments.ts";
import type { Fits } from "./check-value.ts";
import { branchesFor } from "./choose-branch.ts";
import { copyValue } from "./copy-value.ts";
import {
  hasType,
  isRecord,
  isSchema,
  type JsonSchema,
  listedIn,
  resolveRef,
  type SchemaDocument,
  schemasIn,
  textsIn,
  typesOf,
} from "./json-schema.ts";

/** Deeper parts of a value stay as they are. */
const MAX_DEPTH = 64;
/** Parts that are copied to try the branches of unions; when they are used up, what is left stays as it is. */
const MAX_TRIED = 500_000;
/** Unions within a branch that is only tried: each multiplies the work of those around it. */
const MAX_NESTED_TRIES = 1000;

interface Place {
  document: SchemaDocument;
  fits: Fits;
  depth: number;
  /** Within a branch that is only tried. */
  isTry: boolean;
  budget: { parts: number; nestedTries: number };
}

/** Coerces `value`, which must be the callee's own copy, and returns it or what takes its place. */
export function coerce(document: SchemaDocument, value: unknown, fits: Fits): unknown {
  const budget = { parts: MAX_TRIED, nestedTries: MAX_NESTED_TRIES };
  return coerceBy(document.root, value, { document, fits, depth: 0, isTry: false, budget });
}

function coerceBy(schema: unknown, value: unknown, place: Place): unknown {
  if (!isSchema(schema) || place.depth > MAX_DEPTH) return value;
  const { $ref, allOf } = schema;
  let result = value;
  if (typeof $ref === "string") {
    result = coerceBy(place.document.targets.get($ref), result, deeper(place));
  }
  result = coerceType(schema, result, place);
  for (const part of schemasIn(allOf)) result = coerceBy(part, result, deeper(place));
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

/** What the `type`, `enum` and `const` keywords make of a value of another type. */
function coerceType(schema: JsonSchema, value: unknown, place: Place): unknown {
  const listed = coerceListed(schema, value);
  if (listed !== undefined) return listed;
  const types = typesOf(schema);
  if (hasType(value, types)) return value;
  const result = typeof value === "string" ? coerceText(value, types) : value;
  if (!types.includes("array") || hasType(result, types)) return result;
  return wrapInList(schema, result, place);
}

/** `"1"` where only the number 1 is listed. */
function coerceListed(schema: JsonSchema, value: unknown): unknown {
  const listed = listedIn(schema);
  if (!listed || typeof value !== "string" || listed.includes(value)) return undefined;
  const same = listed.filter(
    (one) => (typeof one === "number" || typeof one === "boolean") && String(one) === value,
  );
  return same.length === 1 ? same[0] : undefined;
}

function coerceText(text: string, types: readonly string[]): unknown {
  if (types.includes("number") || types.includes("integer")) {
    const number = Number(text);
    const isSame = text !== "" && Number.isFinite(number) && String(number) === text;
    if (isSame && hasType(number, types)) return number;
  }
  if (types.includes("boolean") && (text === "true" || text === "false")) return text === "true";
  if (!types.includes("array") && !types.includes("object")) return text;
  return parseStructure(text) ?? text;
}

/** The list or object that a JSON text holds. */
function parseStructure(text: string): unknown {
  const first = text.trimStart().charAt(0);
  if (first !== "[" && first !== "{") return undefined;
  const parsed = parseText(text);
  return parsed && !isDeeperThan(parsed.value, MAX_DEPTH) ? parsed.value : undefined;
}

/** A list of one, where the items may be such a value, and a text cannot be meant as several. */
function wrapInList(schema: JsonSchema, value: unknown, place: Place): unknown {
  const { items } = schema;
  if (isRecord(value)) {
    const own = isSchema(items) ? resolveRef(items, place.document) : {};
    return own && hasType(value, typesOf(own)) ? [value] : value;
  }
  if (!isSchema(items) || value === null || value === undefined || Array.isArray(value)) {
    return value;
  }
  if (typeof value === "string" && (value === "" || /[\s,;|[\]{}"]/.test(value))) return value;
  const one = coerceBy(items, value, deeper(place));
  return place.fits(items, one) ? [one] : value;
}

/** A value that fits no branch takes the form of the only branch that it can be made to fit. */
function coerceUnion(branches: readonly JsonSchema[], value: unknown, place: Place): unknown {
  const { budget } = place;
  if (place.isTry && --budget.nestedTries < 0) return value;
  if (branches.some((branch) => place.fits(branch, value))) return value;
  const candidates = branchesFor(branches, value, place.document);
  // Only one can be meant: it may fit in part, and then says better what is wrong.
  if (candidates.length === 1 && isRecord(value)) {
    return coerceBy(candidates[0], value, deeper(place));
  }
  const made: unknown[] = [];
  for (const branch of candidates) {
    const copy = copyValue(value);
    budget.parts -= copy.ok ? copy.parts : 0;
    if (!copy.ok || budget.parts < 0) return value;
    const result = coerceBy(branch, copy.value, { ...deeper(place), isTry: true });
    if (place.fits(branch, result)) made.push(result);
  }
  const [first, ...others] = made;
  return made.length > 0 && others.every((other) => jsonEqual(first, other)) ? first : value;
}

function coerceItems(schema: JsonSchema, list: unknown[], place: Place): void {
  const { prefixItems, items, additionalItems } = schema;
  const first: unknown = Array.isArray(items) ? items : prefixItems;
  const rest = Array.isArray(items) ? additionalItems : items;
  for (const [at, item] of list.entries()) {
    const own: unknown = Array.isArray(first) && at < first.length ? first[at] : rest;
    list[at] = coerceBy(own, item, deeper(place));
  }
}

function coerceProperties(schema: JsonSchema, object: Record<string, unknown>, place: Place): void {
  const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
  const required = textsIn(schema["required"]);
  // Only keys that are there are written: assigning to an own `__proto__` changes no prototype.
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (!Object.hasOwn(properties, key)) {
      object[key] = coerceBy(furtherProperty(schema, key), value, deeper(place));
      continue;
    }
    const own = properties[key];
    if (value === null && !required.includes(key)) {
      if (isSchema(own) && !place.fits(own, null)) delete object[key];
      continue;
    }
    object[key] = coerceBy(own, value, deeper(place));
  }
}

/** The schema of a property that is not declared by name. */
function furtherProperty(schema: JsonSchema, key: string): unknown {
  const { patternProperties, additionalProperties } = schema;
  const patterns = isSchema(patternProperties) ? Object.entries(patternProperties) : [];
  const matching = patterns.find(([pattern]) => new RegExp(pattern, "u").test(key));
  return matching ? matching[1] : additionalProperties;
}
