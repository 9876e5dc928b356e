// JSON Schema as plain data, and where its references lead.

/** A JSON Schema as plain data. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly [keyword: string]: unknown;
}

/** Whether a keyword's value is a schema that can be looked into; boolean schemas are not. */
export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is an object, and no list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
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

/** The texts in a list keyword such as `required`. */
export function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === "string") : [];
}

/** The values that a schema lists by `enum` and `const`; undefined if it lists none. */
export function listedIn(schema: JsonSchema): readonly unknown[] | undefined {
  if ("const" in schema) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? (schema["enum"] as unknown[]) : undefined;
}

/** The JSON type of a value: `integer` counts as `number`. */
export function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

const TYPES = ["null", "boolean", "number", "integer", "string", "array", "object"];

/** Whether a value is of one of the types; true if there are none, or one that JSON Schema does not know. */
export function hasType(value: unknown, types: readonly string[]): boolean {
  const name = typeName(value);
  if (types.length === 0 || types.includes(name)) return true;
  if (types.includes("integer") && Number.isInteger(value)) return true;
  return types.some((type) => !TYPES.includes(type));
}

/** A schema with what its references lead to. */
export interface SchemaDocument {
  readonly root: JsonSchema;
  /** By the references' own text. */
  readonly targets: ReadonlyMap<string, JsonSchema>;
}

/** Parts and levels that a schema may have. */
const MAX_PARTS = 200_000;
const MAX_DEPTH = 500;

/** Finds what the references of a schema lead to. Throws for a schema of more than 200,000 parts or 500 levels. */
export function openDocument(root: JsonSchema): SchemaDocument {
  const references = new Set<string>();
  const named = new Map<string, JsonSchema>();
  const seen = new Set<unknown>();
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH || seen.size > MAX_PARTS) throw new Error("it is too large or too deep");
    const next: unknown[] = [];
    for (const part of level) {
      if (typeof part !== "object" || part === null || seen.has(part)) continue;
      seen.add(part);
      if (isSchema(part)) noteNames(part, references, named);
      for (const inner of Object.values(part)) next.push(inner);
    }
    level = next;
  }
  const targets = new Map<string, JsonSchema>();
  for (const reference of references) {
    const target = named.get(reference) ?? atPointer(root, reference);
    if (isSchema(target)) targets.set(reference, target);
  }
  return { root, targets };
}

function noteNames(
  part: JsonSchema,
  references: Set<string>,
  named: Map<string, JsonSchema>,
): void {
  for (const keyword of ["$ref", "$dynamicRef", "$recursiveRef"]) {
    const name = part[keyword];
    if (typeof name === "string") references.add(name);
  }
  const { $id, $anchor, $dynamicAnchor } = part;
  if (typeof $id === "string") named.set($id, part);
  if (typeof $anchor === "string") named.set(`#${$anchor}`, part);
  if (typeof $dynamicAnchor === "string") named.set(`#${$dynamicAnchor}`, part);
}

/** Follows `$ref` within the document; undefined where it leads nowhere or in a circle. */
export function resolveRef(
  schema: JsonSchema,
  { targets }: SchemaDocument,
): JsonSchema | undefined {
  let current: JsonSchema | undefined = schema;
  for (let hops = 0; hops < 32 && current; hops++) {
    const { $ref }: JsonSchema = current;
    if (typeof $ref !== "string") return current;
    current = targets.get($ref);
  }
  return undefined;
}

function atPointer(root: JsonSchema, ref: string): unknown {
  if (ref !== "#" && !ref.startsWith("#/")) return undefined;
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
