// The house as a table: which room lies on which floor, who may import whom, and what the lower floors must not know.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
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

/** These rooms get time, chance and the outside handed in. */
const PURE_ROOMS = ["core", "lib"];
const OUTSIDE = [
  "process",
  "Buffer",
  "console",
  "fetch",
  "performance",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "clearTimeout",
  "queueMicrotask",
  "crypto",
  "require",
];

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
      ...outsideBreaches(path, own, sources.get(path) ?? ""),
    ]),
    ...cycles(facts),
  ];
}

function floorBreaches(path: string, { imports }: SourceFacts): string[] {
  const room = roomOf(path);
  const floor = FLOORS[room];
  if (floor === undefined) return [`${path}: the room ${room} is not in the table`];
  return imports.flatMap(({ from }) => {
    const target = resolveImport(path, from);
    if (!target?.startsWith("src/")) return [];
    const other = roomOf(target);
    const below = FLOORS[other];
    if (below === undefined) return [`${path}: imports the unknown room ${other}`];
    if (other === room || below < floor) return [];
    return [`${path} (floor ${floor}) imports ${target} (floor ${below})`];
  });
}

function outsideBreaches(path: string, facts: SourceFacts, text: string): string[] {
  if (!PURE_ROOMS.includes(roomOf(path))) return [];
  const names = OUTSIDE.filter((name) => facts.globals.has(name));
  const modules = facts.imports.filter(({ from }) => from.startsWith("node:"));
  const code = withoutComments(text);
  const time = ["Date.now", "new Date(", "Math.random"].filter((use) => code.includes(use));
  return [...names, ...modules.map(({ from }) => from), ...time].map(
    (what) => `${path}: uses ${what}, which has to be handed in`,
  );
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|\s)\/\/.*$/gm, "");
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
      const target = resolveImport(path, from);
      if (!typeOnly && target && facts.has(target)) visit(target, [...way, path]);
    }
    state.set(path, "done");
  };
  for (const path of facts.keys()) visit(path, []);
  return found;
}

test("imports go down only, no files load each other, and the lower floors know no outside", () => {
  const paths = globSync("src/**/*.ts").filter((path) => !path.endsWith(".test.ts"));
  assert.ok(paths.length > 50, "the sources are found");
  const sources = new Map(paths.map((path) => [path, readFileSync(path, "utf8")]));
  assert.deepEqual(breaches(sources), []);
});

describe("the check itself finds", () => {
  const cases: [string, Record<string, string>, RegExp | undefined][] = [
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
        "src/core/b.ts": 'import { type A } from "./a.ts";',
      },
      undefined,
    ],
    ["node in core", { "src/core/a.ts": 'import fs from "node:fs";' }, /node:fs/],
    ["a clock in core", { "src/core/a.ts": "export const x = Date.now();" }, /Date\.now/],
    ["chance in lib", { "src/lib/a.ts": "export const x = Math.random();" }, /Math\.random/],
    ["timers in lib", { "src/lib/a.ts": "setTimeout(() => {}, 1);" }, /setTimeout/],
    ["the process in core", { "src/core/a.ts": "export const x = process.env;" }, /process/],
    [
      "nothing in a name alone",
      { "src/core/a.ts": "export const x = { process: 1 }.process;" },
      undefined,
    ],
    ["nothing in a text", { "src/core/a.ts": 'export const x = "process Buffer";' }, undefined],
    [
      "nothing of that above",
      { "src/tools/a.ts": 'import fs from "node:fs"; Date.now();' },
      undefined,
    ],
  ];
  for (const [title, files, expected] of cases) {
    test(title, () => {
      const found = breaches(new Map(Object.entries(files)));
      if (expected) assert.match(found.join("\n"), expected);
      else assert.deepEqual(found, []);
    });
  }
});
