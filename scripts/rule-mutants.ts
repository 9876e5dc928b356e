// Breaks each rule of the loop once, in a copy, and expects its tests to notice. The full mutation run says how many
// mutants are noticed; this says, in half a minute, that no rule is left without a test that can fail.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { MUTANTS, type Mutant } from "./broken-rules.ts";

const folder = mkdtempSync(join(tmpdir(), "errand-rules-"));
let survivors = 0;
try {
  for (const part of ["src", "test", "package.json"]) {
    cpSync(part, join(folder, part), { recursive: true });
  }
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  // A copy whose tests fail as it is would notice everything.
  for (const test of new Set(MUTANTS.map((mutant) => mutant.test))) {
    if (passes(test)) continue;
    console.log(`${test} fails without any mutant`);
    survivors++;
  }
  for (const mutant of MUTANTS) {
    const noticed = isNoticed(mutant);
    if (!noticed) survivors++;
    console.log(`${noticed ? "noticed " : "SURVIVED"} ${mutant.rule}`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
console.log(`${MUTANTS.length - survivors} passed, ${survivors} failed`);
process.exit(survivors === 0 ? 0 : 1);

function isNoticed({ file, from, to, test }: Mutant): boolean {
  const whole = readFileSync(file, "utf8");
  if (whole.split(from).length !== 2) {
    console.log(`${file} does not hold this once: ${from}`);
    return false;
  }
  const path = join(folder, file);
  writeFileSync(
    path,
    whole.replace(from, () => to),
  );
  const noticed = !passes(test);
  writeFileSync(path, whole);
  return noticed;
}

function passes(test: string): boolean {
  const { status } = spawnSync(process.execPath, ["--test", "--test-timeout=20000", test], {
    cwd: folder,
    stdio: "ignore",
    timeout: 60_000,
  });
  return status === 0;
}
