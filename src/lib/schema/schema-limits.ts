// The keywords that set a limit to one value, in words.
import { isSchema } from "./json-schema.ts";

/** Characters of a pattern that are shown. */
const MAX_SHOWN_PATTERN = 100;

const LIMITS: Readonly<Record<string, (limit: unknown) => string>> = {
  minimum: (limit) => `at least ${shown(limit)}`,
  maximum: (limit) => `at most ${shown(limit)}`,
  exclusiveMinimum: (limit) => `more than ${shown(limit)}`,
  exclusiveMaximum: (limit) => `less than ${shown(limit)}`,
  multipleOf: (limit) => `a multiple of ${shown(limit)}`,
  minLength: (limit) => `at least ${counted(limit, "character")}`,
  maxLength: (limit) => `at most ${counted(limit, "character")}`,
  pattern: (limit) => `a text that matches ${patternText(limit)}`,
  format: (limit) => `the format ${shown(limit)}`,
  minItems: (limit) => `at least ${counted(limit, "item")}`,
  maxItems: (limit) => `at most ${counted(limit, "item")}`,
  uniqueItems: () => "items that all differ",
  contains: () => "certain items, as the tool's schema says",
  minProperties: (limit) => `at least ${counted(limit, "property", "properties")}`,
  maxProperties: (limit) => `at most ${counted(limit, "property", "properties")}`,
  propertyNames: () => "other property names",
  dependentRequired: (limit) => `the properties that belong together: ${dependencyText(limit)}`,
  dependentSchemas: () => "properties that go together, as the tool's schema says",
  dependencies: (limit) => `the properties that belong together: ${dependencyText(limit)}`,
  not: () => "something else: the tool's schema forbids this",
};

/** Keywords that a value may fail by although nothing else says so. */
export const OTHER_KEYWORDS: readonly string[] = [
  "unevaluatedProperties",
  "unevaluatedItems",
  "$dynamicRef",
  "$recursiveRef",
  "~refine",
];

/** What a keyword wants of a value; undefined for keywords that set no limit of this kind. */
export function describeLimit(keyword: string, limit: unknown): string | undefined {
  return Object.hasOwn(LIMITS, keyword) ? LIMITS[keyword]?.(limit) : undefined;
}

function shown(limit: unknown): string {
  return String(typeof limit === "object" ? typeof limit : limit).slice(0, MAX_SHOWN_PATTERN);
}

function counted(limit: unknown, one: string, several = `${one}s`): string {
  return `${shown(limit)} ${limit === 1 ? one : several}`;
}

function patternText(limit: unknown): string {
  const text = limit instanceof RegExp ? String(limit) : `/${String(limit)}/`;
  return text.length > MAX_SHOWN_PATTERN ? `${text.slice(0, MAX_SHOWN_PATTERN)}…` : text;
}

function dependencyText(limit: unknown): string {
  if (!isSchema(limit)) return "";
  const pairs = Object.entries(limit).slice(0, 5);
  return pairs
    .map(([key, needs]) => `${key} needs ${Array.isArray(needs) ? needs.join(" and ") : "others"}`)
    .join(", ")
    .slice(0, MAX_SHOWN_PATTERN);
}
