// What is wrong with a value that a schema refuses: one line for each place. Walks value and schema together instead of
// asking the validator, which stops at its eighth error and tells each branch of a union, and each of theirs, in turn.
import { nearestNames } from "../text/nearest-names.ts";
import type { Fits } from "./check-value.ts";
import { branchesFor, misnamedBy } from "./choose-branch.ts";
import { describeListed, describeWanted, showPath, showValue } from "./describe-schema.ts";
import {
  hasType,
  isRecord,
  isSchema,
  type JsonSchema,
  listedIn,
  type SchemaDocument,
  schemasIn,
  textsIn,
  typesOf,
} from "./json-schema.ts";
import { describeLimit, OTHER_KEYWORDS } from "./schema-limits.ts";

/** One place that does not fit. */
export interface Problem {
  /** `edits.0.oldText`, or `(arguments)` for the whole. */
  path: string;
  /** What is wrong, with what was found. */
  message: string;
  /** What would fit there, where that can be said. */
  wanted?: string;
}

/** The first problems, and how many there are. */
export interface Problems {
  first: readonly Problem[];
  count: number;
}

/** Problems that are described; the others are counted. */
export const MAX_PROBLEMS = 20;
/** Places that are looked at. */
const MAX_WALKED = 1_000_000;
/** References and `allOf` in a row without a step into the value. */
const MAX_HOPS = 32;

/** At least one problem of a value that its document refuses. Linear but for the unions on the way. */
export function findProblems(document: SchemaDocument, value: unknown, fits: Fits): Problems {
  const finder = new Finder(document, fits);
  finder.walk(document.root, value, { steps: [], hops: 0 });
  if (finder.count === 0) finder.add([], "does not fit the tool's schema");
  return { first: finder.problems, count: finder.count };
}

interface Place {
  steps: readonly string[];
  hops: number;
}

class Finder {
  readonly problems: Problem[] = [];
  count = 0;
  #walked = 0;
  readonly #document: SchemaDocument;
  readonly #fits: Fits;

  constructor(document: SchemaDocument, fits: Fits) {
    this.#document = document;
    this.#fits = fits;
  }

  add(steps: readonly string[], message: string, wanted?: string): void {
    const path = this.count < MAX_PROBLEMS ? showPath(steps) : "";
    // Two parts of an `allOf` may refuse the same.
    if (this.problems.some((known) => known.path === path && known.message === message)) return;
    if (++this.count > MAX_PROBLEMS) return;
    this.problems.push({ path, message, ...(wanted === undefined ? {} : { wanted }) });
  }

  walk(schema: unknown, value: unknown, place: Place): void {
    if (++this.#walked > MAX_WALKED || place.hops > MAX_HOPS) return;
    if (schema === false) this.add(place.steps, "no value is allowed here, leave it out");
    if (!isSchema(schema)) return;
    if (!hasType(value, typesOf(schema)) || !this.#isListed(schema, value)) {
      this.add(place.steps, `is ${showValue(value)}`, describeWanted(schema, this.#document));
      return;
    }
    const here = this.count;
    this.#walkParts(schema, value, { ...place, hops: place.hops + 1 });
    if (Array.isArray(value)) this.#walkItems(schema, value, place);
    else if (isRecord(value)) this.#walkProperties(schema, value, place);
    this.#checkLimits(schema, value, { place, here });
  }

  #isListed(schema: JsonSchema, value: unknown): boolean {
    const { const: only, enum: several } = schema;
    return (
      listedIn(schema) === undefined || this.#fits(pick({ const: only, enum: several }), value)
    );
  }

  /** Everything that says something of the same value. */
  #walkParts(schema: JsonSchema, value: unknown, place: Place): void {
    const { $ref, allOf, if: condition, then, else: otherwise } = schema;
    if (typeof $ref === "string") {
      const target = this.#document.targets.get($ref);
      if (target) this.walk(target, value, place);
      else if (!this.#fits({ $ref }, value)) {
        this.add(place.steps, `the tool's schema refers to ${showValue($ref)}, which is nowhere`);
      }
    }
    for (const part of Array.isArray(allOf) ? allOf : []) this.walk(part, value, place);
    for (const keyword of ["anyOf", "oneOf"]) {
      const branches: unknown = schema[keyword];
      if (Array.isArray(branches) && !this.#fits({ [keyword]: branches }, value)) {
        this.#walkUnion(branches, value, { place, keyword });
      }
    }
    if (isSchema(condition)) {
      this.walk(this.#fits(condition, value) ? then : otherwise, value, place);
    }
  }

  /** One line for the union, or those of the only branch that can be meant. */
  #walkUnion(
    all: readonly unknown[],
    value: unknown,
    { place, keyword }: { place: Place; keyword: string },
  ): void {
    const branches = schemasIn(all);
    if (keyword === "oneOf" && branches.some((branch) => this.#fits(branch, value))) {
      this.add(place.steps, "fits more than one of the forms of which exactly one is wanted");
      return;
    }
    const ofType = branches.filter((branch) => this.#hasTypeOf(branch, value));
    const misnamed = misnamedBy(ofType, value, this.#document);
    if (misnamed && isRecord(value)) {
      const { key, listed } = misnamed;
      const message = `is ${showValue(value[key])}`;
      this.add([...place.steps, key], message, describeListed(listed));
      return;
    }
    const before = this.count;
    const [only, ...others] = branchesFor(ofType, value, this.#document);
    const isNamed = only !== undefined && others.length === 0 && typeof value === "object";
    if (isNamed) this.walk(only, value, place);
    if (this.count === before) {
      const wanted = describeWanted({ anyOf: branches }, this.#document);
      this.add(place.steps, `is ${showValue(value)}`, wanted);
    }
  }

  #hasTypeOf(branch: JsonSchema, value: unknown): boolean {
    const { $ref } = branch;
    const target = typeof $ref === "string" ? this.#document.targets.get($ref) : branch;
    return target !== undefined && hasType(value, typesOf(target));
  }

  #walkItems(schema: JsonSchema, list: readonly unknown[], { steps }: Place): void {
    const { prefixItems, items, additionalItems } = schema;
    const first: unknown = Array.isArray(items) ? items : prefixItems;
    const rest = Array.isArray(items) ? additionalItems : items;
    for (const [at, item] of list.entries()) {
      const own: unknown = Array.isArray(first) && at < first.length ? first[at] : rest;
      this.walk(own, item, { steps: [...steps, `${at}`], hops: 0 });
    }
  }

  #walkProperties(
    schema: JsonSchema,
    object: Readonly<Record<string, unknown>>,
    { steps }: Place,
  ): void {
    const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
    const required = textsIn(schema["required"]);
    for (const name of required) {
      if (Object.hasOwn(object, name)) continue;
      const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const wanted = isSchema(own) ? describeWanted(own, this.#document) : "a value";
      this.add([...steps, name], "missing", wanted);
    }
    const patterns = patternsOf(schema);
    const { additionalProperties } = schema;
    for (const [key, value] of Object.entries(object)) {
      const place: Place = { steps: [...steps, key], hops: 0 };
      const isDeclared = Object.hasOwn(properties, key);
      if (isDeclared && (value !== undefined || required.includes(key))) {
        this.walk(properties[key], value, place);
      }
      const matching = patterns.filter(([pattern]) => pattern.test(key));
      for (const [, part] of matching) this.walk(part, value, place);
      if (isDeclared || matching.length > 0) continue;
      if (additionalProperties === false) this.#addUnknown(place.steps, Object.keys(properties));
      else this.walk(additionalProperties, value, place);
    }
  }

  #addUnknown(steps: readonly string[], known: readonly string[]): void {
    if (this.count >= MAX_PROBLEMS) return this.add(steps, "");
    const [nearest] = nearestNames(steps.at(-1) ?? "", known, 1);
    const names = known.slice(0, MAX_PROBLEMS).map((name) => showPath([name]));
    const all = names.length > 0 ? `, known are ${names.join(", ")}` : "";
    const hint = nearest === undefined ? all : `, did you mean ${showPath([nearest])}?`;
    this.add(steps, `unknown property${hint}`);
  }

  /** The keywords that no walk goes into, each for itself. */
  #checkLimits(
    schema: JsonSchema,
    value: unknown,
    { place, here }: { place: Place; here: number },
  ): void {
    for (const [keyword, limit] of Object.entries(schema)) {
      const described = describeLimit(keyword, limit);
      if (described === undefined) continue;
      const { minContains, maxContains } = schema;
      const more = keyword === "contains" ? pick({ minContains, maxContains }) : {};
      if (this.#fits({ [keyword]: limit, ...more }, value)) continue;
      this.add(place.steps, `is ${showValue(value)}`, described);
    }
    const isElse = OTHER_KEYWORDS.some((keyword) => keyword in schema);
    if (isElse && this.count === here && !this.#fits(schema, value)) {
      this.add(place.steps, `is ${showValue(value)}, which the tool's schema does not let through`);
    }
  }
}

function pick(schema: Record<string, unknown>): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}

function patternsOf(schema: JsonSchema): [RegExp, unknown][] {
  const { patternProperties } = schema;
  if (!isSchema(patternProperties)) return [];
  return Object.entries(patternProperties).map(([pattern, part]) => [
    new RegExp(pattern, "u"),
    part,
  ]);
}
