// A bound on what one check may cost. A validator tries each branch of a union, and within it each branch of the next:
// where a schema refers to itself, a few hundred bytes of arguments can mean years. The steps are counted beforehand,
// each pair of schema and value once, as the validator would take them if every branch failed late.
import {
  hasType,
  isRecord,
  isSchema,
  type JsonSchema,
  listedIn,
  type SchemaDocument,
  textsIn,
  typesOf,
} from "./json-schema.ts";

/** Steps of one check, and pairs of schema and value that are looked at. */
const MAX_STEPS = 200_000;
/** References in a row without a step into the value. */
const MAX_HOPS = 32;

/** Whether checking the value could take more than 200,000 steps. Free for documents without references. */
export function isTooCostly(document: SchemaDocument, value: unknown): boolean {
  if (document.targets.size === 0) return false;
  const count: Count = { document, known: new Map(), pairs: 0 };
  return stepsOf(document.root, value, { count, hops: 0 }) > MAX_STEPS || count.pairs > MAX_STEPS;
}

interface Count {
  document: SchemaDocument;
  known: Map<JsonSchema, Map<object, number>>;
  pairs: number;
}

interface Place {
  count: Count;
  hops: number;
}

function stepsOf(schema: unknown, value: unknown, place: Place): number {
  const { count } = place;
  if (!isSchema(schema) || place.hops > MAX_HOPS || count.pairs > MAX_STEPS) return 1;
  if (typeof value !== "object" || value === null) return countSteps(schema, value, place);
  let values = count.known.get(schema);
  if (!values) {
    values = new Map<object, number>();
    count.known.set(schema, values);
  }
  const known = values.get(value);
  if (known !== undefined) return known;
  count.pairs++;
  // A schema that comes back to the same value adds nothing.
  values.set(value, 0);
  const steps = countSteps(schema, value, place);
  values.set(value, steps);
  return steps;
}

function countSteps(schema: JsonSchema, value: unknown, place: Place): number {
  if (!hasType(value, typesOf(schema))) return 1;
  let steps = 1;
  if (Array.isArray(value)) steps += itemSteps(schema, value, { ...place, hops: 0 });
  else if (isRecord(value)) {
    if (textsIn(schema["required"]).some((name) => !Object.hasOwn(value, name))) return 1;
    steps += propertySteps(schema, value, { ...place, hops: 0 });
  }
  const again = { ...place, hops: place.hops + 1 };
  for (const keyword of ["$ref", "$dynamicRef", "$recursiveRef"]) {
    const name = schema[keyword];
    if (typeof name !== "string") continue;
    steps += stepsOf(place.count.document.targets.get(name), value, again);
  }
  for (const keyword of ["allOf", "anyOf", "oneOf"]) {
    const parts: unknown = schema[keyword];
    for (const part of Array.isArray(parts) ? parts : []) steps += stepsOf(part, value, again);
  }
  for (const keyword of ["not", "if", "then", "else"]) {
    if (keyword in schema) steps += stepsOf(schema[keyword], value, again);
  }
  return Math.min(steps, MAX_STEPS + 1);
}

function itemSteps(schema: JsonSchema, list: readonly unknown[], place: Place): number {
  const { items, prefixItems, contains } = schema;
  let steps = list.length;
  for (const [at, item] of list.entries()) {
    const first: unknown = Array.isArray(items) ? items : prefixItems;
    if (Array.isArray(first)) steps += stepsOf(first[at], item, place);
    if (!Array.isArray(items)) steps += stepsOf(items, item, place);
    steps += stepsOf(contains, item, place);
    if (steps > MAX_STEPS) break;
  }
  return steps;
}

/** In the schema's order, up to a listed value that does not fit: there the validator leaves the branch. */
function propertySteps(
  schema: JsonSchema,
  object: Readonly<Record<string, unknown>>,
  place: Place,
): number {
  const { patternProperties, additionalProperties } = schema;
  const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
  let steps = 1;
  const others = [additionalProperties, schema["unevaluatedProperties"]];
  if (isSchema(patternProperties)) others.push(...Object.values(patternProperties));
  for (const other of others) {
    if (!isSchema(other)) continue;
    for (const value of Object.values(object)) steps += stepsOf(other, value, place);
  }
  for (const [key, own] of Object.entries(properties)) {
    if (!Object.hasOwn(object, key)) continue;
    const value = object[key];
    const listed = isSchema(own) ? listedIn(own) : undefined;
    if (listed && typeof value !== "object" && !listed.includes(value)) break;
    steps += stepsOf(own, value, place);
    if (steps > MAX_STEPS) break;
  }
  return steps;
}
