// What a tool is. A tool throws (or returns `isError`) to fail; it never decides about the run, except by `terminate`.
import type { ArgsOf, ParameterSchema } from "../lib/schema/parameter-schema.ts";
import type { ImageContent, JsonValue, Model, TextContent, Usage } from "./messages.ts";

export type { JsonSchema } from "../lib/schema/json-schema.ts";
export type { ArgsOf, ParameterSchema, StandardSchema } from "../lib/schema/parameter-schema.ts";

/**
 * What a call will read or write, said before it runs.
 * `path` is absolute with links resolved and covers what lies inside it; `process` is the session's background commands;
 * `everything`/write is a barrier.
 */
export type Claim =
  | { on: "path"; path: string; access: "read" | "write" }
  | { on: "process" | "everything"; access: "read" | "write" }
  | { on: "net"; host: string; access: "read" | "write" };

export interface ToolResult<D = unknown> {
  content: (TextContent | ImageContent)[];
  /** For people and programs, never sent to the model; plain data, at most 1 MB as JSON. */
  details?: D;
  isError?: boolean;
  /** "No more calls": the run ends if every result of the batch says so. */
  terminate?: boolean;
  usage?: Usage;
}

/** What the model is told of a tool. */
export interface Tool<P extends ParameterSchema = ParameterSchema> {
  name: string;
  description: string;
  parameters: P;
}

// A method, so that a tool of narrower arguments stays assignable to a list of tools.
interface PureCheck<A> {
  check(args: A): boolean | Promise<boolean>;
}

export interface AgentTool<
  P extends ParameterSchema = ParameterSchema,
  D = unknown,
> extends Tool<P> {
  label?: string;
  /** Runs the call. Throws to fail. `args` is a fresh clone of the validated arguments. */
  execute(
    toolCallId: string,
    args: ArgsOf<P>,
    signal?: AbortSignal,
    onUpdate?: (partial: ToolResult<D>) => void,
  ): Promise<ToolResult<D>>;
  /** A shim for old or sloppy argument shapes; gets a copy, returns what validation shall see. */
  prepareArguments?(raw: unknown): unknown;
  /** `sequential`: a batch that holds a call of this tool runs one by one. */
  executionMode?: "parallel" | "sequential";
  /** What a call will touch. Left out: nothing shared. Throwing counts as everything/write. */
  claims?(args: ArgsOf<P>): readonly Claim[] | Promise<readonly Claim[]>;
  /** Only reads, and has no effect outside: may start early, and may run again after a crash. */
  pure?: boolean | PureCheck<ArgsOf<P>>["check"];
  /** Deadline of `execute` in milliseconds; 0 for none; 600,000 if left out. */
  timeoutMs?: number;
  /** Stored in the intent (hashes before), for `probe`. */
  evidence?(args: ArgsOf<P>): Promise<JsonValue>;
  /** After a crash: did the call happen? */
  probe?(
    toolCallId: string,
    args: ArgsOf<P>,
    evidence: JsonValue | undefined,
    signal?: AbortSignal,
  ): Promise<ToolResult<D> | "not_done" | "unknown">;
}

/** Declares a tool with the argument type inferred from its schema. */
export function defineTool<P extends ParameterSchema, D>(tool: AgentTool<P, D>): AgentTool<P, D> {
  return tool;
}

/** What a definition may use of its surroundings. */
export interface ToolContext {
  cwd: string;
  sessionId?: string;
  model?: Model;
  /** Asks the user to choose; `undefined` when nobody answered. */
  ask?(
    question: { title: string; detail?: string; choices: readonly string[] },
    signal?: AbortSignal,
  ): Promise<string | undefined>;
}

/** A line of a rendered call: roles, no escape codes. */
export interface RenderedLine {
  role: "title" | "text" | "muted" | "added" | "removed" | "error" | "code";
  text: string;
}

/** How a call or its result is shown: plain data that any front end can draw. */
export interface Rendered {
  title: string;
  lines: readonly RenderedLine[];
}

/** A tool with what a front end and the system prompt want of it. */
export interface ToolDefinition<
  P extends ParameterSchema = ParameterSchema,
  D = unknown,
> extends Omit<AgentTool<P, D>, "execute"> {
  execute(
    toolCallId: string,
    args: ArgsOf<P>,
    signal: AbortSignal | undefined,
    onUpdate: ((partial: ToolResult<D>) => void) | undefined,
    ctx: ToolContext,
  ): Promise<ToolResult<D>>;
  /** One line for the system prompt's list of tools. */
  promptSnippet?: string;
  /** Sentences for the system prompt while the tool is active. */
  promptGuidelines?: readonly string[];
  /** Active without being asked for. */
  defaultActive?: boolean;
  renderCall?(args: ArgsOf<P>): Rendered;
  renderResult?(result: ToolResult<D>, args: ArgsOf<P>): Rendered;
}

/** Wraps a definition as the loop's tool; `makeContext` is called once per execution. */
export function toAgentTool<P extends ParameterSchema, D>(
  definition: ToolDefinition<P, D>,
  makeContext: () => ToolContext,
): AgentTool<P, D> {
  const {
    promptSnippet: _snippet,
    promptGuidelines: _guidelines,
    defaultActive: _active,
    renderCall: _renderCall,
    renderResult: _renderResult,
    execute,
    ...tool
  } = definition;
  return {
    ...tool,
    execute: (toolCallId, args, signal, onUpdate) =>
      execute.call(definition, toolCallId, args, signal, onUpdate, makeContext()),
  };
}
