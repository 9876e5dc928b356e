// Everything that can be said about the code without running it: format, lint, types, dead exports, a clean lock file.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

interface Step {
  name: string;
  command?: string[];
  run?: () => string;
}

const steps: Step[] = [
  { name: "format", command: ["oxfmt", "--check"] },
  { name: "lint", command: ["oxlint", "--type-aware", "--deny-warnings"] },
  { name: "types", command: ["tsc", "-p", "."] },
  { name: "dead exports", command: ["knip"] },
  { name: "lock file", run: checkLockFile },
];

interface Outcome {
  name: string;
  ok: boolean;
  ms: number;
  output: string;
}

const outcomes = await Promise.all(steps.map(runStep));
for (const { name, ok, ms, output } of outcomes) {
  console.log(`${ok ? "ok  " : "FAIL"} ${name} (${(ms / 1000).toFixed(1)} s)`);
  if (!ok) console.log(output);
}
process.exit(outcomes.every(({ ok }) => ok) ? 0 : 1);

async function runStep({ name, command, run }: Step): Promise<Outcome> {
  const startedAt = performance.now();
  const { ok, output } = command ? await runProgram(command) : checked(run?.() ?? "");
  return { name, ok, output, ms: performance.now() - startedAt };
}

function checked(problem: string): { ok: boolean; output: string } {
  return { ok: problem === "", output: problem };
}

function runProgram([program = "", ...args]: string[]): Promise<{ ok: boolean; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(`node_modules/.bin/${program}`, args, {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.once("error", (error) => resolve({ ok: false, output: error.message }));
    child.once("close", (code) => resolve({ ok: code === 0, output }));
  });
}

/** Where packages come from is the installing machine's business. */
function checkLockFile(): string {
  const lock = readFileSync("package-lock.json", "utf8");
  const settings = readFileSync(".npmrc", "utf8");
  if (/"resolved"\s*:/.test(lock))
    return "package-lock.json holds addresses: install with the project's .npmrc.";
  if (/registry\s*=|https?:/.test(settings)) return ".npmrc names a registry.";
  return "";
}
