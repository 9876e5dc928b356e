// The loop: a request, a streamed message, a batch of calls, their results, and again, until the model asks for nothing
// more. Two nested questions decide each step: does the model wait for results, and does a queue hold a message?
import { abortError } from "../lib/async/stopper.ts";
import { describeError } from "../lib/text/describe-error.ts";
import type { AgentContext, AgentLoopConfig } from "./config.ts";
import type { AgentEvent, AgentEventStream, StreamFn } from "./events.ts";
import type { AgentMessage } from "./messages.ts";
import { findOpenTail, type OpenTail, settleOpenTail } from "./open-calls.ts";
import { failureText } from "./retry.ts";
import { type End, EndOfRun, type Ports, requireList, Run } from "./run.ts";
import { runTurn, type Turn } from "./turn.ts";

/** This many cut messages in a row end the run. */
const MAX_CUT_IN_A_ROW = 3;

/**
 * Runs the agent on new prompts. The context is not mutated; the stream's result are the new messages.
 * Needs `config.clock`, `config.ids`, `config.timers` and `streamFn` (the package's root binds them).
 */
export function agentLoop(
  prompts: AgentMessage[],
  context: AgentContext,
  config: AgentLoopConfig,
  signal?: AbortSignal,
  streamFn?: StreamFn,
): AgentEventStream {
  return start({ prompts, context, config, ports: bind(config, streamFn) }, signal);
}

/**
 * Goes on with a history that ends with a user message, a tool result, or calls without results: those are settled first.
 * Throws on a history from which no request can follow.
 */
export function agentLoopContinue(
  context: AgentContext,
  config: AgentLoopConfig,
  signal?: AbortSignal,
  streamFn?: StreamFn,
): AgentEventStream {
  const ports = bind(config, streamFn);
  const last = context.messages.at(-1);
  if (!last) throw new Error("Cannot continue: the history is empty. Send a prompt instead.");
  const tail = findOpenTail(context.messages);
  if (!tail && last.role === "assistant") {
    throw new Error(
      "Cannot continue from an assistant message without open calls. Send a prompt instead.",
    );
  }
  return start({ prompts: [], context, config, ports, ...(tail ? { tail } : {}) }, signal);
}

interface Beginning {
  prompts: AgentMessage[];
  context: AgentContext;
  config: AgentLoopConfig;
  ports: Ports;
  tail?: OpenTail;
}

function bind(config: AgentLoopConfig, streamFn: StreamFn | undefined): Ports {
  const { clock, ids, timers } = config;
  if (!clock || !ids || !timers || !streamFn) {
    throw new Error(
      "The bare loop needs config.clock, config.ids, config.timers and a stream function; the package's root export binds them.",
    );
  }
  return { clock, ids, timers, streamFn };
}

function start(beginning: Beginning, signal: AbortSignal | undefined): AgentEventStream {
  const { context, config, ports, prompts, tail } = beginning;
  const run = new Run(context, config, ports);
  void runToEnd(run, signal, () => drive(run, prompts, tail));
  const { events } = run;
  return {
    [Symbol.asyncIterator]: (): AsyncIterator<AgentEvent> => events[Symbol.asyncIterator](),
    result: () => events.result(),
    abortCall: (toolCallId, reason) => run.abortCall(toolCallId, reason),
  };
}

/** Whatever happens inside, the run ends with one recorded end and one `agent_end`. */
async function runToEnd(
  run: Run,
  signal: AbortSignal | undefined,
  work: () => Promise<End>,
): Promise<void> {
  const onAbort = (): void => run.stop.stop(abortError(abortWords(signal)));
  if (signal?.aborted) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
  const timeLeftMs = run.limits.timeLeftMs();
  const cancelTimer =
    timeLeftMs === undefined
      ? undefined
      : run.ports.timers.set(timeLeftMs, () => {
          const { reason, message } = run.limits.timeReached();
          run.fail({ reason, cause: { message } });
        });
  try {
    let end: End;
    try {
      end = await work();
    } catch (error) {
      if (!(error instanceof EndOfRun)) throw error;
      end = error.end;
    }
    const { reason, cause } = end;
    const used = run.limits.used();
    const entry = { type: "end" as const, reason, ...(cause ? { cause } : {}), used };
    const recorded = reason === "journal_failed" || (await run.record([entry]));
    run.finish(recorded ? end : (run.fatal ?? end));
  } catch (bug) {
    run.events.fail(bug);
  } finally {
    cancelTimer?.();
    signal?.removeEventListener("abort", onAbort);
  }
}

/** The reason that the caller gave, if it says more than the platform's default. */
function abortWords(signal: AbortSignal | undefined): string {
  const reason: unknown = signal?.reason;
  if (reason === undefined || reason instanceof DOMException) return "interrupted by the user";
  return describeError(reason);
}

async function drive(run: Run, prompts: AgentMessage[], tail: OpenTail | undefined): Promise<End> {
  run.emit({ type: "agent_start" });
  const reached = run.limits.reached();
  if (reached) return { reason: reached.reason, cause: { message: reached.message } };
  let pending: AgentMessage[];
  let cutInARow = 0;
  if (tail) {
    run.emit({ type: "turn_start" });
    const next = await betweenTurns(run, await settleOpenTail(run, tail), cutInARow);
    if (!Array.isArray(next)) return next;
    pending = next;
  } else {
    pending = [...prompts, ...(await poll(run, "getSteeringMessages"))];
  }
  for (;;) {
    run.emit({ type: "turn_start" });
    await deliver(run, pending);
    run.throwIfStopped();
    const steer = async (): Promise<AgentMessage[]> => {
      const messages = await poll(run, "getSteeringMessages");
      await deliver(run, messages);
      return messages;
    };
    const turn = await runTurn(run, steer, cutInARow);
    cutInARow = turn.cut ? cutInARow + 1 : 0;
    const next = await betweenTurns(run, turn, cutInARow);
    if (!Array.isArray(next)) return next;
    pending = next;
  }
}

/** New messages join the history, are told, and are recorded before anything is sent. */
async function deliver(run: Run, messages: readonly AgentMessage[]): Promise<void> {
  for (const message of messages) run.addMessage(message);
  const { turn } = run;
  await run.mustRecord(messages.map((message) => ({ type: "message", message, turn })));
}

async function poll(
  run: Run,
  queue: "getSteeringMessages" | "getFollowUpMessages",
): Promise<AgentMessage[]> {
  const { config } = run;
  if (!config[queue]) return [];
  const messages = (await run.hook(queue, () => config[queue]?.() ?? [])) ?? [];
  return requireList(queue, messages);
}

/** The messages that start the next turn, or why the run ends. */
async function betweenTurns(
  run: Run,
  turn: Turn,
  cutInARow: number,
): Promise<AgentMessage[] | End> {
  if (run.stop.stopped) return run.endOfStop();
  const failed = endOfFailure(turn);
  if (failed) return failed;
  if (await askHooks(run, turn)) return { reason: "hook_stop" };
  const limit = limitReached(run, cutInARow);
  if (limit) return turn.goesOn ? limit : naturalEnd(turn);
  const steering = await poll(run, "getSteeringMessages");
  if (steering.length > 0 || turn.goesOn) return steering;
  const followUps = await poll(run, "getFollowUpMessages");
  return followUps.length > 0 ? followUps : naturalEnd(turn);
}

function endOfFailure({ message }: Turn): End | undefined {
  if (message.stopReason === "aborted") {
    return { reason: "aborted", cause: { message: message.errorMessage ?? "aborted" } };
  }
  if (message.stopReason !== "error") return undefined;
  const { errorKind } = message;
  const cause = { message: failureText(message), ...(errorKind ? { errorKind } : {}) };
  return { reason: errorKind === "refused" ? "refused" : "error", cause };
}

/** Lets the caller's hooks replace what the next request is made of; true if they stop the run. */
async function askHooks(run: Run, turn: Turn): Promise<boolean> {
  const { config, newMessages } = run;
  const { message, toolResults } = turn;
  const view = () => ({ message, toolResults, context: run.context, newMessages });
  if (config.prepareNextTurn) {
    const update = await run.hook("prepareNextTurn", () => config.prepareNextTurn?.(view()));
    if (update) run.replace(update);
    if (update?.context) {
      run.repeats.clear();
      await run.mustRecord([{ type: "context_replaced", by: "hook" }]);
    }
  }
  if (!config.shouldStopAfterTurn) return false;
  return (
    (await run.hook("shouldStopAfterTurn", () => config.shouldStopAfterTurn?.(view()))) === true
  );
}

function limitReached(run: Run, cutInARow: number): End | undefined {
  if (cutInARow >= MAX_CUT_IN_A_ROW) {
    const message = `The model's message was cut at its output limit ${cutInARow} times in a row.`;
    return { reason: "truncated_repeatedly", cause: { message } };
  }
  const { ended } = run.repeats;
  if (ended) return { reason: "repeated_calls", cause: { message: ended } };
  const reached = run.limits.reached();
  return reached && { reason: reached.reason, cause: { message: reached.message } };
}

/** How a run ends when the model asks for nothing more. */
function naturalEnd({ message, terminated }: Turn): End {
  if (terminated) return { reason: "terminated" };
  return { reason: message.stopReason === "length" ? "length" : "done" };
}
