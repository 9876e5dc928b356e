/** A JSON Schema as plain data. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly [keyword: string]: unknown;
}
