// Runs the tests: all of them, or those named. What stands behind `--` goes on to node's own runner.
//   npm test
//   npm test -- src/core/agent-loop.test.ts
//   npm test -- --test-name-pattern tool
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(
    `The tests need Node.js 22.19 or newer, this is ${process.versions.node}. Run them with npm test after npm ci: the project brings its own.`,
  );
  process.exit(2);
}

const args = process.argv.slice(2);
const named = args.filter((arg) => arg.endsWith(".test.ts"));
for (const file of named) {
  if (existsSync(file)) continue;
  console.error(`There is no test file ${file}.`);
  process.exit(2);
}
const files =
  named.length > 0
    ? named
    : globSync(["src/**/*.test.ts", "test/**/*.test.ts", "examples/**/*.test.ts"]).toSorted();
const passedOn = args.filter((arg) => !named.includes(arg));

const folder = mkdtempSync(join(tmpdir(), "errand-test-"));
const log = join(folder, "tap");
const run = spawnSync(
  process.execPath,
  [
    "--test",
    "--test-reporter=tap",
    `--test-reporter-destination=${log}`,
    "--test-reporter=spec",
    "--test-reporter-destination=stdout",
    ...passedOn,
    ...files,
  ],
  { stdio: "inherit" },
);
// A test names the program that it lacks: `needs rg`. A newcomer may lack it, CI may not.
const lacking = existsSync(log)
  ? readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => /# SKIP needs /.test(line))
  : [];
rmSync(folder, { recursive: true });
if (process.env["CI"] && lacking.length > 0) {
  console.error(`Skipped for want of a program, which CI must have:\n${lacking.join("\n")}`);
  process.exit(1);
}
process.exit(run.status ?? 1);
