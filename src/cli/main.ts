// From the command line to the end of the process: options, prompt, run, signals, exit code.
import { randomUUID } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { hasColours } from "./colours.ts";
import type { Agent, RunEnd } from "../agent/agent.ts";
import type { OutputPort } from "../modes/output.ts";
import { EXIT_BUG, EXIT_USAGE, exitCodeOf, type StopSignal } from "./exit-codes.ts";
import { type CliOptions, parseCommandLine, USAGE } from "./options.ts";
import { readPrompt } from "./prompt-input.ts";
import { UsageError } from "./usage-error.ts";
import { version } from "./version.ts";

/** Runs the command and ends the process. */
export async function main(args: readonly string[] = process.argv.slice(2)): Promise<void> {
  let code: number;
  try {
    code = await run(args);
  } catch (error) {
    code = tellFailure(error);
  }
  await flushed(process.stdout);
  // A tool that was left behind must not keep the process alive.
  process.exit(code);
}

function tellFailure(error: unknown): number {
  if (error instanceof UsageError) {
    process.stderr.write(`errand: ${error.message}\n`);
    return EXIT_USAGE;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(
    `errand: this is a bug in Errand, please report it with the lines below.\n${text}\n`,
  );
  return EXIT_BUG;
}

async function run(args: readonly string[]): Promise<number> {
  const parsed = parseCommandLine(args, version());
  if ("show" in parsed) {
    process.stdout.write(parsed.show);
    return 0;
  }
  const options = parsed.run;
  if (options.listModels) return listModels();
  const cwd = workingFolder(options.cwd);
  const nothingToDo = options.prompt === "" && options.files.length === 0 && process.stdin.isTTY;
  if (nothingToDo) throw new UsageError(`No prompt. Usage: ${USAGE}. See errand --help.`);
  const agent = await makeAgent(options, cwd);
  const onWait = (message: string): void => void process.stderr.write(`errand: ${message}\n`);
  const prompt = await readPrompt({ prompt: options.prompt, files: options.files, cwd, onWait });
  const stopped = listenForStops(agent);
  const end = await runMode(agent, prompt, { options, cwd });
  return exitCodeOf(end.reason, stopped.signal);
}

async function listModels(): Promise<number> {
  const { listModels: list } = await import("../models/catalog.ts");
  for (const { spec, name, hasKey } of list(process.env)) {
    process.stdout.write(`${spec.padEnd(32)} ${name}${hasKey ? "" : " (no key)"}\n`);
  }
  return 0;
}

function workingFolder(dir: string | undefined): string {
  const path = resolve(dir ?? ".");
  try {
    if (statSync(path).isDirectory()) return realpathSync(path);
  } catch {
    // Told below.
  }
  throw new UsageError(`--cd ${dir}: there is no such folder.`);
}

async function makeAgent(options: CliOptions, cwd: string): Promise<Agent> {
  const { createAgent } = await import("../agent/create-agent.ts");
  const { model, baseUrl, tools, excludeTools, readOnly, systemPrompt, appendSystemPrompt } =
    options;
  const { maxTurns, maxTimeMs, maxTokens, maxCostUsd } = options;
  try {
    return createAgent({
      cwd,
      readOnly,
      limits: {
        ...(maxTurns === undefined ? {} : { turns: maxTurns }),
        ...(maxTimeMs === undefined ? {} : { timeMs: maxTimeMs }),
        ...(maxTokens === undefined ? {} : { tokens: maxTokens }),
        ...(maxCostUsd === undefined ? {} : { costUsd: maxCostUsd }),
      },
      ...(model === undefined ? {} : { model }),
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(tools === undefined ? {} : { tools }),
      ...(excludeTools === undefined ? {} : { excludeTools }),
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      ...(appendSystemPrompt === undefined ? {} : { appendSystemPrompt }),
    });
  } catch (error) {
    // What createAgent refuses is what the command line asked for.
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

async function runMode(
  agent: Agent,
  prompt: Awaited<ReturnType<typeof readPrompt>>,
  { options, cwd }: { options: CliOptions; cwd: string },
): Promise<RunEnd> {
  const port = outputPort();
  if (options.mode === "json") {
    const { runJson } = await import("../modes/json.ts");
    const session = { sessionId: randomUUID(), cwd, timestamp: Date.now() };
    return runJson(agent, prompt, { port, session });
  }
  const { runPrint } = await import("../modes/print.ts");
  const { quiet } = options;
  const toTerminal = process.stdout.isTTY === true;
  return runPrint(agent, prompt, { port, options: { quiet, toTerminal } });
}

function outputPort(): OutputPort {
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    colours: hasColours(process.env, process.stderr.isTTY === true),
  };
}

/** The first signal aborts the run, a second of any kind leaves at once; a reader who went away aborts too. */
function listenForStops(agent: Agent): { signal?: StopSignal } {
  const stopped: { signal?: StopSignal } = {};
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (stopped.signal) process.exit(exitCodeOf("aborted", signal));
      stopped.signal = signal;
      agent.abort(signal === "SIGINT" ? undefined : `ended by ${signal}`);
    });
  }
  process.stdout.on("error", () => agent.abort("nobody reads the output any more"));
  process.stderr.on("error", () => {});
  return stopped;
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.destroyed || stream.writableLength === 0) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once("error", () => resolve());
    stream.write("", () => resolve());
  });
}
