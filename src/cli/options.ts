// The command line: what can be said, and what is said when it makes no sense.
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { toolTable } from "../tools/index.ts";
import { given } from "./given.ts";
import { UsageError } from "./usage-error.ts";

/** A command line that makes sense. */
export interface CliOptions {
  print: boolean;
  mode: "text" | "json";
  model?: string;
  baseUrl?: string;
  tools?: string[];
  excludeTools?: string[];
  readOnly: boolean;
  maxTurns?: number;
  maxTimeMs?: number;
  maxTokens?: number;
  maxCostUsd?: number;
  systemPrompt?: string;
  appendSystemPrompt?: string;
  cwd?: string;
  quiet: boolean;
  listModels: boolean;
  /** Paths after `@`, in order. */
  files: string[];
  /** The words of the prompt. */
  prompt: string;
}

/** What a command line leads to. */
export type ParsedCommand = { run: CliOptions } | { show: string };

const USAGE = "[options] [@files…] [prompt]";

/** What is said where a prompt is missing. */
export const NO_PROMPT: string = `No prompt. Usage: errand ${USAGE}, for instance errand "explain this project". See errand --help.`;

/** Names of commands to come: as a lone word they are no prompt. */
const RESERVED = [
  "sessions",
  "config",
  "policy",
  "undo",
  "mcp",
  "acp",
  "doctor",
  "completion",
  "auth",
  "trace",
];

/** Reads the arguments (without node and script). Throws a UsageError with one line. */
export function parseCommandLine(args: readonly string[], version: string): ParsedCommand {
  let shown = "";
  const command = defineCommand(version)
    .exitOverride()
    .configureOutput({ writeOut: (text) => (shown += text), writeErr: () => {} });
  // What stands behind the mark is the prompt's, whatever it looks like.
  const mark = args.indexOf("--");
  const [before, behind] = mark < 0 ? [args, []] : [args.slice(0, mark), args.slice(mark + 1)];
  try {
    command.parse([...before], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { show: shown };
    throw new UsageError(adviceFor(error));
  }
  return { run: toOptions(command.opts<RawOptions>(), { words: command.args, behind }) };
}

interface RawOptions {
  print?: true;
  mode: "text" | "json";
  model?: string;
  baseUrl?: string;
  tools?: string[];
  excludeTools?: string[];
  readOnly?: true;
  permissionMode?: string;
  y?: true;
  maxTurns?: number;
  maxTime?: number;
  maxTokens?: number;
  maxCost?: number;
  systemPrompt?: string;
  appendSystemPrompt?: string;
  cd?: string;
  quiet?: true;
  listModels?: true;
}

function defineCommand(version: string): Command {
  return new Command("errand")
    .usage(USAGE)
    .description("Runs the errands a language model asks for, on your files.")
    .argument("[words...]", "@file attaches a file; the rest is the prompt, as is all behind --")
    .option("-p, --print", "answer and exit (taken when stdin or stdout is no terminal)")
    .addOption(
      new Option("--mode <mode>", "what stdout gets").choices(["text", "json"]).default("text"),
    )
    .option("--model <provider/id[:thinking]>", "the model, or offline")
    .option("--base-url <url>", "the provider's address, in place of its own", url)
    .option("--list-models", "list the known models and exit")
    .option("-t, --tools <names>", "the active tools, separated by commas", names)
    .option("--exclude-tools <names>", "tools that are not active", names)
    .option("--read-only", "only tools that read")
    .option("--permission-mode <mode>", "allow-all, the one mode for now: nothing asks")
    .option("-y", "the same as --permission-mode allow-all")
    .option("--max-turns <n>", "end after this many model messages", count)
    .option("--max-time <time>", "end after this long: 90s, 5m, 1h", duration)
    .option("--max-tokens <n>", "end after this many tokens in all", count)
    .option("--max-cost <usd>", "end after this much money", money)
    .option("--system-prompt <text>", "in place of Errand's guidance")
    .option("--append-system-prompt <text>", "added to the guidance")
    .option("-C, --cd <dir>", "the working folder")
    .option("-q, --quiet", "only the answer: no tool lines, no summary")
    .version(version, "--version", "print the version and exit")
    .helpOption("--help", "print this help and exit")
    .addHelpText("after", `\n${toolHelp()}\n\n${EXAMPLES}`)
    .showSuggestionAfterError();
}

const EXAMPLES = `Examples:
  errand "what does README.md say at the start?"
  errand @notes.md "sum this up"
  git diff | errand -p "review this"
  errand --mode json --max-turns 5 "fix the failing test"`;

/** The table of tools, those that are off by default marked. */
export function toolHelp(): string {
  const width = Math.max(...toolTable.map(({ name }) => name.length));
  const lines = toolTable.map(({ name, summary, defaultActive, readOnly }) => {
    const kinds = [
      ...(readOnly ? ["read-only"] : []),
      ...(defaultActive ? [] : ["off by default"]),
    ];
    const mark = defaultActive ? "" : ` (${kinds.join(", ")})`;
    return `  ${name.padEnd(width)}  ${summary}${mark}`;
  });
  return `Tools:\n${lines.join("\n")}`;
}

function toOptions(
  raw: RawOptions,
  { words, behind }: { words: readonly string[]; behind: readonly string[] },
): CliOptions {
  checkPermission(raw.permissionMode);
  const prompt = [...words.filter((word) => !isFileWord(word)), ...behind].join(" ");
  if (words.length === 1 && behind.length === 0 && RESERVED.includes(prompt)) {
    throw new UsageError(
      `errand ${prompt} is not there yet. If it is meant as a prompt, write errand -- ${prompt}.`,
    );
  }
  const { model, baseUrl, tools, excludeTools, maxTurns, maxTokens } = raw;
  const { systemPrompt, appendSystemPrompt } = raw;
  return {
    print: raw.print === true,
    mode: raw.mode,
    readOnly: raw.readOnly === true,
    quiet: raw.quiet === true,
    listModels: raw.listModels === true,
    files: words.filter(isFileWord).map((word) => word.slice(1)),
    prompt,
    ...given({ model, baseUrl, tools, excludeTools, maxTurns, maxTokens }),
    ...given({ systemPrompt, appendSystemPrompt }),
    ...given({ maxTimeMs: raw.maxTime, maxCostUsd: raw.maxCost, cwd: raw.cd }),
  };
}

function isFileWord(word: string): boolean {
  return word.startsWith("@") && word.length > 1;
}

function checkPermission(mode: string | undefined): void {
  if (mode === undefined || mode === "allow-all") return;
  throw new UsageError(
    `--permission-mode ${mode} is not there yet: allow-all is the one mode for now (every call runs without asking).`,
  );
}

function adviceFor({ code, message }: CommanderError): string {
  const text = message
    .replace(/^error: /, "")
    .replaceAll(/\s*\n\s*/g, " ")
    .trim();
  const whole = /[.)!?]$/.test(text) ? text : `${text}.`;
  const isUnknown = code === "commander.unknownOption" && !whole.endsWith(")");
  return `${whole}${isUnknown ? " A prompt that starts with a dash goes behind --." : ""} See errand --help.`;
}

/** Given more than once, the lists are joined. */
function names(text: string, before: string[] = []): string[] {
  const found = text.split(",").map((name) => name.trim());
  return [...before, ...found.filter((name) => name !== "")];
}

function count(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number) && number > 0) return number;
  throw new InvalidArgumentError("It must be a whole number above 0.");
}

function money(text: string): number {
  const number = Number(text);
  if (/^\d*\.?\d+$/.test(text) && number > 0 && Number.isFinite(number)) return number;
  throw new InvalidArgumentError("It must be an amount in USD above 0, for instance 0.50.");
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

function duration(text: string): number {
  const [, number = "", unit = "s"] = /^(\d*\.?\d+)([smh])?$/.exec(text) ?? [];
  const ms = Number(number) * (UNITS[unit] ?? 0);
  if (ms > 0 && Number.isFinite(ms)) return ms;
  throw new InvalidArgumentError("It must be a time, for instance 90s, 5m or 1h.");
}

function url(text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? "")) return text;
  throw new InvalidArgumentError("It must be an address that starts with http:// or https://.");
}
