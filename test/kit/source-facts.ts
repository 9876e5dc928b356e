// What a source file imports, takes from outside and defines, read from its syntax tree.
import { globalUses } from "./global-names.ts";
import { allPlaces, parseSource, type SyntaxNode, type SyntaxPlace } from "./syntax-tree.ts";

export interface ImportFact {
  /** As written; `undefined` for one that is put together at run time. */
  from: string | undefined;
  /** Gone at run time. `import { type A }` is not: what is left of it still loads the file. */
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
  /** What is used and declared nowhere in the file, as `globalUses` writes it. */
  globals: Set<string>;
  functions: FunctionFact[];
  /** Lines on which the type `any` is written. */
  anyLines: number[];
  lines: number;
}

/** Reads one file. Throws for a text that is no TypeScript. */
export function readFacts(path: string, text: string): SourceFacts {
  const program = parseSource(path, text);
  const lineAt = lineCounter(text);
  const places = [...allPlaces(program)];
  return {
    imports: places.flatMap(({ node }) => importFact(node) ?? []),
    globals: globalUses(program),
    functions: places.flatMap((place) => functionFact(place, lineAt) ?? []),
    anyLines: places
      .filter(({ node }) => node.type === "TSAnyKeyword")
      .map(({ node }) => lineAt(node.start)),
    lines: text.split("\n").length - (text.endsWith("\n") ? 1 : 0),
  };
}

const IMPORTS = new Set([
  "ImportDeclaration",
  "ExportNamedDeclaration",
  "ExportAllDeclaration",
  "ImportExpression",
  "TSImportType",
]);

function importFact(node: SyntaxNode): ImportFact | undefined {
  if (!IMPORTS.has(node.type)) return undefined;
  const source = node["source"] as SyntaxNode | null;
  if (!source) return undefined;
  const typeOnly =
    node.type === "TSImportType" || node["importKind"] === "type" || node["exportKind"] === "type";
  return { from: textOf(source), typeOnly };
}

function textOf(source: SyntaxNode): string | undefined {
  if (typeof source["value"] === "string") return source["value"];
  const quasis = source["quasis"] as { value: { cooked: string } }[] | undefined;
  return quasis?.length === 1 ? quasis[0]?.value.cooked : undefined;
}

const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

function functionFact(
  { node, parent }: SyntaxPlace,
  lineAt: (at: number) => number,
): FunctionFact | undefined {
  if (!FUNCTIONS.has(node.type) || !node["body"]) return undefined;
  const params = node["params"] as { name?: string }[];
  return {
    name: nameOf(node, parent),
    lines: lineAt(node.end) - lineAt(node.start) + 1,
    parameters: params.filter(({ name }) => name !== "this").length,
    line: lineAt(node.start),
  };
}

function nameOf(node: SyntaxNode, parent: SyntaxNode | undefined): string {
  const named = node["id"] ?? parent?.["key"] ?? parent?.["id"];
  return (named as { name?: string } | undefined)?.name ?? "(anonymous)";
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
