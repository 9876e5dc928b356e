import { parseSync } from "oxc-parser";

/** A node of the syntax tree, as ESTree and its TypeScript extension name it. */
export interface SyntaxNode {
  readonly type: string;
  /** Offsets in the text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** A node, and where it hangs: in the field `key` of `parent`. */
export interface SyntaxPlace {
  readonly node: SyntaxNode;
  readonly parent: SyntaxNode | undefined;
  readonly key: string;
}

/** Reads a TypeScript text. Throws for one that is none. */
export function parseSource(path: string, text: string): SyntaxNode {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  return program as unknown as SyntaxNode;
}

/** The nodes right below a node, in the order of its fields. */
export function childrenOf(node: SyntaxNode): SyntaxPlace[] {
  return Object.entries(node).flatMap(([key, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter(isNode)
      .map((child) => ({ node: child, parent: node, key })),
  );
}

/** Every node of the tree, a parent before what is below it. */
export function* allPlaces(program: SyntaxNode): Generator<SyntaxPlace> {
  const open: SyntaxPlace[] = [{ node: program, parent: undefined, key: "" }];
  for (let place = open.pop(); place; place = open.pop()) {
    yield place;
    open.push(...childrenOf(place.node).toReversed());
  }
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
