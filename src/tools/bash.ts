// The `bash` tool: one command line in the workspace's shell. The model sees the end of what it printed, how it ended,
// and where the rest is.
import { constants } from "node:os";
import { posix } from "node:path";
import { Type } from "typebox";
import type { TBoolean, TNumber, TObject, TOptional, TString } from "typebox";
import type { AgentTool, Claim, ToolDefinition, ToolResult } from "../core/tool.ts";
import { toAgentTool } from "../core/tool.ts";
import { meaningOfExitOne } from "../lib/shell/exit-meaning.ts";
import { isProvedReadOnly } from "../lib/shell/read-only.ts";
import { formatBytes } from "../lib/text/truncate.ts";
import type { Truncation } from "../lib/text/truncate.ts";
import { signalName } from "../workspace/local-shell.ts";
import { showPath } from "../workspace/show-path.ts";
import type { ProcessEnd, ProcessRequest, Workspace } from "../workspace/workspace.ts";
import { OutputTail } from "./output-tail.ts";
import type { ShownOutput } from "./output-tail.ts";
import { createSpillStore } from "./spill-file.ts";
import type { ToolPlugs } from "./tool-plugs.ts";

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
  /** Processes that the command left running and that were ended with it. */
  endedProcesses?: number;
  truncation?: Truncation;
  /** The spill file. */
  fullOutputPath?: string;
  /** What the output was taken for, unless it is UTF-8 throughout: an encoding, or `binary`. */
  decodedAs?: string;
}

interface BashArgs {
  command: string;
  timeout?: number;
  parallel?: boolean;
}

/** The tool as the loop runs it, in the shell of `workspace`. */
export function createBashTool(
  workspace: Workspace,
  plugs: ToolPlugs = {},
): AgentTool<BashParameters, BashDetails> {
  return toAgentTool(bashDefinition(workspace, plugs), () => ({ cwd: workspace.cwd }));
}

/** The tool with what front ends and the system prompt want of it. */
export function bashDefinition(
  workspace: Workspace,
  plugs: ToolPlugs = {},
): ToolDefinition<BashParameters, BashDetails> {
  const store = createSpillStore("bash", plugs.spillFolder);
  const isReadOnly = (args: BashArgs): Promise<boolean> =>
    isProvedReadOnly(args.command, {
      findProgram: (name) => workspace.findProgram(name),
      isInside: async (path) =>
        isInside(path, workspace.cwd) || isInside(await workspace.realPath(path), workspace.cwd),
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
    execute: (_id, args, signal, onUpdate) =>
      runCommand(workspace, args, { output: new OutputTail(store, plugs), signal, onUpdate }),
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
  output: OutputTail;
  signal: AbortSignal | undefined;
  onUpdate: ((partial: ToolResult<BashDetails>) => void) | undefined;
}

async function runCommand(
  workspace: Workspace,
  args: BashArgs,
  { output, signal, onUpdate }: Listeners,
): Promise<ToolResult<BashDetails>> {
  const timeoutS = args.timeout ?? DEFAULT_TIMEOUT_S;
  let nextUpdate: NodeJS.Timeout | undefined;
  const tell = (): void => {
    nextUpdate = undefined;
    onUpdate?.({ content: [{ type: "text", text: output.preview() }] });
  };
  const request: ProcessRequest = {
    command: args.command,
    mergeStreams: true,
    timeoutMs: timeoutS * 1000,
    ...(signal ? { signal } : {}),
    onOutput: (chunk, stream) => {
      output.add(chunk, stream);
      if (onUpdate) nextUpdate ??= setTimeout(tell, UPDATE_MS);
    },
  };
  try {
    const end = await workspace.run(request);
    return resultOf(args.command, end, { shown: await output.finish(), timeoutS });
  } finally {
    clearTimeout(nextUpdate);
  }
}

function resultOf(
  command: string,
  end: ProcessEnd,
  { shown, timeoutS }: { shown: ShownOutput; timeoutS: number },
): ToolResult<BashDetails> {
  const { truncation, fullOutputPath, decodedAs, decodingNote = "" } = shown;
  const { code, signal, endedBy, endedProcesses } = end;
  const { note, isError } = judge(command, end, timeoutS);
  const parts = [saidBy(shown, note !== ""), decodingNote, leftBehind(end), note];
  return {
    content: [{ type: "text", text: parts.filter((part) => part !== "").join("\n\n") }],
    details: {
      exitCode: code,
      signal,
      endedBy,
      ...(endedProcesses === undefined ? {} : { endedProcesses }),
      ...(truncation ? { truncation } : {}),
      ...(fullOutputPath === undefined ? {} : { fullOutputPath }),
      ...(decodedAs === undefined ? {} : { decodedAs }),
    },
    ...(isError ? { isError } : {}),
  };
}

function saidBy({ text, totalBytes }: ShownOutput, hasNote: boolean): string {
  const said = text.trimEnd();
  if (said !== "") return said;
  // Blank lines say nothing; bytes that are no text do.
  if (totalBytes > 0 && text === "") return `(${formatBytes(totalBytes)} of output without text)`;
  return hasNote ? "" : "(no output)";
}

function leftBehind({ endedBy, endedProcesses = 0 }: ProcessEnd): string {
  if (endedBy !== "itself" || endedProcesses === 0) return "";
  const what =
    endedProcesses === 1
      ? "1 process that it left running was"
      : `${endedProcesses} processes that it left running were`;
  return `[The command ended; ${what} ended with it.]`;
}

function judge(
  command: string,
  { code, signal, endedBy }: ProcessEnd,
  timeoutS: number,
): { note: string; isError: boolean } {
  if (endedBy === "timeout") return { note: timedOut(timeoutS), isError: true };
  if (endedBy === "abort") return { note: "Command was aborted", isError: true };
  if (signal !== null) return { note: killedBy(signal), isError: true };
  if (code === 0) return { note: "", isError: false };
  const answer = code === 1 ? meaningOfExitOne(command) : undefined;
  if (answer?.isCertain) return { note: `[exit code 1: ${answer.meaning}]`, isError: false };
  const hint = answer ? ` (of its last command: ${answer.meaning})` : signalHint(code);
  return { note: `Command exited with code ${code ?? "unknown"}${hint}`, isError: true };
}

function timedOut(timeoutS: number): string {
  const more =
    timeoutS < MAX_TIMEOUT_S
      ? ` If it only needs longer, set timeout (seconds, at most ${MAX_TIMEOUT_S}).`
      : "";
  return `Command timed out after ${timeoutS} s and was ended.${more}`;
}

function killedBy(signal: string): string {
  const number = constants.signals[signal as NodeJS.Signals] as number | undefined;
  const code = number === undefined ? "" : ` (exit code ${128 + number})`;
  return `Command was killed by ${signal}${code}`;
}

/** A shell gives 128 and the number for a command in it that was killed; some programs give such codes by themselves. */
function signalHint(code: number | null): string {
  const name = code === null || code <= 128 ? undefined : signalName(code - 128);
  return name === undefined ? "" : ` (128 + the number of ${name})`;
}
