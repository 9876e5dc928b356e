// Sizes that keep a file readable at one sitting and a function at one glance.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { readFacts, type SourceFacts } from "./kit/source-facts.ts";

const MAX_FILE_LINES = 400;
const MAX_FUNCTION_LINES = 80;
const MAX_PARAMETERS = 3;

/** Files with a bound of their own, and why. */
const FILE_LINES: Readonly<Record<string, { lines: number; because: string }>> = {
  "src/core/agent-loop.ts": { lines: 250, because: "the loop can be read aloud" },
  "src/agent/agent.ts": { lines: 250, because: "a class that every front door enters grows" },
  "src/tools/grep.test.ts": { lines: 450, because: "one table that both ways of searching run" },
  "test/contracts/stream-function.ts": { lines: 450, because: "one suite that every wire runs" },
  "src/core/agent-loop.test.ts": { lines: 600, because: "the loop's rules, read as one list" },
};

/** Functions that keep the field's own signature. */
const MORE_PARAMETERS: Readonly<Record<string, string>> = {
  agentLoop: "the field's own signature",
  agentLoopContinue: "the field's own signature",
  execute: "a tool's signature",
  probe: "a tool's signature",
};

function tooLarge(path: string, facts: SourceFacts): string[] {
  const most = FILE_LINES[path]?.lines ?? MAX_FILE_LINES;
  // A function of a test may be a list of cases, which is not read as one thought.
  const isTest = path.startsWith("test/") || path.endsWith(".test.ts");
  const functions = isTest ? [] : facts.functions;
  return [
    ...(facts.lines > most ? [`${path} has ${facts.lines} lines, at most ${most}`] : []),
    ...functions
      .filter(({ lines }) => lines > MAX_FUNCTION_LINES)
      .map(
        ({ name, line, lines }) =>
          `${path}:${line} ${name} has ${lines} lines, at most ${MAX_FUNCTION_LINES}`,
      ),
    ...functions
      .filter(({ name, parameters }) => parameters > MAX_PARAMETERS && !(name in MORE_PARAMETERS))
      .map(
        ({ name, line, parameters }) =>
          `${path}:${line} ${name} takes ${parameters} parameters, at most ${MAX_PARAMETERS}`,
      ),
    ...facts.anyLines.map((line) => `${path}:${line} says any`),
  ];
}

test("files, functions and parameter lists stay within their sizes, and nothing is any", () => {
  const paths = globSync([
    "src/**/*.ts",
    "test/**/*.ts",
    "bench/**/*.ts",
    "scripts/**/*.ts",
    "examples/**/*.ts",
  ]);
  assert.ok(paths.length > 50, "the sources are found");
  const problems = paths.flatMap((path) =>
    tooLarge(path, readFacts(path, readFileSync(path, "utf8"))),
  );
  assert.deepEqual(problems, []);
});

test("every file and function with a bound of its own is there", () => {
  const names = new Set(
    globSync(["src/**/*.ts", "test/**/*.ts"]).flatMap((path) => [
      path,
      ...readFacts(path, readFileSync(path, "utf8")).functions.map(({ name }) => name),
    ]),
  );
  for (const name of Object.keys({ ...FILE_LINES, ...MORE_PARAMETERS })) {
    assert.ok(names.has(name), `${name} is gone: take its exception away`);
  }
});

describe("the check itself finds", () => {
  const lines = (count: number): string => "\n".repeat(count);
  const cases: [string, string, string, RegExp | undefined][] = [
    ["a long file", "src/a.ts", lines(401), /401 lines/],
    ["a longer loop", "src/core/agent-loop.ts", lines(251), /251 lines, at most 250/],
    ["a long function", "src/a.ts", `function f() {${lines(80)}}`, /f has 81 lines/],
    ["a long method", "src/a.ts", `class A { m() {${lines(80)}} }`, /m has 81 lines/],
    ["a long arrow", "src/a.ts", `const g = () => {${lines(80)}};`, /g has 81 lines/],
    ["not a long list of tests", "src/a.test.ts", `describe(() => {${lines(80)}});`, undefined],
    ["a long file of tests", "test/a.ts", lines(401), /401 lines/],
    ["not a last line end as a line", "src/a.ts", lines(400), undefined],
    ["not a function of 80 lines", "src/a.ts", `function f() {${lines(79)}}`, undefined],
    ["any in a test", "src/a.test.ts", "const x = {} as any;", /says any/],
    ["four parameters", "src/a.ts", "function f(a, b, c, d) {}", /f takes 4/],
    ["not the named exceptions", "src/a.ts", "const t = { execute(a, b, c, d, e) {} };", undefined],
    ["any", "src/a.ts", "const x: any = 1;", /says any/],
    ["not a text that says any", "src/a.ts", 'const x = "any"; // any', undefined],
  ];
  for (const [title, path, text, expected] of cases) {
    test(title, () => {
      const found = tooLarge(path, readFacts(path, text));
      if (expected) assert.match(found.join("\n"), expected);
      else assert.deepEqual(found, []);
    });
  }
});
