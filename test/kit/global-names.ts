// Which names a file takes from outside of itself: a walk over the syntax tree that keeps the scopes' declarations, so
// that a parameter called `process` is not taken for the process, and a global is found however it is wrapped.
// Deliberately left out: `var` is taken as block-scoped (the lint rules forbid it).
import { childrenOf, type SyntaxNode, type SyntaxPlace } from "./syntax-tree.ts";

type Names = ReadonlySet<string>;

const FUNCTIONS: Names = new Set([
  "FunctionDeclaration",
  "FunctionExpression",
  "ArrowFunctionExpression",
]);
const SCOPES: Names = new Set([
  ...FUNCTIONS,
  "Program",
  "BlockStatement",
  "ForStatement",
  "ForInStatement",
  "ForOfStatement",
  "SwitchStatement",
  "CatchClause",
  "StaticBlock",
  "ClassExpression",
]);
/** Wrappers that hold an expression; all else that TypeScript adds is about types and gone at run time. */
const TYPED_EXPRESSIONS: Names = new Set([
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSTypeAssertion",
  "TSInstantiationExpression",
]);

/**
 * Each use of a name that no scope of the file declares: `process`, `Date.now`, `new Date()` (without arguments),
 * `import.meta`. A member that is computed, and a name that is handed on whole, count as the bare name.
 */
export function globalUses(program: SyntaxNode): Set<string> {
  const uses = new Set<string>();
  visit({ node: program, parent: undefined, key: "" }, [], uses);
  return uses;
}

function visit(place: SyntaxPlace, outer: readonly Names[], uses: Set<string>): void {
  const { node } = place;
  if (node.type.startsWith("TS") && !TYPED_EXPRESSIONS.has(node.type)) return;
  if (isPassedOn(node)) return;
  if (node.type === "MetaProperty") {
    if (nameOf(node["meta"]) === "import") uses.add("import.meta");
    return;
  }
  if (node.type === "Identifier") {
    const name = nameOf(node);
    if (isReference(place) && !outer.some((names) => names.has(name))) uses.add(useOf(name, place));
    return;
  }
  const scopes = SCOPES.has(node.type) ? [...outer, declaredIn(node)] : outer;
  for (const child of childrenOf(node)) visit(child, scopes, uses);
}

/** `export { a } from "b"` and `export type { A }` use no name of this file. */
function isPassedOn(node: SyntaxNode): boolean {
  if (!node.type.startsWith("Export")) return false;
  return node["exportKind"] === "type" || Boolean(node["source"]);
}

function useOf(name: string, { node, parent, key }: SyntaxPlace): string {
  if (parent?.type === "MemberExpression" && key === "object" && parent["computed"] !== true) {
    return `${name}.${nameOf(parent["property"])}`;
  }
  if (parent?.type !== "NewExpression" || parent["callee"] !== node) return name;
  return (parent["arguments"] as unknown[]).length === 0 ? `new ${name}()` : `new ${name}(…)`;
}

function isReference({ node, parent, key }: SyntaxPlace): boolean {
  switch (parent?.type) {
    case "MemberExpression":
      return key === "object" || parent["computed"] === true;
    case "Property":
    case "MethodDefinition":
    case "PropertyDefinition":
    case "AccessorProperty":
      return key !== "key" || parent["computed"] === true;
    case "ImportSpecifier":
    case "ImportDefaultSpecifier":
    case "ImportNamespaceSpecifier":
    case "LabeledStatement":
    case "BreakStatement":
    case "ContinueStatement":
      return false;
    case "ExportSpecifier":
      return parent["local"] === node;
    default:
      return true;
  }
}

/** What a scope declares itself, its inner scopes left out. */
function declaredIn(scope: SyntaxNode): Names {
  const names = new Set<string>();
  if (FUNCTIONS.has(scope.type)) {
    for (const param of scope["params"] as SyntaxNode[]) addBound(param, names);
    if (scope.type === "FunctionExpression") addBound(scope["id"], names);
    if (scope.type !== "ArrowFunctionExpression") names.add("arguments");
  }
  if (scope.type === "CatchClause") addBound(scope["param"], names);
  if (scope.type === "ClassExpression") addBound(scope["id"], names);
  addDeclared(scope, names);
  return names;
}

function addDeclared(node: SyntaxNode, names: Set<string>): void {
  for (const { node: child } of childrenOf(node)) {
    // `declare const process` declares nothing that is there at run time.
    if (child["declare"] === true) continue;
    if (child.type === "VariableDeclarator") addBound(child["id"], names);
    if (child.type === "FunctionDeclaration" || child.type === "ClassDeclaration") {
      addBound(child["id"], names);
    }
    if (/^Import\w*Specifier$/.test(child.type)) addBound(child["local"], names);
    if (
      /^(VariableDeclaration|Export\w+Declaration|ImportDeclaration|SwitchCase)$/.test(child.type)
    )
      addDeclared(child, names);
  }
}

/** The names that a pattern binds: `a`, `{ a, b: [c] }`, `a = 1`, `...a`, `private a`. */
function addBound(pattern: unknown, names: Set<string>): void {
  const node = pattern as SyntaxNode | null | undefined;
  switch (node?.type) {
    case "Identifier":
      names.add(nameOf(node));
      break;
    case "ObjectPattern":
      for (const property of node["properties"] as SyntaxNode[])
        addBound(property["value"] ?? property["argument"], names);
      break;
    case "ArrayPattern":
      for (const element of node["elements"] as unknown[]) addBound(element, names);
      break;
    case "AssignmentPattern":
      addBound(node["left"], names);
      break;
    case "RestElement":
      addBound(node["argument"], names);
      break;
    case "TSParameterProperty":
      addBound(node["parameter"], names);
      break;
    default:
  }
}

function nameOf(node: unknown): string {
  const { name } = (node ?? {}) as { name?: unknown };
  return typeof name === "string" ? name : "";
}
