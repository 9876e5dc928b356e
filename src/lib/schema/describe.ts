// What a model is told about arguments that do not fit: where, what is wrong, what is wanted, and what came.
import { nearestNames } from "../text/nearest-names.ts";
import { cutUtf8, formatBytes, utf8Length } from "../text/truncate.ts";
import {
  isSchema,
  type JsonSchema,
  resolveRef,
  schemasIn,
  typeName,
  typesOf,
} from "./json-schema.ts";

/** A problem as the validator tells it. */
export interface RawProblem {
  keyword: string;
  schemaPath: string;
  instancePath: string;
  params: Record<string, unknown>;
  message: string;
}

/** More problems than this are only counted. */
const MAX_PROBLEMS = 20;
/** Bytes of the received arguments that are repeated. */
const MAX_RECEIVED_BYTES = 2048;
/** Characters of one wrong value that are shown. */
const MAX_SHOWN_VALUE = 60;

/** The whole text for the model. */
export function describeFailure(
  toolName: string,
  problems: readonly string[],
  received: unknown,
): string {
  const shown = problems.slice(0, MAX_PROBLEMS).map((problem) => `  - ${problem}`);
  if (problems.length > MAX_PROBLEMS) shown.push(`  - and ${problems.length - MAX_PROBLEMS} more`);
  return [
    `Validation failed for tool "${toolName}":`,
    ...shown,
    "",
    "Received arguments:",
    describeReceived(received),
  ].join("\n");
}

function describeReceived(received: unknown): string {
  const text = JSON.stringify(received, null, 2) ?? String(received);
  const size = utf8Length(text);
  if (size <= MAX_RECEIVED_BYTES) return text;
  return `${cutUtf8(text, MAX_RECEIVED_BYTES)}\n[the first ${formatBytes(MAX_RECEIVED_BYTES)} of ${formatBytes(size)}]`;
}

/** One line per problem: path, what is wrong, what was wanted. */
export function describeProblems(
  root: JsonSchema,
  value: unknown,
  raw: readonly RawProblem[],
): string[] {
  const unions = raw.filter(({ keyword }) => keyword === "anyOf" || keyword === "oneOf");
  const lines = raw
    .filter((problem) => !isInsideUnion(problem, unions) && !isEcho(problem, raw))
    .flatMap((problem) => describeProblem(root, value, problem));
  return [...new Set(lines)];
}

/** What is wrong with each branch of a union says less than that none fits. */
function isInsideUnion(problem: RawProblem, unions: readonly RawProblem[]): boolean {
  return unions.some(
    (union) =>
      union !== problem && problem.schemaPath.startsWith(`${union.schemaPath}/${union.keyword}/`),
  );
}

/** An unknown property is told once, not also as a value that no schema allows. */
function isEcho(problem: RawProblem, all: readonly RawProblem[]): boolean {
  if (problem.keyword !== "boolean") return false;
  return all.some(
    ({ keyword, instancePath, params }) =>
      (keyword === "additionalProperties" || keyword === "unevaluatedProperties") &&
      namesIn(params).some(
        (name) => problem.instancePath === `${instancePath}/${escapePointer(name)}`,
      ),
  );
}

function namesIn(params: Record<string, unknown>): string[] {
  const lists = Object.values(params).filter((list) => Array.isArray(list));
  return lists.flat().filter((name) => typeof name === "string");
}

function describeProblem(root: JsonSchema, value: unknown, problem: RawProblem): string[] {
  const { keyword, instancePath, params } = problem;
  const steps = pathSteps(instancePath);
  const path = steps.join(".") || "(arguments)";
  const schema = schemaAt(root, steps);
  const properties = schema && isSchema(schema["properties"]) ? schema["properties"] : {};
  const at = (name: string): string => [...steps, name].join(".");
  switch (keyword) {
    case "required":
      return namesIn(params).map((name) => {
        const wanted = isSchema(properties[name])
          ? describeWanted(properties[name], root)
          : "a value";
        return `${at(name)}: missing, wanted ${wanted}`;
      });
    case "additionalProperties":
    case "unevaluatedProperties":
      return namesIn(params).map((name) => {
        const known = Object.keys(properties);
        const [nearest] = nearestNames(name, known, 1);
        const hint = nearest ? `, did you mean ${nearest}?` : `, known are ${known.join(", ")}`;
        return `${at(name)}: unknown property${known.length > 0 ? hint : ""}`;
      });
    case "type":
    case "enum":
    case "const":
    case "anyOf":
    case "oneOf": {
      const own = valueAt(value, steps);
      const wanted = schema ? describeWanted(schema, root) : problem.message;
      return [`${path}: is ${showValue(own)}, wanted ${wanted}`];
    }
    case "boolean":
      return [`${path}: no value is allowed here`];
    default:
      return [`${path}: is ${showValue(valueAt(value, steps))}, ${problem.message}`];
  }
}

function pathSteps(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function escapePointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

function valueAt(value: unknown, steps: readonly string[]): unknown {
  let at = value;
  for (const step of steps) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Record<string, unknown>)[step];
  }
  return at;
}

/** The schema of the part that the steps lead to, where it stands plainly in the document. */
function schemaAt(root: JsonSchema, steps: readonly string[]): JsonSchema | undefined {
  let at: JsonSchema | undefined = resolveRef(root, root);
  for (const step of steps) {
    if (!at) return undefined;
    const { properties, items, additionalProperties } = at;
    const own =
      isSchema(properties) && Object.hasOwn(properties, step) ? properties[step] : undefined;
    const next = own ?? (/^\d+$/.test(step) ? items : additionalProperties);
    at = isSchema(next) ? resolveRef(next, root) : undefined;
  }
  return at;
}

/** What a schema allows, in a few words. */
export function describeWanted(written: JsonSchema, root: JsonSchema, depth = 0): string {
  const schema = resolveRef(written, root);
  if (!schema || depth > 3) return "a value";
  if ("const" in schema) return showValue(schema["const"]);
  if (Array.isArray(schema["enum"])) return `one of ${schema["enum"].map(showValue).join(", ")}`;
  const branches = [...schemasIn(schema["anyOf"]), ...schemasIn(schema["oneOf"])];
  if (branches.length > 0) {
    return [...new Set(branches.map((one) => describeWanted(one, root, depth + 1)))].join(" or ");
  }
  const types = typesOf(schema);
  if (types.length === 0) return "a value";
  return types.map((type) => describeType(type, schema, { root, depth })).join(" or ");
}

function describeType(
  type: string,
  schema: JsonSchema,
  { root, depth }: { root: JsonSchema; depth: number },
): string {
  if (type === "array") {
    const { items } = schema;
    return isSchema(items) ? `a list of ${describeWanted(items, root, depth + 1)}` : "a list";
  }
  if (type !== "object") return type;
  const { properties } = schema;
  const names = isSchema(properties) ? Object.keys(properties).slice(0, 8) : [];
  return names.length > 0 ? `an object { ${names.join(", ")} }` : "an object";
}

function showValue(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (typeof value === "object") return typeName(value) === "array" ? "a list" : "an object";
  const text = JSON.stringify(value) ?? typeof value;
  const shown = text.length > MAX_SHOWN_VALUE ? `${text.slice(0, MAX_SHOWN_VALUE)}…` : text;
  return `${shown} (${typeName(value)})`;
}
