// What a source file imports, names and defines, read from its syntax tree.
import { type Node, parseSync } from "oxc-parser";

export interface ImportFact {
  /** As written. */
  from: string;
  typeOnly: boolean;
}

export interface FunctionFact {
  name: string;
  lines: number;
  /** Positional parameters. */
  parameters: number;
  line: number;
}

export interface SourceFacts {
  imports: ImportFact[];
  /** Names that are used and declared nowhere in the file: globals. */
  globals: Set<string>;
  functions: FunctionFact[];
  /** Lines on which the type `any` is written. */
  anyLines: number[];
  lines: number;
}

type AnyNode = Node & Record<string, unknown>;

/** Reads one file. Throws for a text that is no TypeScript. */
export function readFacts(path: string, text: string): SourceFacts {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const facts: SourceFacts = {
    imports: [],
    globals: new Set(),
    functions: [],
    anyLines: [],
    lines: text.split("\n").length - (text.endsWith("\n") ? 1 : 0),
  };
  const lineAt = lineCounter(text);
  const declared = new Set<string>();
  const used = new Set<string>();
  walk(program as unknown as AnyNode, undefined, (node, parent, key) => {
    collectImport(node, facts);
    collectFunction(node, parent, { facts, lineAt });
    if (node.type === "TSAnyKeyword") facts.anyLines.push(lineAt(node.start));
    if (node.type !== "Identifier") return;
    const name = node["name"] as string;
    if (isDeclaration(parent, key)) declared.add(name);
    else if (!isPropertyName(parent, key) && !isInType(parent)) used.add(name);
  });
  for (const name of used) if (!declared.has(name)) facts.globals.add(name);
  return facts;
}

type Visit = (node: AnyNode, parent: AnyNode | undefined, key: string) => void;

function walk(node: AnyNode, parent: AnyNode | undefined, visit: Visit, key = ""): void {
  visit(node, parent, key);
  for (const [name, value] of Object.entries(node)) {
    for (const part of Array.isArray(value) ? value : [value]) {
      if (typeof part === "object" && part !== null && "type" in part) {
        walk(part as AnyNode, node, visit, name);
      }
    }
  }
}

function collectImport(node: AnyNode, facts: SourceFacts): void {
  const source = node["source"] as { value?: unknown } | null | undefined;
  if (typeof source?.value !== "string") return;
  const isImport =
    node.type === "ImportDeclaration" ||
    node.type === "ExportNamedDeclaration" ||
    node.type === "ExportAllDeclaration" ||
    node.type === "ImportExpression";
  if (!isImport) return;
  const whole = node["importKind"] === "type" || node["exportKind"] === "type";
  const specifiers = (node["specifiers"] ?? []) as { importKind?: string; exportKind?: string }[];
  const each =
    specifiers.length > 0 &&
    specifiers.every(
      ({ importKind, exportKind }) => importKind === "type" || exportKind === "type",
    );
  facts.imports.push({ from: source.value, typeOnly: whole || each });
}

const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

function collectFunction(
  node: AnyNode,
  parent: AnyNode | undefined,
  { facts, lineAt }: { facts: SourceFacts; lineAt: (at: number) => number },
): void {
  if (!FUNCTIONS.has(node.type) || !node["body"]) return;
  const params = (node["params"] ?? []) as { type: string; name?: string }[];
  facts.functions.push({
    name: nameOf(node, parent),
    lines: lineAt(node.end) - lineAt(node.start) + 1,
    parameters: params.filter((param) => param.name !== "this").length,
    line: lineAt(node.start),
  });
}

function nameOf(node: AnyNode, parent: AnyNode | undefined): string {
  const own = (node["id"] as { name?: string } | null)?.name;
  const key = (parent?.["key"] ?? parent?.["id"]) as { name?: string } | null | undefined;
  return own ?? key?.name ?? "(anonymous)";
}

function isDeclaration(parent: AnyNode | undefined, key: string): boolean {
  if (!parent) return false;
  if (key === "params" || key === "local" || key === "id" || key === "param") return true;
  if (parent.type === "AssignmentPattern") return key === "left";
  if (parent.type === "RestElement" || parent.type === "ArrayPattern") return true;
  return parent.type === "Property" && key === "value";
}

function isPropertyName(parent: AnyNode | undefined, key: string): boolean {
  if (!parent || parent["computed"] === true) return false;
  return key === "property" || key === "key" || key === "imported" || key === "exported";
}

function isInType(parent: AnyNode | undefined): boolean {
  return parent?.type.startsWith("TS") === true && parent.type !== "TSAsExpression";
}

function lineCounter(text: string): (at: number) => number {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (at) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
}
