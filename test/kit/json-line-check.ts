// The published schema of JSON mode's lines, as a check.
import { Compile } from "typebox/schema";
import { jsonLinesSchema } from "../../src/modes/json-lines-schema.ts";

const validator = Compile(jsonLinesSchema as never) as unknown as {
  Check(value: unknown): boolean;
};

/** The line, if it is none that the schema knows. */
export function jsonLineProblem(line: unknown): string | undefined {
  return validator.Check(line) ? undefined : JSON.stringify(line).slice(0, 2000);
}
