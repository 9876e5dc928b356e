// Schemas and values in a few words.
import {
  isSchema,
  type JsonSchema,
  listedIn,
  resolveRef,
  type SchemaDocument,
  schemasIn,
  typeName,
  typesOf,
} from "./json-schema.ts";

/** Characters of one value that are shown. */
const MAX_SHOWN_VALUE = 60;
/** Of listed values, and of the branches of a union. */
const MAX_SHOWN_LISTED = 20;
const MAX_SHOWN_BRANCHES = 6;
const MAX_SHOWN_PROPERTIES = 8;

/** What a schema allows. Never the whole of a large one. */
export function describeWanted(written: JsonSchema, document: SchemaDocument, depth = 0): string {
  const schema = resolveRef(written, document);
  if (!schema || depth > 3) return "a value";
  const listed = listedIn(schema);
  if (listed) return describeListed(listed);
  const branches = [...schemasIn(schema["anyOf"]), ...schemasIn(schema["oneOf"])];
  if (branches.length > 0) {
    const shown = branches
      .slice(0, MAX_SHOWN_BRANCHES)
      .map((branch) => describeWanted(branch, document, depth + 1));
    const more = branches.length - MAX_SHOWN_BRANCHES;
    return [...new Set(shown), ...(more > 0 ? [`${more} other forms`] : [])].join(" or ");
  }
  const types = typesOf(schema);
  const described = types.map((type) => describeType(type, schema, { document, depth }));
  return described.join(" or ") || "a value";
}

/** Listed values as JSON. */
export function describeListed(listed: readonly unknown[]): string {
  const shown = listed.slice(0, MAX_SHOWN_LISTED).map(asJson);
  const more = listed.length - MAX_SHOWN_LISTED;
  if (more > 0) shown.push(`${more} more`);
  return shown.length === 1 ? (shown[0] ?? "") : `one of ${shown.join(", ")}`;
}

function describeType(
  type: string,
  schema: JsonSchema,
  { document, depth }: { document: SchemaDocument; depth: number },
): string {
  if (type === "array") {
    const { items } = schema;
    return isSchema(items) ? `a list of ${describeWanted(items, document, depth + 1)}` : "a list";
  }
  if (type !== "object") return type;
  const { properties } = schema;
  const names = isSchema(properties) ? Object.keys(properties) : [];
  if (names.length === 0) return "an object";
  const shown = names.slice(0, MAX_SHOWN_PROPERTIES).map((name) => shorten(name));
  if (names.length > MAX_SHOWN_PROPERTIES) shown.push("…");
  return `an object { ${shown.join(", ")} }`;
}

/** A value and its type; of lists and objects only the type. */
export function showValue(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (typeof value === "object") return typeName(value) === "array" ? "a list" : "an object";
  return `${asJson(value)} (${typeName(value)})`;
}

function asJson(value: unknown): string {
  if (typeof value === "string" && value.length > MAX_SHOWN_VALUE) {
    return `${JSON.stringify(value.slice(0, MAX_SHOWN_VALUE).toWellFormed())}…`;
  }
  if (typeof value === "bigint") return shorten(`${value}n`);
  try {
    return shorten(JSON.stringify(value) ?? typeof value);
  } catch {
    return typeName(value);
  }
}

function shorten(text: string): string {
  return text.length > MAX_SHOWN_VALUE ? `${text.slice(0, MAX_SHOWN_VALUE)}…` : text;
}

/** The place within the arguments, on one line: `edits.0.oldText`. Names that would be misread are quoted. */
export function showPath(steps: readonly string[]): string {
  if (steps.length === 0) return "(arguments)";
  return steps
    .map((step) => (/^[\p{L}\p{N}_$@:/-]{1,60}$/u.test(step) ? step : asJson(step)))
    .join(".");
}
