// One validator for every kind of schema, compiled once per schema object and only when it is first used.
import { Check, Compile } from "typebox/schema";
import { coerce, type Fits } from "./coerce.ts";
import { describeProblems, type RawProblem } from "./describe.ts";
import type { JsonSchema } from "./json-schema.ts";
import { jsonSchemaOf } from "./print-schema.ts";
import { isStandardSchema, type ParameterSchema, type StandardSchema } from "./parameter-schema.ts";

/** A value that fits, as a fresh copy, or one line per problem. */
export type Validation = { ok: true; value: unknown } | { ok: false; problems: string[] };

/** A schema ready for use. */
export interface CompiledSchema {
  /** Copies, coerces where unambiguous, and checks. A promise only if the schema's own check is one. Throws for a broken schema. */
  validate(value: unknown): Validation | Promise<Validation>;
}

const compiled = new WeakMap<ParameterSchema, CompiledSchema>();

/** The compiled form of a schema; the same object for the same schema. */
export function compileSchema(schema: ParameterSchema): CompiledSchema {
  let found = compiled.get(schema);
  if (!found) {
    found = isStandardSchema(schema) ? standard(schema) : plain(schema as JsonSchema);
    compiled.set(schema, found);
  }
  return found;
}

/** Values nested deeper than this are refused before anything recurses into them. */
const MAX_NESTING = 500;

function plain(schema: JsonSchema): CompiledSchema {
  let check: { Check(value: unknown): boolean; Errors(value: unknown): [boolean, RawProblem[]] };
  const compile = (): typeof check => (check ??= Compile(schema as never) as never);
  return {
    validate(value) {
      const tooDeep = refuseNesting(value);
      if (tooDeep) return tooDeep;
      const validator = compile();
      if (validator.Check(value)) return { ok: true, value: structuredClone(value) };
      const made = coerce(schema, asArguments(schema, structuredClone(value)), fitsIn(schema));
      if (validator.Check(made)) return { ok: true, value: made };
      const [, errors] = validator.Errors(made);
      return { ok: false, problems: describeProblems(schema, made, errors) };
    },
  };
}

function standard(schema: StandardSchema): CompiledSchema {
  const ask = (value: unknown): ReturnType<typeof run> => run(schema, value);
  return {
    validate(value) {
      const tooDeep = refuseNesting(value);
      if (tooDeep) return tooDeep;
      const asIs = ask(structuredClone(value));
      const again = (first: Validation): Validation | Promise<Validation> => {
        if (first.ok) return first;
        const own = jsonSchemaOf(schema);
        return ask(coerce(own, asArguments(own, structuredClone(value)), fitsIn(own)));
      };
      return asIs instanceof Promise ? asIs.then(again) : again(asIs);
    },
  };
}

function run(schema: StandardSchema, value: unknown): Validation | Promise<Validation> {
  const outcome = schema["~standard"].validate(value);
  return outcome instanceof Promise ? outcome.then(fromStandard) : fromStandard(outcome);
}

type StandardOutcome = Awaited<ReturnType<StandardSchema["~standard"]["validate"]>>;

function fromStandard(outcome: StandardOutcome): Validation {
  if (!outcome.issues) return { ok: true, value: outcome.value };
  const problems = outcome.issues.map(({ path = [], message }) => {
    const keys = path.map((step) => String(typeof step === "object" ? step.key : step));
    return `${keys.join(".") || "(arguments)"}: ${message}`;
  });
  return { ok: false, problems };
}

/** What models send for "no arguments" is an empty object. */
function asArguments(schema: JsonSchema, value: unknown): unknown {
  const none =
    value === null ||
    value === undefined ||
    (typeof value === "string" && (value.trim() === "" || value.trim() === "null")) ||
    (Array.isArray(value) && value.length === 0);
  return none && schema.type === "object" ? {} : value;
}

/** Parts of a document are checked with its definitions at hand. */
function fitsIn(root: JsonSchema): Fits {
  const { $defs, definitions } = root;
  const shared = {
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  };
  return (schema, value) => {
    try {
      return Check({ ...shared, ...schema } as never, value);
    } catch {
      return false;
    }
  };
}

function refuseNesting(value: unknown): Validation | undefined {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_NESTING) {
      return {
        ok: false,
        problems: [
          `(arguments): nested more than ${MAX_NESTING} levels deep, send a flatter value`,
        ],
      };
    }
    level = level.flatMap((part) =>
      typeof part === "object" && part !== null
        ? Object.values(part).filter((inner) => typeof inner === "object" && inner !== null)
        : [],
    );
  }
  return undefined;
}
