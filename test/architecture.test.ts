// The house as a table: which room lies on which floor, who may import whom, and what the lower floors must not know.
import assert from "node:assert/strict";
import { globSync, readFileSync, readdirSync } from "node:fs";
import { posix } from "node:path";
import { describe, test } from "node:test";
import { readFacts, type SourceFacts } from "./kit/source-facts.ts";

/** Imports go down only; rooms of one floor do not see each other. */
const FLOORS: Readonly<Record<string, number>> = {
  cli: 5,
  "index.ts": 5,
  modes: 4,
  client: 4,
  testing: 4,
  durable: 4,
  agent: 3,
  models: 2,
  tools: 2,
  policy: 2,
  session: 2,
  context: 2,
  undo: 2,
  hooks: 2,
  config: 2,
  mcp: 2,
  trace: 2,
  core: 1,
  workspace: 1,
  tui: 1,
  lib: 0,
};

/** These rooms get time, chance and the outside handed in: they know the language, and the names below. */
const PURE_ROOMS = ["core", "lib"];
const LANGUAGE = new Set(
  `undefined NaN Infinity Object Array String Number Boolean Symbol BigInt Math JSON Reflect Proxy Promise
   Map Set WeakMap WeakSet WeakRef RegExp Iterator Intl Error TypeError RangeError SyntaxError AggregateError
   SuppressedError ArrayBuffer DataView Uint8Array Uint16Array Uint32Array Int32Array Float64Array
   parseInt parseFloat isNaN isFinite encodeURIComponent decodeURIComponent encodeURI decodeURI`.split(
    /\s+/,
  ),
);
const HARMLESS = new Set(
  `TextEncoder TextDecoder AbortSignal AbortController DOMException structuredClone URL URLSearchParams`.split(
    " ",
  ),
);
/** Packages that the pure rooms build on, none of which does anything by itself. */
const PURE_PACKAGES = ["typebox", "eventsource-parser", "@standard-schema/spec"];

type Sources = ReadonlyMap<string, string>;

function roomOf(path: string): string {
  const [, first = ""] = path.split("/");
  return first;
}

/** Every breach of the table, as a sentence. */
function breaches(sources: Sources): string[] {
  const facts = new Map([...sources].map(([path, text]) => [path, readFacts(path, text)]));
  return [
    ...[...facts].flatMap(([path, own]) => [
      ...floorBreaches(path, own),
      ...outsideBreaches(path, own),
    ]),
    ...cycles(facts),
  ];
}

function floorBreaches(path: string, { imports }: SourceFacts): string[] {
  const room = roomOf(path);
  const floor = FLOORS[room];
  if (floor === undefined) return [`${path}: the room ${room} is not in the table`];
  return imports.flatMap(({ from }) => {
    if (from === undefined) return [`${path}: imports what only the run can tell`];
    if (from === "errand" || from.startsWith("errand/"))
      return [`${path}: imports its own package`];
    const target = resolveImport(path, from);
    if (target === undefined || target === "package.json") return [];
    if (!target.startsWith("src/")) return [`${path}: imports ${target} from outside of src/`];
    const other = roomOf(target);
    const below = FLOORS[other];
    if (below === undefined) return [`${path}: imports the unknown room ${other}`];
    if (other === room || below < floor) return [];
    return [`${path} (floor ${floor}) imports ${target} (floor ${below})`];
  });
}

function outsideBreaches(path: string, { globals, imports }: SourceFacts): string[] {
  if (!PURE_ROOMS.includes(roomOf(path))) return [];
  const packages = imports.flatMap(({ from }) =>
    from === undefined || from.startsWith(".") || PURE_PACKAGES.includes(packageOf(from))
      ? []
      : [from],
  );
  return [...[...globals].filter((use) => !isPure(use)), ...packages].map(
    (what) => `${path}: uses ${what}, which has to be handed in`,
  );
}

function isPure(use: string): boolean {
  // A date is data when something is handed to it, and the clock when nothing is.
  if (/^(new Date\(…\)|Date\.(UTC|parse))$/.test(use)) return true;
  if (use === "Math" || use === "Math.random") return false;
  const name = use.replace(/^new /, "").split(/[.(]/, 1)[0] ?? "";
  return LANGUAGE.has(name) || HARMLESS.has(name);
}

function packageOf(from: string): string {
  return from.split("/", from.startsWith("@") ? 2 : 1).join("/");
}

function resolveImport(path: string, from: string): string | undefined {
  return from.startsWith(".") ? posix.join(posix.dirname(path), from) : undefined;
}

/** Circles of files that load each other; types alone load nothing. */
function cycles(facts: ReadonlyMap<string, SourceFacts>): string[] {
  const state = new Map<string, "open" | "done">();
  const found: string[] = [];
  const visit = (path: string, way: readonly string[]): void => {
    if (state.get(path) === "done") return;
    if (state.get(path) === "open") {
      found.push(`circle: ${[...way.slice(way.indexOf(path)), path].join(" -> ")}`);
      return;
    }
    state.set(path, "open");
    for (const { from, typeOnly } of facts.get(path)?.imports ?? []) {
      const target = from && resolveImport(path, from);
      if (!typeOnly && target && facts.has(target)) visit(target, [...way, path]);
    }
    state.set(path, "done");
  };
  for (const path of facts.keys()) visit(path, []);
  return found;
}

test("every room of src/ is in the table, and every source is TypeScript that the table is held over", () => {
  const rooms = readdirSync("src");
  assert.ok(rooms.length > 5, "the rooms are found");
  assert.deepEqual(
    rooms.filter((room) => !(room in FLOORS)),
    [],
  );
  const files = globSync("src/**/*", { withFileTypes: true }).filter((entry) => entry.isFile());
  assert.deepEqual(
    files.map(({ name }) => name).filter((name) => !name.endsWith(".ts")),
    [],
  );
});

test("imports go down only, no files load each other, and the lower floors know no outside", () => {
  const paths = globSync("src/**/*.ts").filter((path) => !path.endsWith(".test.ts"));
  assert.ok(paths.length > 50, "the sources are found");
  const sources = new Map(paths.map((path) => [path, readFileSync(path, "utf8")]));
  assert.deepEqual(breaches(sources), []);
});

describe("the check itself finds", () => {
  type Case = [title: string, files: Record<string, string>, expected: RegExp | string | undefined];
  const twoImports = { "src/lib/a.ts": 'import "../core/b.ts"; import "../agent/c.ts";' };
  const cases: Case[] = [
    [
      "an import upward",
      { "src/core/a.ts": 'import { x } from "../agent/b.ts";' },
      /floor 1.*floor 3/,
    ],
    [
      "an import of a type upward",
      { "src/lib/a.ts": 'import type { X } from "../core/b.ts";' },
      /floor 0/,
    ],
    [
      "an import sideways",
      { "src/tools/a.ts": 'export { x } from "../models/b.ts";' },
      /floor 2.*floor 2/,
    ],
    ["a lazy import upward", { "src/core/a.ts": 'await import("../cli/b.ts");' }, /floor 5/],
    [
      "nothing in an import downward",
      { "src/cli/a.ts": 'import { x } from "../core/b.ts";' },
      undefined,
    ],
    [
      "nothing in an import within a room",
      { "src/core/a.ts": 'import { x } from "./b.ts";' },
      undefined,
    ],
    ["a room that is not in the table", { "src/misc/a.ts": "" }, /misc is not in the table/],
    [
      "a circle",
      {
        "src/core/a.ts": 'import { b } from "./b.ts";',
        "src/core/b.ts": 'import { a } from "./a.ts";',
      },
      /^circle: src\/core\/a\.ts -> src\/core\/b\.ts -> src\/core\/a\.ts$/,
    ],
    [
      "no circle of types",
      {
        "src/core/a.ts": 'import type { B } from "./b.ts";',
        "src/core/b.ts": 'import { a } from "./a.ts";',
      },
      undefined,
    ],
    [
      "a circle that only looks like types: what is left of `import { type A }` loads the file",
      {
        "src/core/a.ts": 'import { b } from "./b.ts";',
        "src/core/b.ts": 'import { type A } from "./a.ts";',
      },
      /circle/,
    ],
    [
      "a circle through a lazy import",
      {
        "src/core/a.ts": 'export const f = () => import("./b.ts");',
        "src/core/b.ts": 'export * from "./a.ts";',
      },
      /circle/,
    ],
    [
      "a type written as an import",
      { "src/lib/a.ts": 'let x: import("../core/b.ts").X;' },
      /floor 0/,
    ],
    ["an import that is put together", { "src/cli/a.ts": "import(`./${x}.ts`);" }, /only the run/],
    [
      "nothing in a lazy import within a template",
      { "src/cli/a.ts": "import(`./b.ts`);" },
      undefined,
    ],
    [
      "an import of a test's kit",
      { "src/cli/a.ts": 'import "../../test/kit/x.ts";' },
      /outside of src/,
    ],
    [
      "an import of its own package",
      { "src/cli/a.ts": 'import "errand/testing";' },
      /its own package/,
    ],
    ["a breach on each of two imports", twoImports, /b\.ts[\s\S]*c\.ts/],
    ["node in core", { "src/core/a.ts": 'import fs from "node:fs";' }, /node:fs/],
    ["node without its prefix", { "src/core/a.ts": 'import fs from "fs";' }, /uses fs/],
    ["a package that acts", { "src/lib/a.ts": 'import x from "commander";' }, /uses commander/],
    ...[
      ["Date.now()", "Date.now"],
      ["new Date()", "new Date()"],
      ["Date()", "Date"],
      ["f(Date)", "Date"],
      ["Math.random()", "Math.random"],
      ["const { random } = Math", "Math"],
      ['Math["random"]()', "Math"],
      ["process.env", "process.env"],
      ["process!.env", "process"],
      ["(process as Outside).env", "process"],
      ["const o = { process }", "process"],
      ["const o = { clock: performance }", "performance"],
      ["setTimeout(() => {}, 1)", "setTimeout"],
      ["clearInterval(x)", "clearInterval"],
      ["globalThis.setTimeout(f, 1)", "globalThis.setTimeout"],
      ["fetch(url)", "fetch"],
      ["Buffer.from(x)", "Buffer.from"],
      ["console.log(x)", "console.log"],
      ["import.meta.url", "import.meta"],
      ["new Function(x)", "new Function(…)"],
      ["declare const process: Outside; process.exit()", "process.exit"],
      ["function f(process: Outside) {} process.exit()", "process.exit"],
      ["function f(at = Date.now()) {}", "Date.now"],
      ["class A { b = crypto.randomUUID() }", "crypto.randomUUID"],
    ].flatMap(([code = "", use = ""]) =>
      PURE_ROOMS.map((room): Case => [
        `\`${code}\` in ${room}`,
        { [`src/${room}/a.ts`]: `${code};` },
        `src/${room}/a.ts: uses ${use}, which has to be handed in`,
      ]),
    ),
    ...[
      "const o = { process: 1 }.process;",
      'const s = "process Buffer Date.now()"; // console, fetch',
      "/* setTimeout */ const r = /process/;",
      "function f(process: Process) { return process.id; }",
      "const f = ({ fetch, clock: { performance } }: Ports) => fetch(performance);",
      "class A { fetch() {} console = 1; #process = 2; }",
      "try { undefined; } catch (process) { throw process; }",
      "for (const process of list) f(process); function f(x: unknown) {} const list = [1];",
      "type T = typeof setTimeout; interface I { fetch: Buffer }",
      "const at = new Date(ms).toISOString(); const ms = Date.UTC(2020, 1);",
      "const t = new TextDecoder(); const s = AbortSignal.any([]); structuredClone(t);",
      "function* f() { yield arguments.length; }",
      "const f = function again(n: number): number { return again(n - 1); };",
      "export type { Buffer } from './b.ts'; import type { Server } from './c.ts'; let s: Server;",
      "process: for (;;) break process;",
    ].map((code): Case => [`nothing in \`${code}\``, { "src/core/a.ts": code }, undefined]),
    [
      "nothing of that above",
      { "src/tools/a.ts": 'import fs from "node:fs"; Date.now();' },
      undefined,
    ],
  ];
  for (const [title, files, expected] of cases) {
    test(title, () => {
      const found = breaches(new Map(Object.entries(files)));
      if (typeof expected === "string") assert.ok(found.includes(expected), found.join("\n"));
      else if (expected) assert.match(found.join("\n"), expected);
      else assert.deepEqual(found, []);
    });
  }
});
