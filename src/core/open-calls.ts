// Calls at the tail of a continued history that have no result: each is settled before the model is asked again.
import { Batch } from "./batch.ts";
import { boundResult } from "./bound-result.ts";
import type { Call, RequestedCall } from "./call.ts";
import type { AgentMessage, AssistantMessage, ToolCall, ToolResultMessage } from "./messages.ts";
import { checkCall, isPure } from "./prepare-call.ts";
import type { Run } from "./run.ts";
import { callRefusal, type Turn, wholeMessageRefusal } from "./turn.ts";

/** The last assistant message, where it stands, and which of its calls have no result. */
export interface OpenTail {
  message: AssistantMessage;
  position: number;
  /** One for each call of the message; those that have a result hold it. */
  calls: { toolCall: ToolCall; result?: ToolResultMessage }[];
}

/** The open calls of a history, if its last assistant message has any. */
export function findOpenTail(messages: readonly AgentMessage[]): OpenTail | undefined {
  const position = messages.findLastIndex((message) => message.role === "assistant");
  const message = messages[position];
  if (message?.role !== "assistant") return undefined;
  const behind = messages.slice(position + 1).filter((later) => later.role === "toolResult");
  const unclaimed = new Set(behind);
  const calls = message.content
    .filter((block) => block.type === "toolCall")
    .map((toolCall) => {
      const result = [...unclaimed].find((candidate) => candidate.toolCallId === toolCall.id);
      if (result) unclaimed.delete(result);
      return { toolCall, ...(result ? { result } : {}) };
    });
  return calls.some((call) => !call.result) ? { message, position, calls } : undefined;
}

/** Settles the open calls; the results go right behind their message, in the model's order. */
export async function settleOpenTail(run: Run, tail: OpenTail): Promise<Turn> {
  const { message, position } = tail;
  run.turn = countAssistants(run.context.messages.slice(0, position));
  const batch = new Batch(run, run.turn);
  run.batch = batch;
  const requested: RequestedCall[] = [];
  for (const [index, call] of tail.calls.entries()) {
    const fate = call.result
      ? { settled: call.result }
      : await decideFate(run, message, { turn: run.turn, index, toolCall: call.toolCall });
    requested.push({ toolCall: call.toolCall, contentIndex: index, ...fate });
  }
  const settled = await batch.settle(message, requested);
  const toolResults = settled.map((call) => call.message);
  const old = new Set<AgentMessage>(toolResults.filter((_, at) => tail.calls[at]?.result));
  const { messages } = run.context;
  const rest = messages.slice(position + 1).filter((later) => !old.has(later));
  run.context.messages = [...messages.slice(0, position + 1), ...toolResults, ...rest];
  for (const result of toolResults) if (!old.has(result)) run.tellAdded(result);
  run.emit({ type: "turn_end", message, toolResults });
  run.turn = countAssistants(run.context.messages);
  const terminated = settled.every((call) => call.terminate);
  return { message, toolResults, goesOn: !terminated, terminated, cut: false };
}

type Fate = Pick<RequestedCall, "refusal" | "given">;

/** An empty fate means: through all gates, as if the message had just come. */
async function decideFate(
  run: Run,
  message: AssistantMessage,
  { turn, index, toolCall }: { turn: number; index: number; toolCall: ToolCall },
): Promise<Fate> {
  const refusal =
    wholeMessageRefusal(run, message, message.stopReason === "length" ? 1 : 0) ??
    callRefusal(toolCall.argumentsError, true);
  if (refusal !== undefined) return { refusal };
  const { openCalls } = run.config;
  const ref = { turn, index, toolCallId: toolCall.id };
  const known = openCalls
    ? await run.hook("openCalls", () => openCalls.call(run.config, ref))
    : "unknown";
  if (known === "not_started") return {};
  if (known !== "unknown") {
    return { given: await boundResult(known, () => Promise.resolve(undefined)) };
  }
  return askTool(run, { ref, toolCall, stop: run.stop }, openCalls !== undefined);
}

/** A pure call runs again; of any other, only its tool can tell whether it happened. */
async function askTool(run: Run, call: Call, mayProbe: boolean): Promise<Fate> {
  const checked = await checkCall(run, call);
  if (!checked.ok) return {};
  const { tool, args } = checked;
  if (await isPure(run, { ...call, tool, args })) return {};
  if (mayProbe && tool.probe) {
    // Evidence lies in the journal: who has it hands in a tool whose probe knows it.
    const waited = await run.wait(() =>
      tool.probe?.(call.toolCall.id, structuredClone(args), undefined, run.stop.signal),
    );
    if (waited.status === "done" && waited.value === "not_done") return {};
    if (waited.status === "done" && typeof waited.value === "object") {
      return { given: await boundResult(waited.value, () => Promise.resolve(undefined)) };
    }
  }
  return { refusal: UNKNOWN };
}

const UNKNOWN =
  "It is unknown whether this call happened: the work was interrupted after it was asked for and before a result was kept. Look at what it would have changed before you repeat it.";

function countAssistants(messages: readonly AgentMessage[]): number {
  return messages.filter((message) => message.role === "assistant").length;
}
