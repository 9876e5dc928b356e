// Which branches of a union a value can mean at all, by what names the branches: `{ op: "and", … } | { op: "or", … }`.
import {
  isRecord,
  isSchema,
  type JsonSchema,
  listedIn,
  resolveRef,
  type SchemaDocument,
} from "./json-schema.ts";

/** The branches that a value's own naming properties do not rule out. */
export function branchesFor(
  branches: readonly JsonSchema[],
  value: unknown,
  document: SchemaDocument,
): JsonSchema[] {
  return branches.filter((branch) => {
    const naming = namingProperties(branch, document);
    return !isRecord(value) || naming.every(([key, listed]) => isListed(value, key, listed));
  });
}

/** The property that names every branch, with all its values, where the value has none of them. */
export function misnamedBy(
  branches: readonly JsonSchema[],
  value: unknown,
  document: SchemaDocument,
): { key: string; listed: unknown[] } | undefined {
  if (!isRecord(value)) return undefined;
  const [first = [], ...others] = branches.map((branch) => namingProperties(branch, document));
  for (const [key, listed] of first) {
    if (!Object.hasOwn(value, key)) continue;
    const inOthers = others.map((naming) => naming.find(([other]) => other === key)?.[1]);
    if (inOthers.includes(undefined)) continue;
    const all = [...listed, ...inOthers.flatMap((more) => more ?? [])];
    if (!isListed(value, key, all)) return { key, listed: [...new Set(all)] };
  }
  return undefined;
}

type Naming = [key: string, listed: readonly unknown[]];

function namingProperties(branch: JsonSchema, document: SchemaDocument): Naming[] {
  const properties = resolveRef(branch, document)?.["properties"];
  if (!isSchema(properties)) return [];
  return Object.entries(properties).flatMap(([key, schema]): Naming[] => {
    const listed = isSchema(schema) ? listedIn(schema) : undefined;
    return listed ? [[key, listed]] : [];
  });
}

/** A text that prints as a listed number or truth value may still become it. */
function isListed(
  value: Readonly<Record<string, unknown>>,
  key: string,
  listed: readonly unknown[],
): boolean {
  if (!Object.hasOwn(value, key)) return true;
  const own = value[key];
  if (typeof own === "object" && own !== null) return true;
  return listed.some(
    (one) => one === own || (typeof own === "string" && one !== null && String(one) === own),
  );
}
