// Everything that can be said about the code without running it: format, lint, types, dead exports, packages.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

interface Step {
  name: string;
  command?: string[];
  run?: () => string;
}

interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  allowScripts?: Record<string, boolean>;
}

interface LockedPackage {
  resolved?: string;
  hasInstallScript?: boolean;
}

const steps: Step[] = [
  { name: "format", command: ["oxfmt", "--check"] },
  { name: "lint", command: ["oxlint", "--type-aware", "--deny-warnings"] },
  { name: "types", command: ["tsc", "-p", "."] },
  { name: "dead exports", command: ["knip"] },
  { name: "packages", run: checkPackages },
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

/**
 * Where packages come from is the installing machine's business; which ones, is ours: exact versions, and none that runs a
 * script at installation but those that package.json allows by name.
 */
function checkPackages(): string {
  const manifest = readJson("package.json") as Manifest;
  const { packages } = readJson("package-lock.json") as {
    packages: Record<string, LockedPackage>;
  };
  const allowed = new Set(Object.keys(manifest.allowScripts ?? {}));
  const inexact = Object.entries({
    ...manifest.dependencies,
    ...manifest.devDependencies,
    ...manifest.optionalDependencies,
  }).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version));
  const locked = Object.entries(packages).map(([path, entry]) => ({
    name: path.replace(/^.*node_modules\//, ""),
    ...entry,
  }));
  return [
    ...inexact.map(([name, version]) => `package.json: ${name} "${version}" is no exact version.`),
    ...locked
      .filter(({ hasInstallScript, name }) => hasInstallScript && !allowed.has(name))
      .map(({ name }) => `package-lock.json: ${name} runs a script when it is installed.`),
    ...addressProblem(locked.filter(({ resolved }) => resolved !== undefined)),
    ...(/registry\s*=|https?:/.test(readFileSync(".npmrc", "utf8"))
      ? [".npmrc names a registry."]
      : []),
  ].join("\n");
}

/** One line for all: whoever has one address has most often all of them. */
function addressProblem(packages: readonly { name: string }[]): string[] {
  const [first] = packages;
  if (!first) return [];
  const others = packages.length > 1 ? ` and ${packages.length - 1} others` : "";
  return [
    `package-lock.json: addresses for ${first.name}${others}. With this folder's .npmrc, npm install leaves them out.`,
  ];
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}
