// One validator for every kind of schema, compiled once per schema object and only when it is first used.
import { describeError } from "../text/describe-error.ts";
import { isTooCostly } from "./check-cost.ts";
import { type Checker, createChecker, withUsablePatterns } from "./check-value.ts";
import { coerce } from "./coerce.ts";
import { copyValue } from "./copy-value.ts";
import { showPath } from "./describe-schema.ts";
import { findProblems, MAX_PROBLEMS, type Problem, type Problems } from "./find-problems.ts";
import { isSchema, openDocument, type SchemaDocument } from "./json-schema.ts";
import { isStandardSchema, type ParameterSchema, type StandardSchema } from "./parameter-schema.ts";
import { jsonSchemaOf } from "./print-schema.ts";

/** A value that fits, as a copy of its own, or what is wrong. */
export type Validation = { ok: true; value: unknown } | { ok: false; problems: Problems };

/** A schema ready for use. */
export interface CompiledSchema {
  /**
   * Copies, coerces where unambiguous, and checks. A promise only if the schema's own check is one.
   * Throws a BrokenSchemaError.
   */
  validate(value: unknown): Validation | Promise<Validation>;
}

/** A schema that nothing can be checked by; the message says why. */
export class BrokenSchemaError extends Error {}

const compiled = new WeakMap<ParameterSchema, CompiledSchema>();

/** The compiled form of a schema; the same object for the same schema. Nothing is read before the first check. */
export function compileSchema(schema: ParameterSchema): CompiledSchema {
  // What a server sends as a schema may be anything.
  const given: unknown = schema;
  if (typeof given === "boolean") return plain(given ? {} : { not: {} });
  if (!isSchema(given)) throw new BrokenSchemaError("a schema must be an object");
  let found = compiled.get(schema);
  if (!found) {
    found = isStandardSchema(schema) ? standard(schema) : plain(given);
    compiled.set(schema, found);
  }
  return found;
}

const TOO_COSTLY: Problem = {
  path: "(arguments)",
  message: "nested too deep for the many forms that the tool's schema allows, send a flatter value",
};

interface Opened {
  document: SchemaDocument;
  checker: Checker;
}

function open(schema: ParameterSchema): Opened {
  try {
    const whole = openDocument(jsonSchemaOf(schema));
    const root = withUsablePatterns(whole.root);
    const document = root === whole.root ? whole : openDocument(root);
    return { document, checker: createChecker(document) };
  } catch (error) {
    throw new BrokenSchemaError(describeError(error));
  }
}

function plain(schema: ParameterSchema): CompiledSchema {
  let opened: Opened | undefined;
  return {
    validate(value) {
      const copy = copyValue(value);
      if (!copy.ok) return refuse([{ path: "(arguments)", message: copy.why }]);
      const { document, checker } = (opened ??= open(schema));
      if (isTooCostly(document, copy.value)) return refuse([TOO_COSTLY]);
      try {
        if (checker.check(copy.value)) return { ok: true, value: copy.value };
        const made = coerce(document, copy.value, checker.fits);
        if (checker.check(made)) return { ok: true, value: made };
        return { ok: false, problems: findProblems(document, made, checker.fits) };
      } catch (error) {
        throw new BrokenSchemaError(describeError(error));
      }
    },
  };
}

function standard(schema: StandardSchema): CompiledSchema {
  let opened: Opened | undefined;
  const coerced = (value: unknown): { value: unknown } | undefined => {
    const copy = copyValue(value);
    try {
      const { document, checker } = (opened ??= open(schema));
      if (!copy.ok || isTooCostly(document, copy.value)) return undefined;
      return { value: coerce(document, copy.value, checker.fits) };
    } catch {
      // A schema that cannot print itself still checks: only nothing is coerced.
      return undefined;
    }
  };
  return {
    validate(value) {
      const copy = copyValue(value);
      if (!copy.ok) return refuse([{ path: "(arguments)", message: copy.why }]);
      const again = (first: Validation): Validation | Promise<Validation> => {
        if (first.ok) return first;
        const made = coerced(value);
        return made ? runStandard(schema, made.value) : first;
      };
      const asIs = runStandard(schema, copy.value);
      return asIs instanceof Promise ? asIs.then(again) : again(asIs);
    },
  };
}

function runStandard(schema: StandardSchema, value: unknown): Validation | Promise<Validation> {
  const fail = (error: unknown): never => {
    throw new BrokenSchemaError(`its own check failed: ${describeError(error)}`);
  };
  try {
    const outcome = schema["~standard"].validate(value);
    if (!isPromise(outcome)) return fromStandard(outcome);
    return Promise.resolve(outcome).then(fromStandard, fail);
  } catch (error) {
    return fail(error);
  }
}

type StandardOutcome = Awaited<ReturnType<StandardSchema["~standard"]["validate"]>>;

function isPromise(
  outcome: StandardOutcome | Promise<StandardOutcome>,
): outcome is Promise<StandardOutcome> {
  return "then" in outcome && typeof outcome.then === "function";
}

function fromStandard(outcome: StandardOutcome): Validation {
  if (!outcome.issues) return { ok: true, value: outcome.value };
  const problems = outcome.issues.slice(0, MAX_PROBLEMS).map(({ path = [], message }) => {
    const steps = path.map((step) => String(typeof step === "object" ? step.key : step));
    return { path: showPath(steps), message };
  });
  return refuse(problems, outcome.issues.length);
}

function refuse(first: readonly Problem[], count: number = first.length): Validation {
  return { ok: false, problems: { first, count } };
}
