// From the command line to the end of the process: options, prompt, run, exit code. What a run needs is loaded when it
// is needed, so that --help and mistakes answer at once.
import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { isatty } from "node:tty";
import type { Agent, RunEnd } from "../agent/agent.ts";
import type { UserMessage } from "../core/messages.ts";
import { EXIT_BUG, EXIT_OK, EXIT_USAGE, exitCodeOf } from "./exit-codes.ts";
import { bugReport, usageLine } from "./failure-lines.ts";
import { given } from "./given.ts";
import { type CliOptions, NO_PROMPT, parseCommandLine } from "./options.ts";
import { flushed, Stops } from "./stops.ts";
import { UsageError } from "./usage-error.ts";
import { version } from "./version.ts";

/** Runs the command and ends the process. */
export async function main(args: readonly string[] = process.argv.slice(2)): Promise<void> {
  const stops = new Stops();
  stops.listen();
  let code: number;
  try {
    code = await run(args, stops);
  } catch (error) {
    code = tellFailure(error);
  }
  await flushed(process.stdout);
  await flushed(process.stderr);
  // A tool that was left behind must not keep the process alive.
  process.exit(stops.codeOver(code));
}

function tellFailure(error: unknown): number {
  if (error instanceof UsageError) {
    process.stderr.write(usageLine(error.message));
    return EXIT_USAGE;
  }
  process.stderr.write(bugReport(error));
  return EXIT_BUG;
}

async function run(args: readonly string[], stops: Stops): Promise<number> {
  const parsed = parseCommandLine(args, version());
  if ("show" in parsed) {
    process.stdout.write(parsed.show);
    return EXIT_OK;
  }
  const options = parsed.run;
  if (options.listModels) return listModels();
  if (options.prompt.trim() === "" && options.files.length === 0 && isatty(0)) {
    throw new UsageError(NO_PROMPT);
  }
  const cwd = workingFolder(options.cwd);
  // A mistake in the options is told before anything is read from stdin.
  const { agent, facts } = await makeAgent(options, cwd);
  const { readPrompt } = await import("./prompt-input.ts");
  const onNote = (text: string): void => void process.stderr.write(usageLine(text));
  const { prompt, files } = options;
  const message = await readPrompt({ prompt, files, cwd, onNote });
  stops.aborts(agent);
  const end = await runMode(agent, message, { options, cwd });
  return exitCodeOf(end.reason, { denied: facts.denied, signal: stops.signal });
}

async function listModels(): Promise<number> {
  const { listModels: list } = await import("../models/catalog.ts");
  for (const { spec, name, hasKey } of list(process.env)) {
    process.stdout.write(`${spec.padEnd(32)} ${name}${hasKey ? "" : " (no key)"}\n`);
  }
  return EXIT_OK;
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

interface MadeAgent {
  agent: Agent;
  facts: { denied: boolean };
}

async function makeAgent(options: CliOptions, cwd: string): Promise<MadeAgent> {
  const [{ createAgent }, { BadOptionError }] = await Promise.all([
    import("../agent/create-agent.ts"),
    import("../agent/bad-option-error.ts"),
  ]);
  const facts = { denied: false };
  const { model, baseUrl, tools, excludeTools, readOnly, systemPrompt, appendSystemPrompt } =
    options;
  const { maxTurns: turns, maxTimeMs: timeMs, maxTokens: tokens, maxCostUsd: costUsd } = options;
  try {
    const agent = createAgent({
      ...given({ model, baseUrl, tools, excludeTools, systemPrompt, appendSystemPrompt }),
      cwd,
      readOnly,
      limits: given({ turns, timeMs, tokens, costUsd }),
      record: async (entries) => {
        facts.denied ||= entries.some(({ type }) => type === "denied");
      },
    });
    return { agent, facts };
  } catch (error) {
    if (error instanceof BadOptionError) throw new UsageError(error.message);
    throw error;
  }
}

async function runMode(
  agent: Agent,
  prompt: UserMessage,
  { options, cwd }: { options: CliOptions; cwd: string },
): Promise<RunEnd> {
  const { processOutput } = await import("./output-port.ts");
  const port = processOutput();
  if (options.mode === "json") {
    const { runJson } = await import("../modes/json.ts");
    const session = { sessionId: crypto.randomUUID(), cwd, timestamp: Date.now() };
    return runJson(agent, prompt, { port, session });
  }
  const { runPrint } = await import("../modes/print.ts");
  return runPrint(agent, prompt, { port, quiet: options.quiet });
}
