// A tool's arguments against its schema: what the loop and other people's tools call.
import { parseArguments } from "../json/parse-arguments.ts";
import { describeError } from "../text/describe-error.ts";
import { compileSchema, type Validation } from "./compile-schema.ts";
import { describeProblems } from "./describe.ts";
import type { Problem } from "./find-problems.ts";
import { isRecord, typeName } from "./json-schema.ts";
import type { ArgsOf, ParameterSchema } from "./parameter-schema.ts";

interface Checked<P extends ParameterSchema> {
  name: string;
  parameters: P;
}

/** The arguments to run with, or the text that tells the model what is wrong. */
export type ArgumentCheck =
  | { ok: true; args: Record<string, unknown> }
  | { ok: false; text: string };

/**
 * Copies, coerces and checks; a promise only for a schema whose own check is one. What models send for "no arguments"
 * (nothing, null, a blank text, an empty list) is an empty object. Never throws: a broken schema is told by the text.
 */
export function checkArguments(
  tool: Checked<ParameterSchema>,
  received: unknown,
): ArgumentCheck | Promise<ArgumentCheck> {
  const broken = (error: unknown): ArgumentCheck => ({
    ok: false,
    text: `Tool "${tool.name}" cannot be called: its schema is broken (${describeError(error)}). Sending other arguments does not help.`,
  });
  const refuse = (problem: Omit<Problem, "path">): ArgumentCheck => {
    const problems = { first: [{ path: "(arguments)", ...problem }], count: 1 };
    return { ok: false, text: describeProblems({ toolName: tool.name, problems, received }) };
  };
  const conclude = (validation: Validation): ArgumentCheck => {
    if (!validation.ok) {
      const { problems } = validation;
      return { ok: false, text: describeProblems({ toolName: tool.name, problems, received }) };
    }
    const { value } = validation;
    return isRecord(value) ? { ok: true, args: value } : refuse(notAnObject(value));
  };
  try {
    const given = readGiven(received);
    if (typeof given === "string") return refuse({ message: given });
    if (!isRecord(given)) return refuse(notAnObject(given));
    const validation = compileSchema(tool.parameters).validate(given);
    return validation instanceof Promise
      ? validation.then(conclude).catch(broken)
      : conclude(validation);
  } catch (error) {
    return broken(error);
  }
}

/** Arguments as an object; a text where they are none that can be read. */
function readGiven(received: unknown): unknown {
  if (received === null || received === undefined) return {};
  if (Array.isArray(received)) return received.length === 0 ? {} : (received as unknown[]);
  if (typeof received !== "string") return received;
  const parsed = parseArguments(received);
  return parsed.ok ? parsed.value : (parsed.error.split(". Received")[0] ?? "");
}

function notAnObject(value: unknown): Omit<Problem, "path"> {
  const name = typeName(value);
  return { message: `is ${name === "array" ? "a list" : `a ${name}`}`, wanted: "an object" };
}

/**
 * The call's arguments, copied, coerced where unambiguous, and valid by the tool's schema.
 * Throws an Error with the text for the model if they are not; a schema with an asynchronous check is refused.
 */
export function validateToolArguments<P extends ParameterSchema>(
  tool: Checked<P>,
  toolCall: { name: string; arguments: unknown },
): ArgsOf<P> {
  const checked = checkArguments(tool, toolCall.arguments);
  if (checked instanceof Promise) {
    throw new Error(
      `The schema of ${tool.name} checks asynchronously: validateToolArgumentsAsync waits for it.`,
    );
  }
  if (!checked.ok) throw new Error(checked.text);
  return checked.args as ArgsOf<P>;
}

/** The same for any schema; rejects where the other throws. */
export async function validateToolArgumentsAsync<P extends ParameterSchema>(
  tool: Checked<P>,
  toolCall: { name: string; arguments: unknown },
): Promise<ArgsOf<P>> {
  const checked = await checkArguments(tool, toolCall.arguments);
  if (!checked.ok) throw new Error(checked.text);
  return checked.args as ArgsOf<P>;
}
