// A tool's arguments against its schema: what the loop and other people's tools call.
import { compileSchema, type Validation } from "./compile-schema.ts";
import { describeFailure } from "./describe.ts";
import type { ArgsOf, ParameterSchema } from "./parameter-schema.ts";

interface Checked<P extends ParameterSchema> {
  name: string;
  parameters: P;
}

/** The arguments to run with, or the text that tells the model what is wrong. */
export type ArgumentCheck =
  | { ok: true; args: Record<string, unknown> }
  | { ok: false; text: string };

/** Copies, coerces and checks; a promise only for a schema whose own check is one. Throws for a broken schema. */
export function checkArguments(
  tool: Checked<ParameterSchema>,
  received: unknown,
): ArgumentCheck | Promise<ArgumentCheck> {
  const conclude = (validation: Validation): ArgumentCheck => {
    if (!validation.ok) {
      return { ok: false, text: describeFailure(tool.name, validation.problems, received) };
    }
    const { value } = validation;
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { ok: true, args: value as Record<string, unknown> };
    }
    const problems = ["(arguments): wanted an object"];
    return { ok: false, text: describeFailure(tool.name, problems, received) };
  };
  const validation = compileSchema(tool.parameters).validate(received);
  return validation instanceof Promise ? validation.then(conclude) : conclude(validation);
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
    checked.catch(() => {});
    throw new Error(
      `The schema of ${tool.name} checks asynchronously: the loop can wait for it, this function cannot.`,
    );
  }
  if (!checked.ok) throw new Error(checked.text);
  return checked.args as ArgsOf<P>;
}
