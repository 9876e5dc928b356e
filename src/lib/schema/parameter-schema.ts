// The three ways in which a tool may declare its arguments.
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import type { Static, TSchema } from "typebox";
import type { JsonSchema } from "./json-schema.ts";

/** A schema library's object that validates and can print itself as JSON Schema (zod 4, arktype, valibot through its adapter). */
export type StandardSchema = StandardSchemaV1 & StandardJSONSchemaV1;

/** How a tool declares its arguments: declaration, validation and static type from one source. */
export type ParameterSchema = TSchema | StandardSchema | JsonSchema;

/** The static type of the arguments that a schema lets through. */
export type ArgsOf<P> = P extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<P>
  : P extends { readonly "~kind": string }
    ? Static<P & TSchema>
    : Record<string, unknown>;

/** Whether a schema is a schema library's object, not plain JSON Schema. */
export function isStandardSchema(schema: ParameterSchema): schema is StandardSchema {
  return typeof schema === "object" && schema !== null && "~standard" in schema;
}
