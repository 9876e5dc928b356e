// The validator behind one interface: whole arguments compiled, parts of a document one by one.
import { Check, Compile } from "typebox/schema";
import { isSchema, type JsonSchema, type SchemaDocument } from "./json-schema.ts";

/** Says whether a value fits a schema of the same document. */
export type Fits = (schema: JsonSchema, value: unknown) => boolean;

export interface Checker {
  /** By the whole document; compiled when it is first called. */
  check(value: unknown): boolean;
  /** By a part of the document; false where that part cannot be used. */
  fits: Fits;
}

/** Checks values by a document. */
export function createChecker({ root, targets }: SchemaDocument): Checker {
  const context = Object.fromEntries(targets);
  let compiled: ((value: unknown) => boolean) | undefined;
  const compile = (): ((value: unknown) => boolean) => {
    try {
      const validator = Compile(root as never);
      return (value) => validator.Check(value);
    } catch {
      // Thousands of listed values are more than compiled code can nest: read the schema instead.
      return (value) => Check(context as never, root as never, value);
    }
  };
  return {
    check: (value) => (compiled ??= compile())(value),
    fits(schema, value) {
      try {
        return Check(context as never, schema as never, value);
      } catch {
        return false;
      }
    },
  };
}

/**
 * The schema without the patterns that would make every check fail: those that are no regular expression are left out,
 * those that are one only without the `u` flag (as many servers send) become one. The same object if there are none.
 */
export function withUsablePatterns(schema: JsonSchema): JsonSchema {
  return mend(schema, new Map()) as JsonSchema;
}

function mend(part: unknown, seen: Map<unknown, unknown>): unknown {
  if (typeof part !== "object" || part === null || part instanceof RegExp) return part;
  if (seen.has(part)) return seen.get(part);
  seen.set(part, part);
  let isChanged = false;
  const changed = Object.entries(part).flatMap(([key, value]): [string, unknown][] => {
    const mended = mendKeyword(key, key === "const" || key === "enum" ? value : mend(value, seen));
    isChanged ||= mended !== value;
    return mended === undefined ? [] : [[key, mended]];
  });
  if (!isChanged) return part;
  const made = Array.isArray(part)
    ? changed.map(([, value]) => value)
    : Object.fromEntries(changed);
  seen.set(part, made);
  return made;
}

function mendKeyword(key: string, value: unknown): unknown {
  if (key === "pattern" && typeof value === "string") {
    return isPattern(value, "u") ? value : isPattern(value, "") ? new RegExp(value) : undefined;
  }
  if (key !== "patternProperties" || !isSchema(value)) return value;
  const usable = Object.entries(value).filter(([pattern]) => isPattern(pattern, "u"));
  return usable.length === Object.keys(value).length ? value : Object.fromEntries(usable);
}

function isPattern(source: string, flags: string): boolean {
  try {
    return new RegExp(source, flags) instanceof RegExp;
  } catch {
    return false;
  }
}
