// Runs the tests: all of them, or those named. What stands behind `--` goes on to node's own runner.
//   npm test
//   npm test -- src/core/agent-loop.test.ts
//   npm test -- --test-name-pattern tool
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { splitArguments } from "./test-arguments.ts";

const EVERY_TEST = ["src/**/*.test.ts", "test/**/*.test.ts", "examples/**/*.test.ts"];
/** What node's runner is told where the caller says nothing else. On two cores its own choice is one file at a time. */
const DEFAULTS: Readonly<Record<string, string>> = {
  "--test-concurrency": "2",
  "--test-reporter": "spec",
  "--test-reporter-destination": "stdout",
};

const { options, paths } = splitArguments(process.argv.slice(2));
const unknown = paths.filter((path) => !existsSync(path));
if (unknown.length > 0) fail(`There is no test file ${unknown.join(", ")}.`);
const files = paths.length > 0 ? paths.flatMap(testsIn) : globSync(EVERY_TEST).toSorted();
if (files.length === 0) fail(`There is no test in ${paths.join(", ")}.`);
process.exit(run(files));

/** A folder stands for the tests below it. */
function testsIn(path: string): string[] {
  return path.endsWith(".ts") ? [path] : globSync(`${path}/**/*.test.ts`).toSorted();
}

function run(tests: readonly string[]): number {
  const folder = mkdtempSync(join(tmpdir(), "errand-test-"));
  const lacking = join(folder, "lacking");
  const reporter = join(import.meta.dirname, "missing-programs.ts");
  const { status, error } = spawnSync(
    process.execPath,
    [
      "--test",
      `--test-reporter=${reporter}`,
      `--test-reporter-destination=${lacking}`,
      ...options,
      ...unsaidDefaults(),
      ...tests,
    ],
    { stdio: "inherit" },
  );
  const missing = existsSync(lacking) ? readFileSync(lacking, "utf8") : "";
  rmSync(folder, { recursive: true });
  if (error) fail(`The test runner did not start: ${error.message}`);
  // A newcomer may lack a program, CI may not.
  if (isSet(process.env["CI"]) && missing !== "") {
    fail(`Skipped for want of a program, which CI must have:\n${missing}`);
  }
  return status ?? 1;
}

function unsaidDefaults(): string[] {
  const said = new Set(options.map((option) => option.split("=", 1)[0]));
  return Object.entries(DEFAULTS).flatMap(([name, value]) =>
    said.has(name) ? [] : [`${name}=${value}`],
  );
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "" && value !== "false" && value !== "0";
}

function fail(sentence: string): never {
  console.error(sentence.trimEnd());
  process.exit(2);
}
