// What the parts of one run share: its context, its stop, its journal's door and its events.
import { abortError, Stopper } from "../lib/async/stopper.ts";
import { type Waited, waitFor } from "../lib/async/wait-for.ts";
import { describeError } from "../lib/text/describe-error.ts";
import type { AgentContext, AgentLoopConfig, Clock, Ids, RecordEntry, Timers } from "./config.ts";
import { AgentEventQueue } from "./event-queue.ts";
import type { AgentEvent, EndCause, EndReason, StreamFn, StreamOptions } from "./events.ts";
import { Limits } from "./limits.ts";
import type { AgentMessage, Message, Model } from "./messages.ts";
import { RepeatedCalls } from "./repeated-calls.ts";
import type { AgentTool } from "./tool.ts";

/** After an abort, whatever does not end within this is left behind. */
export const ABORT_GRACE_MS = 750;
/** After an abort, the journal has until this; then the run ends as `journal_failed`. */
export const RECORD_AFTER_ABORT_MS = 900;
/** The longest that one record may take. */
export const RECORD_DEADLINE_MS = 30_000;
/** The longest that one hook may take. */
export const HOOK_DEADLINE_MS = 30_000;

/** Why a run ends, and what stood behind it. */
export interface End {
  reason: EndReason;
  cause?: EndCause;
}

/** Unwinds the loop's own path to its end; never seen by a caller. */
export class EndOfRun extends Error {
  override readonly name = "EndOfRun";
  readonly end: End;
  constructor(end: End) {
    super(end.cause?.message ?? end.reason);
    this.end = end;
  }
}

/** The outside, bound. */
export interface Ports {
  clock: Clock;
  ids: Ids;
  timers: Timers;
  streamFn: StreamFn;
}

/** The context as the run goes on with it; the lists are its own. */
export interface RunContext {
  systemPrompt?: string;
  messages: AgentMessage[];
  tools: AgentTool[];
}

/** Calls that can be ended one by one. */
export interface OpenCalls {
  abortCall(toolCallId: string, reason?: string): "aborted" | "settled" | "unknown";
}

/** One run, from prompt to end. */
export class Run {
  readonly config: AgentLoopConfig;
  readonly ports: Ports;
  readonly stop: Stopper;
  readonly events: AgentEventQueue;
  readonly limits: Limits;
  readonly repeats: RepeatedCalls;
  readonly newMessages: AgentMessage[] = [];
  context: RunContext;
  model: Model;
  options: StreamOptions;
  /** How many assistant messages the session had before the current one. */
  turn: number;
  /** The calls of the current message. */
  batch: OpenCalls | undefined;
  /** The first thing that went wrong beyond repair. */
  fatal: End | undefined;
  /** The ids of all calls that have their result. */
  readonly settledCalls: Set<string> = new Set<string>();
  #ended = false;
  // The context's list grows at its end, or is another list.
  #seenOf: AgentMessage[] | undefined;
  #seen = 0;
  #sendable: Message[] = [];

  constructor(context: AgentContext, config: AgentLoopConfig, ports: Ports) {
    this.config = config;
    this.ports = ports;
    this.model = config.model;
    this.options = config.options ?? {};
    this.context = ownContext(context);
    this.turn = context.messages.filter((message) => message.role === "assistant").length;
    this.stop = new Stopper(() => ports.clock.monotonic());
    this.limits = new Limits(config.limits, ports.clock);
    this.repeats = new RepeatedCalls(config.limits?.repeatedCalls);
    this.events = new AgentEventQueue();
  }

  emit(event: AgentEvent): void {
    if (!this.#ended) this.events.push(event);
  }

  /** Emits the run's one `agent_end`. */
  finish(end: End): void {
    this.emit({ type: "agent_end", messages: this.newMessages, ...end });
    this.#ended = true;
  }

  /** A message joins the history, and is told. */
  addMessage(message: AgentMessage): void {
    this.emit({ type: "message_start", message });
    this.appendMessage(message);
  }

  /** As `addMessage`, for a message whose start was told before. */
  appendMessage(message: AgentMessage): void {
    this.context.messages.push(message);
    this.newMessages.push(message);
    this.emit({ type: "message_end", message });
  }

  /** The messages that `wanted` lets through, as a list of the caller's own; only new ones are looked at. */
  sendable(wanted: (message: AgentMessage) => message is Message): Message[] {
    const { messages } = this.context;
    if (this.#seenOf !== messages) {
      this.#seenOf = messages;
      this.#seen = 0;
      this.#sendable = [];
    }
    for (; this.#seen < messages.length; this.#seen++) {
      const message = messages[this.#seen];
      if (message && wanted(message)) this.#sendable.push(message);
    }
    return this.#sendable.slice();
  }

  /** Tells of a message that stands in the history already. */
  tellAdded(message: AgentMessage): void {
    this.newMessages.push(message);
    this.emit({ type: "message_start", message });
    this.emit({ type: "message_end", message });
  }

  /** Ends the run at once; the first cause counts. */
  fail(end: End): void {
    this.fatal ??= end;
    this.stop.stop(abortError(end.cause?.message ?? end.reason));
  }

  /** Writes to the journal and waits for it. False if that failed: then the run is ending and nothing may act. */
  async record(entries: readonly RecordEntry[]): Promise<boolean> {
    const { record } = this.config;
    if (this.fatal?.reason === "journal_failed") return false;
    if (!record) return true;
    const written = await waitFor(() => record.call(this.config, entries), {
      timers: this.ports.timers,
      stop: this.stop,
      graceMs: RECORD_AFTER_ABORT_MS,
      deadlineMs: RECORD_DEADLINE_MS,
    });
    if (written.status === "done") return true;
    const why =
      written.status === "failed" ? describeError(written.error) : "it did not answer in time";
    const message = `The journal could not be written: ${why}`;
    // An abort or a limit that came first does not hide that the journal is behind.
    this.fatal = { reason: "journal_failed", cause: { message } };
    this.stop.stop(abortError(message));
    return false;
  }

  /** As `record`, for the loop's own path: unwinds when the journal failed. */
  async mustRecord(entries: readonly RecordEntry[]): Promise<void> {
    if (entries.length > 0 && !(await this.record(entries))) {
      throw new EndOfRun(this.fatal ?? { reason: "journal_failed" });
    }
  }

  /** Waits for code of the caller's, with the hooks' deadline and the abort's grace. */
  wait<T>(work: () => T | PromiseLike<T>, stop: Stopper = this.stop): Promise<Waited<T>> {
    return waitFor(work, {
      timers: this.ports.timers,
      stop,
      graceMs: ABORT_GRACE_MS,
      deadlineMs: HOOK_DEADLINE_MS,
    });
  }

  /** A hook on the loop's own path: its failure ends the run. */
  async hook<T>(name: string, work: () => T | PromiseLike<T>): Promise<T> {
    const waited = await this.wait(work);
    if (waited.status === "done") return waited.value;
    if (this.stop.stopped) throw new EndOfRun(this.endOfStop());
    const why =
      waited.status === "failed"
        ? `failed: ${describeError(waited.error)}`
        : `did not answer within ${HOOK_DEADLINE_MS / 1000} s`;
    throw new EndOfRun({ reason: "error", cause: { message: `${name} ${why}` } });
  }

  /** Unwinds if the run was stopped. */
  throwIfStopped(): void {
    if (this.stop.stopped) throw new EndOfRun(this.endOfStop());
  }

  /** The end that a stop means: its cause if there is one, else an abort. */
  endOfStop(): End {
    if (this.fatal) return this.fatal;
    return { reason: "aborted", cause: { message: describeError(this.stop.signal.reason) } };
  }

  /** Ends one call, also one that still waits. */
  abortCall(toolCallId: string, reason?: string): "aborted" | "settled" | "unknown" {
    const found = this.batch?.abortCall(toolCallId, reason) ?? "unknown";
    return found === "unknown" && this.settledCalls.has(toolCallId) ? "settled" : found;
  }

  /** Replaces what a hook gave anew. */
  replace(update: { context?: AgentContext; model?: Model; options?: StreamOptions }): void {
    if (update.context) this.context = ownContext(update.context);
    if (update.model) this.model = update.model;
    if (update.options) this.options = update.options;
  }
}

/** What a hook gave where a list of messages is wanted: anything else ends the run, named. */
export function requireList<T>(hook: string, given: T[]): T[] {
  const unchecked: unknown = given;
  if (Array.isArray(unchecked)) return given;
  throw new EndOfRun({ reason: "error", cause: { message: `${hook} gave no list of messages` } });
}

function ownContext(context: AgentContext): RunContext {
  return {
    ...(context.systemPrompt === undefined ? {} : { systemPrompt: context.systemPrompt }),
    messages: [...requireList("The context", context.messages)],
    tools: [...(context.tools ?? [])],
  };
}
