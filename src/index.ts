// The package's root: the loop bound to this machine's clock, ids, timers and wires, and the parts to build with.
import { systemClock, systemIds, systemTimers } from "./agent/system-ports.ts";
import { agentLoop as bareLoop, agentLoopContinue as bareContinue } from "./core/agent-loop.ts";
import type { AgentContext, AgentLoopConfig } from "./core/config.ts";
import type { AgentEventStream, StreamFn } from "./core/events.ts";
import type { AgentMessage } from "./core/messages.ts";
import { streamByApi } from "./models/index.ts";

/**
 * Runs the agent on new prompts; the stream's result are the new messages. The context is not mutated. Without a stream
 * function, the model's `api` picks one.
 *
 * @example
 * const stream = agentLoop([{ role: "user", content: "hello", timestamp: Date.now() }], { messages: [] }, { model });
 * for await (const event of stream) console.log(event.type);
 */
export function agentLoop(
  prompts: AgentMessage[],
  context: AgentContext,
  config: AgentLoopConfig,
  signal?: AbortSignal,
  streamFn: StreamFn = streamByApi,
): AgentEventStream {
  return bareLoop(prompts, context, bound(config), signal, streamFn);
}

/**
 * Goes on with a history that ends with a user message, a tool result, or calls without results, which are settled
 * first. Throws on a history from which no request can follow.
 */
export function agentLoopContinue(
  context: AgentContext,
  config: AgentLoopConfig,
  signal?: AbortSignal,
  streamFn: StreamFn = streamByApi,
): AgentEventStream {
  return bareContinue(context, bound(config), signal, streamFn);
}

function bound(config: AgentLoopConfig): AgentLoopConfig {
  return { clock: systemClock, ids: systemIds, timers: systemTimers, ...config };
}

export { Agent } from "./agent/agent.ts";
export type { AgentListener, AgentOptions, RunEnd } from "./agent/agent.ts";
export type { AgentState, InitialState, ThinkingLevel } from "./agent/agent-state.ts";
export { BadOptionError } from "./agent/bad-option-error.ts";
export { createAgent } from "./agent/create-agent.ts";
export type { CreateAgentOptions } from "./agent/create-agent.ts";
export { buildSystemPrompt } from "./agent/system-prompt.ts";
export type { SystemPromptParts } from "./agent/system-prompt.ts";
export type {
  AgentContext,
  AgentLoopConfig,
  BeforeToolCallResult,
  CallRef,
  Clock,
  Decision,
  Failure,
  Ids,
  LimitsConfig,
  LimitsUsed,
  RecordEntry,
  RetryConfig,
  Timers,
  TurnUpdate,
  TurnView,
} from "./core/config.ts";
export type {
  AgentEvent,
  AgentEventStream,
  AssistantMessageEvent,
  AssistantMessageStream,
  EndCause,
  EndReason,
  StreamContext,
  StreamFn,
  StreamOptions,
} from "./core/events.ts";
export { MessageQueue } from "./core/message-queue.ts";
export type { QueuedMessage, QueueKind, QueueMode } from "./core/message-queue.ts";
export { emptyUsage, textOf } from "./core/messages.ts";
export type {
  AgentMessage,
  AssistantMessage,
  CustomAgentMessages,
  ErrorKind,
  ImageContent,
  JsonValue,
  Message,
  Model,
  StopReason,
  TextContent,
  ThinkingContent,
  ToolCall,
  ToolResultMessage,
  Usage,
  UserMessage,
} from "./core/messages.ts";
export { defineTool, toAgentTool } from "./core/tool.ts";
export type {
  AgentTool,
  ArgsOf,
  Claim,
  JsonSchema,
  ParameterSchema,
  Rendered,
  RenderedLine,
  StandardSchema,
  Tool,
  ToolContext,
  ToolDefinition,
  ToolResult,
} from "./core/tool.ts";
export { EventStream } from "./lib/async/event-stream.ts";
export { createPartialReader } from "./lib/json/partial-reader.ts";
export type { PartialReader } from "./lib/json/partial-reader.ts";
export { validateToolArguments, validateToolArgumentsAsync } from "./lib/schema/check-arguments.ts";
export {
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_LINES,
  truncateHead,
  truncateLine,
  truncateTail,
} from "./lib/text/truncate.ts";
export type { TruncateLimits, Truncation } from "./lib/text/truncate.ts";
export { defaultModel, findModel, listModels } from "./models/catalog.ts";
export type { FoundModel, ListedModel } from "./models/catalog.ts";
export { streamByApi } from "./models/index.ts";
export type { JsonLine, ResultLine, SessionLine } from "./modes/json-lines.ts";
export { jsonLinesSchema } from "./modes/json-lines-schema.ts";
export { createBashTool } from "./tools/bash.ts";
export { createEditTool } from "./tools/edit.ts";
export { createFindTool } from "./tools/find.ts";
export { createGrepTool } from "./tools/grep.ts";
export { createTools, toolDefinitions, toolTable } from "./tools/index.ts";
export type { ListedTool } from "./tools/index.ts";
export { createLsTool } from "./tools/ls.ts";
export { createReadTool } from "./tools/read.ts";
export { createWriteTool } from "./tools/write.ts";
export { createLocalWorkspace } from "./workspace/local.ts";
export type { LocalWorkspaceOptions } from "./workspace/local.ts";
export { createMemoryWorkspace } from "./workspace/memory.ts";
export type { MemoryWorkspaceOptions } from "./workspace/memory.ts";
export { WorkspaceError } from "./workspace/workspace.ts";
export type {
  FileKind,
  FileStat,
  FolderEntry,
  OpenFile,
  ProcessEnd,
  ProcessRequest,
  Workspace,
  WorkspaceErrorCode,
} from "./workspace/workspace.ts";
