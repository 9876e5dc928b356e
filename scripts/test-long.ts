// What needs minutes: each rule of the loop broken once, the property tests with many more runs, then all of the loop's
// mutants, of which the tests have to notice most (the share is in stryker.config.json).
//   npm run test:long
//   npm run test:long -- src/core/scheduler.ts    only the mutants of these files
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { delimiter, dirname, resolve } from "node:path";
import { splitArguments } from "./test-arguments.ts";

/** How often a property test of `npm run test:long` tries, and one that a mutant has to face. */
const LONG_RUNS = "20000";
const MUTANT_RUNS = "100";
const REPORT = "reports/mutation.json";
/** Each mutant starts a node per file of tests; with what earlier ones compiled, such a start takes half the time. */
const COMPILED = "reports/compiled";

interface MutationReport {
  files: Record<string, { mutants: { status: string }[] }>;
}

const { paths, options } = splitArguments(process.argv.slice(2));
const absent = paths.filter((path) => !existsSync(path));
if (absent.length > 0) {
  console.error(`There is no file ${absent.join(", ")}.`);
  process.exit(2);
}
const first = paths.length > 0 ? 0 : runNode(["scripts/rule-mutants.ts"], {}) || runProperties();
const mutants = runMutants();
process.exit(first === 0 ? mutants : first);

function runProperties(): number {
  const tests = globSync(["src/**/*.test.ts", "test/**/*.test.ts"]).filter((path) =>
    readFileSync(path, "utf8").includes("ERRAND_FC_RUNS"),
  );
  return runNode(["scripts/test.ts", ...tests], { ERRAND_FC_RUNS: LONG_RUNS });
}

function runMutants(): number {
  rmSync(REPORT, { force: true });
  rmSync(COMPILED, { force: true, recursive: true });
  const startedAt = performance.now();
  const mutate = paths.length > 0 ? ["--mutate", paths.join(",")] : [];
  const status = runNode(
    ["node_modules/@stryker-mutator/core/bin/stryker.js", "run", ...mutate, ...options],
    { ERRAND_FC_RUNS: MUTANT_RUNS, NODE_COMPILE_CACHE: resolve(COMPILED) },
  );
  if (existsSync(REPORT)) console.log(summary((performance.now() - startedAt) / 1000));
  return status;
}

function summary(seconds: number): string {
  const { files } = JSON.parse(readFileSync(REPORT, "utf8")) as MutationReport;
  const count = Object.values(files).reduce((sum, { mutants: own }) => sum + own.length, 0);
  return `${count} mutants in ${Math.round(seconds)} s, ${(seconds / count).toFixed(1)} s each`;
}

function runNode(args: readonly string[], env: Readonly<Record<string, string>>): number {
  const { status } = spawnSync(process.execPath, args, {
    stdio: "inherit",
    // Stryker starts its tests with the first `node` of the path.
    env: {
      ...process.env,
      PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
      ...env,
    },
  });
  return status ?? 1;
}
