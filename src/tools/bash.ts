// The `bash` tool: one command line in the workspace's shell. The model sees the end of what it printed, how it ended,
// and where the rest is.
import { posix } from "node:path";
import { Type } from "typebox";
import type { TBoolean, TNumber, TObject, TOptional, TString } from "typebox";
import type { AgentTool, Claim, ToolDefinition, ToolResult } from "../core/tool.ts";
import { toAgentTool } from "../core/tool.ts";
import { meaningOfExitOne } from "../lib/shell/exit-meaning.ts";
import { isProvedReadOnly } from "../lib/shell/read-only.ts";
import type { Truncation } from "../lib/text/truncate.ts";
import { showPath } from "../workspace/show-path.ts";
import type { ProcessEnd, Workspace } from "../workspace/workspace.ts";
import { OutputTail, type ShownOutput } from "./output-tail.ts";

/** Seconds that a command may take if it names no deadline. */
export const DEFAULT_TIMEOUT_S = 120;
/** The longest deadline that a command may name. */
export const MAX_TIMEOUT_S = 3600;
/** A live view is told at most this often. */
const UPDATE_MS = 100;
/** The loop's own deadline lies behind the command's, so that the command's rules. */
const SLACK_MS = 60_000;

export type BashParameters = TObject<{
  command: TString;
  timeout: TOptional<TNumber>;
  parallel: TOptional<TBoolean>;
}>;

export interface BashDetails {
  exitCode: number | null;
  signal: string | null;
  endedBy: ProcessEnd["endedBy"];
  truncation?: Truncation;
  /** The spill file. */
  fullOutputPath?: string;
}

interface BashArgs {
  command: string;
  timeout?: number;
  parallel?: boolean;
}

/** The tool as the loop runs it, in the shell of `workspace`. */
export function createBashTool(workspace: Workspace): AgentTool<BashParameters, BashDetails> {
  return toAgentTool(bashDefinition(workspace), () => ({ cwd: workspace.cwd }));
}

/** The tool with what front ends and the system prompt want of it. */
export function bashDefinition(workspace: Workspace): ToolDefinition<BashParameters, BashDetails> {
  const isReadOnly = (args: BashArgs): Promise<boolean> =>
    isProvedReadOnly(args.command, {
      findProgram: (name) => workspace.findProgram(name),
      isInside: (path) => isInside(path, workspace.cwd),
    });
  return {
    name: "bash",
    label: "Shell",
    description: `Run a command line with bash in the working folder and get its output (stdout and stderr together; the last 2,000 lines or 50 KB, the whole in a file that is named). Each call starts in the working folder: cd does not carry over to the next call. No stdin and no terminal. Ends after ${DEFAULT_TIMEOUT_S} s unless timeout says otherwise.`,
    parameters: Type.Object({
      command: Type.String({ description: "The command line" }),
      timeout: Type.Optional(
        Type.Number({
          exclusiveMinimum: 0,
          maximum: MAX_TIMEOUT_S,
          description: `Seconds until it is ended (${DEFAULT_TIMEOUT_S}, at most ${MAX_TIMEOUT_S})`,
        }),
      ),
      parallel: Type.Optional(
        Type.Boolean({
          description: "It only reads: may run beside other calls of the same message",
        }),
      ),
    }),
    promptSnippet: "Run a command line",
    promptGuidelines: [
      "Commands of one message run one after the other; set parallel: true on those that only read.",
    ],
    defaultActive: true,
    timeoutMs: MAX_TIMEOUT_S * 1000 + SLACK_MS,
    pure: isReadOnly,
    claims: async (args): Promise<Claim[]> => {
      const reads = args.parallel === true || (await isReadOnly(args));
      return [{ on: "everything", access: reads ? "read" : "write" }];
    },
    execute: (_id, args, signal, onUpdate) => runCommand(workspace, args, { signal, onUpdate }),
    renderCall: (args) => ({ title: `$ ${showPath(args.command)}`, lines: [] }),
    renderResult: (result, args) => ({
      title: `$ ${showPath(args.command)}`,
      lines: result.content.flatMap((block) =>
        block.type === "text"
          ? block.text.split("\n").map((text) => ({ role: "text" as const, text }))
          : [],
      ),
    }),
  };
}

function isInside(path: string, folder: string): boolean {
  const relative = posix.relative(folder, path);
  return relative !== ".." && !relative.startsWith("../");
}

interface Listeners {
  signal: AbortSignal | undefined;
  onUpdate: ((partial: ToolResult<BashDetails>) => void) | undefined;
}

async function runCommand(
  workspace: Workspace,
  args: BashArgs,
  { signal, onUpdate }: Listeners,
): Promise<ToolResult<BashDetails>> {
  const output = new OutputTail();
  const timeoutS = args.timeout ?? DEFAULT_TIMEOUT_S;
  let nextUpdate: NodeJS.Timeout | undefined;
  const tell = (): void => {
    nextUpdate = undefined;
    onUpdate?.({ content: [{ type: "text", text: output.preview() }] });
  };
  const end = await workspace
    .run({
      command: args.command,
      timeoutMs: timeoutS * 1000,
      ...(signal ? { signal } : {}),
      onOutput: (chunk) => {
        output.push(chunk);
        if (onUpdate) nextUpdate ??= setTimeout(tell, UPDATE_MS);
      },
    })
    .finally(() => clearTimeout(nextUpdate));
  return describeEnd(args.command, end, { shown: output.finish(), timeoutS });
}

function describeEnd(
  command: string,
  end: ProcessEnd,
  { shown, timeoutS }: { shown: ShownOutput; timeoutS: number },
): ToolResult<BashDetails> {
  const { text, truncation, fullOutputPath } = shown;
  const { note, isError } = judge(command, end, timeoutS);
  const said = text.trimEnd() === "" ? (note === "" ? "(no output)" : "") : text.trimEnd();
  return {
    content: [{ type: "text", text: [said, note].filter((part) => part !== "").join("\n\n") }],
    details: {
      exitCode: end.code,
      signal: end.signal,
      endedBy: end.endedBy,
      ...(truncation ? { truncation } : {}),
      ...(fullOutputPath === undefined ? {} : { fullOutputPath }),
    },
    ...(isError ? { isError } : {}),
  };
}

function judge(
  command: string,
  { code, signal, endedBy }: ProcessEnd,
  timeoutS: number,
): { note: string; isError: boolean } {
  if (endedBy === "timeout") {
    const advice = "Give a longer timeout if it needs one.";
    return {
      note: `Command timed out after ${timeoutS} s and was ended. ${advice}`,
      isError: true,
    };
  }
  if (endedBy === "abort") return { note: "Command aborted", isError: true };
  if (signal !== null) return { note: killedBy(signal), isError: true };
  if (code === 0) return { note: "", isError: false };
  const meaning = code === 1 ? meaningOfExitOne(command) : undefined;
  if (meaning !== undefined) return { note: `Exit code 1: ${meaning}`, isError: false };
  return { note: `Command exited with code ${code ?? "unknown"}`, isError: true };
}

const SIGNAL_NUMBERS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
};

function killedBy(signal: string): string {
  const number = SIGNAL_NUMBERS[signal];
  const code = number === undefined ? "" : ` (exit code ${128 + number})`;
  return `Command was killed by ${signal}${code}`;
}
