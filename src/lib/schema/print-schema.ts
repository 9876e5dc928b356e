// What a model is sent of a tool's arguments. Apart from the validator, which is loaded with the first call only.
import { describeError } from "../text/describe-error.ts";
import { isSchema, type JsonSchema } from "./json-schema.ts";
import { isStandardSchema, type ParameterSchema, type StandardSchema } from "./parameter-schema.ts";

const printed = new WeakMap<ParameterSchema, JsonSchema>();

/** A schema as JSON Schema; the same object for the same schema. Throws if a schema library's object cannot print itself. */
export function jsonSchemaOf(schema: ParameterSchema): JsonSchema {
  if (!isStandardSchema(schema)) return schema as JsonSchema;
  let found = printed.get(schema);
  if (!found) {
    found = printStandard(schema);
    printed.set(schema, found);
  }
  return found;
}

function printStandard(schema: StandardSchema): JsonSchema {
  const { jsonSchema, vendor } = schema["~standard"];
  let failure: unknown;
  for (const target of ["draft-2020-12", "draft-07"] as const) {
    try {
      const made: unknown = jsonSchema.input({ target });
      if (isSchema(made)) return made;
    } catch (error) {
      failure = error;
    }
  }
  throw new Error(`The ${vendor} schema cannot be given as JSON Schema: ${describeError(failure)}`);
}
