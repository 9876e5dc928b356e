/** A JSON Schema as plain data. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly [keyword: string]: unknown;
}

/** Whether a keyword's value is a schema that can be looked into; boolean schemas are not. */
export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The types that a schema allows by its `type` keyword; empty if it has none. */
export function typesOf(schema: JsonSchema): readonly string[] {
  if (typeof schema.type === "string") return [schema.type];
  return Array.isArray(schema.type) ? schema.type.filter((type) => typeof type === "string") : [];
}

/** The schemas in a list keyword such as `anyOf`. */
export function schemasIn(value: unknown): JsonSchema[] {
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

/** The JSON type of a value: `integer` counts as `number`. */
export function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Follows `$ref` within the document; undefined where it leads nowhere or in a circle. */
export function resolveRef(schema: JsonSchema, root: JsonSchema): JsonSchema | undefined {
  let current: unknown = schema;
  for (let hops = 0; hops < 32; hops++) {
    if (!isSchema(current)) return undefined;
    const { $ref } = current;
    if (typeof $ref !== "string") return current;
    current = atPointer(root, $ref);
  }
  return undefined;
}

function atPointer(root: JsonSchema, ref: string): unknown {
  if (!ref.startsWith("#")) return undefined;
  let at: unknown = root;
  for (const part of ref.slice(1).split("/").slice(1)) {
    const key = decodePointer(part);
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

function decodePointer(part: string): string {
  let text = part;
  try {
    text = decodeURIComponent(part);
  } catch {
    // A stray percent sign is meant as it stands.
  }
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}
