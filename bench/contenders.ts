// Who is measured: ours as it is published, the bare loop, and peers that are installed outside the repository.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { BASE } from "./report.ts";

export interface Contender {
  name: string;
  /** The command that runs one prompt against the model server at `url`. */
  command(url: string, prompt: string): { args: string[]; env: Record<string, string> };
}

/** One run, as it was. */
export interface Ran {
  startedAt: number;
  /** Largest proportional set size that was seen, in MB; undefined where the system does not tell. */
  peakMb: number | undefined;
}

const node = process.execPath;

export const ours: Contender = {
  name: "errand",
  command: (url, prompt) => ({
    args: [resolve("dist/bin.js"), "-p", "-q", "--model", "anthropic/claude-sonnet-4-5", prompt],
    env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "bench" },
  }),
};

export const bare: Contender = {
  name: BASE,
  command: (url, prompt) => ({
    args: [resolve("bench/bare-loop.mjs"), prompt],
    env: { ANTHROPIC_BASE_URL: url },
  }),
};

/** Where the peers are installed: outside the repository. */
export const peersFolder: string = join(tmpdir(), "errand-bench-peers");

/** Installs the peers once, in a folder of the system's temporary ones. */
export function installPeers(): Contender[] {
  const folder = peersFolder;
  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(folder, "node_modules"))) {
    writeFileSync(join(folder, "package.json"), '{"private":true,"type":"module"}');
    const packages = [
      "@earendil-works/pi-coding-agent@1.6.0",
      "ai@7",
      "@ai-sdk/anthropic@4",
      "zod@4",
    ];
    console.log(`installing peers in ${folder} …`);
    execFileSync("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...packages], {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"],
    });
  }
  writeFileSync(join(folder, "ai-loop.mjs"), AI_LOOP);
  return [
    piAgent(folder),
    {
      name: "ai sdk loop",
      command: (url, prompt) => ({
        args: [join(folder, "ai-loop.mjs"), prompt],
        env: { ANTHROPIC_BASE_URL: url },
      }),
    },
  ];
}

function piAgent(folder: string): Contender {
  const home = mkdtempSync(join(tmpdir(), "errand-bench-pi-"));
  const main = join(folder, "node_modules/@earendil-works/pi-coding-agent");
  const { bin } = JSON.parse(readFileSync(join(main, "package.json"), "utf8")) as {
    bin: Record<string, string>;
  };
  return {
    name: "pi 1.6",
    command: (url, prompt) => {
      writeFileSync(
        join(home, "models.json"),
        JSON.stringify({ providers: { anthropic: { baseUrl: url } } }),
      );
      return {
        args: [
          join(main, Object.values(bin)[0] ?? ""),
          "-p",
          "--provider",
          "anthropic",
          "--model",
          "claude-sonnet-4-5",
          prompt,
        ],
        env: {
          PI_CODING_AGENT_DIR: home,
          PI_OFFLINE: "1",
          PI_TELEMETRY: "0",
          ANTHROPIC_API_KEY: "bench",
        },
      };
    },
  };
}

/** The peers' own way to write the same loop on the library. */
const AI_LOOP = `import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { createAnthropic } from "@ai-sdk/anthropic";
import { stepCountIs, streamText, tool } from "ai";
import { z } from "zod";
const anthropic = createAnthropic({ baseURL: process.env.ANTHROPIC_BASE_URL + "/v1", apiKey: "bench" });
const result = streamText({
  model: anthropic("claude-sonnet-4-5"),
  prompt: process.argv[2],
  system: "Be useful.",
  stopWhen: stepCountIs(100000),
  tools: {
    read: tool({ description: "read", inputSchema: z.object({ path: z.string() }), execute: ({ path }) => readFile(path, "utf8") }),
    write: tool({ description: "write", inputSchema: z.object({ path: z.string(), content: z.string() }), execute: async ({ path, content }) => { await writeFile(path, content); return "written"; } }),
    bash: tool({ description: "bash", inputSchema: z.object({ command: z.string() }), execute: ({ command }) => new Promise((resolve) => { const child = spawn("bash", ["-c", command]); let out = ""; child.stdout.on("data", (c) => (out += c)); child.on("close", () => resolve(out)); }) }),
  },
});
for await (const _ of result.fullStream);
`;

/** Runs one prompt to its end in a folder of its own. */
export async function runOnce(
  contender: Contender,
  { url, cwd }: { url: string; cwd: string },
): Promise<Ran> {
  const { args, env } = contender.command(url, "go");
  const startedAt = performance.now();
  const child = spawn(node, args, {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: cwd, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString().slice(0, 2000)));
  let peakMb: number | undefined;
  const sample = setInterval(() => {
    const now = pssOf(child.pid);
    if (now !== undefined) peakMb = Math.max(peakMb ?? 0, now);
  }, 100);
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  clearInterval(sample);
  if (code !== 0) throw new Error(`${contender.name} ended with ${code}: ${errors.slice(0, 500)}`);
  return { startedAt, peakMb };
}

function pssOf(pid: number | undefined): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1]) / 1024;
  } catch {
    return undefined;
  }
}
