// An agent with a memory: one conversation, one run at a time, queues for what is typed meanwhile, and listeners.
import { agentLoop, agentLoopContinue } from "../core/agent-loop.ts";
import type { AgentContext, AgentLoopConfig, TurnUpdate, TurnView } from "../core/config.ts";
import type {
  AgentEvent,
  AgentEventStream,
  EndCause,
  EndReason,
  StreamFn,
} from "../core/events.ts";
import { MessageQueue, type QueueMode } from "../core/message-queue.ts";
import type { AgentMessage, ImageContent } from "../core/messages.ts";
import { findOpenTail } from "../core/open-calls.ts";
import { abortError } from "../lib/async/stopper.ts";
import { offlineModel } from "../models/offline/offline-model.ts";
import { streamByApi } from "../models/index.ts";
import { AgentState, type InitialState, type WrapTool } from "./agent-state.ts";
import { systemClock, systemIds, systemTimers } from "./system-ports.ts";

/** What a run ended with. */
export interface RunEnd {
  reason: EndReason;
  cause?: EndCause;
  /** The run's new messages. */
  messages: AgentMessage[];
}

/** Hears every event; never awaited. The signal is the run's. */
export type AgentListener = (event: AgentEvent, signal: AbortSignal) => void;

type OwnedByAgent = "model" | "getSteeringMessages" | "getFollowUpMessages";

/** The loop's hooks and settings, and where the conversation starts. */
export interface AgentOptions extends Partial<Omit<AgentLoopConfig, OwnedByAgent>> {
  initialState?: InitialState;
  /** By the model's api if left out. */
  streamFn?: StreamFn;
  steeringMode?: QueueMode;
  followUpMode?: QueueMode;
  /** What the loop runs in place of a tool. */
  wrapTool?: WrapTool;
  /** Gets what a listener threw; a process warning if left out. */
  onListenerError?(error: unknown): void;
}

interface ActiveRun {
  controller: AbortController;
  stream: AgentEventStream | undefined;
  idle: Promise<void>;
}

/** One conversation. A second prompt while it runs is refused; steer or follow up instead. */
export class Agent {
  readonly state: AgentState;
  /** What waits to be delivered: look at it, take back, remove by id, clear. */
  readonly queue: MessageQueue;
  readonly #options: AgentOptions;
  readonly #listeners = new Set<AgentListener>();
  #active: ActiveRun | undefined;

  constructor(options: AgentOptions = {}) {
    this.#options = options;
    this.state = new AgentState({ model: offlineModel, ...options.initialState }, options.wrapTool);
    const ids = options.ids ?? systemIds;
    this.queue = new MessageQueue(() => ids("queued"), {
      steer: options.steeringMode ?? "one-at-a-time",
      followUp: options.followUpMode ?? "one-at-a-time",
    });
  }

  /** Runs until the agent stops. Rejects while another run is active, and for a bug of ours. */
  async prompt(
    input: string | AgentMessage | AgentMessage[],
    images: ImageContent[] = [],
  ): Promise<RunEnd> {
    this.#refuseWhileRunning("prompt");
    return this.#start(this.#asMessages(input, images));
  }

  /** Goes on from the history as it is; after a finished answer, with what is queued. Rejects if there is nothing. */
  async continue(): Promise<RunEnd> {
    this.#refuseWhileRunning("continue");
    const { messages } = this.state;
    if (messages.length === 0) throw new Error("Cannot continue: there are no messages yet.");
    if (messages.at(-1)?.role !== "assistant" || findOpenTail(messages)) return this.#start();
    const steering = this.queue.drain("steer");
    const queued = steering.length > 0 ? steering : this.queue.drain("followUp");
    if (queued.length > 0) return this.#start(queued);
    throw new Error("Cannot continue: the last answer is complete. Send a prompt instead.");
  }

  /** Delivered before the next request; gives the id in the queue. */
  steer(message: string | AgentMessage): string {
    return this.queue.add("steer", this.#asMessage(message)).id;
  }

  /** Delivered when the agent would stop; gives the id in the queue. */
  followUp(message: string | AgentMessage): string {
    return this.queue.add("followUp", this.#asMessage(message)).id;
  }

  /** Stops the run; it settles within a second, with a valid history. The queues stay. */
  abort(reason?: string): void {
    this.#active?.controller.abort(reason === undefined ? undefined : abortError(reason));
  }

  /** Ends one call, also one that still waits; the turn goes on. */
  abortCall(toolCallId: string, reason?: string): "aborted" | "settled" | "unknown" {
    return this.#active?.stream?.abortCall(toolCallId, reason) ?? "unknown";
  }

  /** Adds a listener; call what it returns to remove it. */
  subscribe(listener: AgentListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The signal of the run, while there is one. */
  get signal(): AbortSignal | undefined {
    return this.#active?.controller.signal;
  }

  async waitForIdle(): Promise<void> {
    await this.#active?.idle;
  }

  /** Forgets the conversation and the queues. Throws while a run is active. */
  reset(): void {
    this.#refuseWhileRunning("reset");
    this.state.clear();
    this.queue.clear();
  }

  #refuseWhileRunning(act: string): void {
    if (!this.#active) return;
    throw new Error(
      `Cannot ${act}: the agent is already running. Use steer() or followUp() to add a message, or wait for waitForIdle().`,
    );
  }

  #asMessages(
    input: string | AgentMessage | AgentMessage[],
    images: ImageContent[],
  ): AgentMessage[] {
    if (Array.isArray(input)) return input;
    return [typeof input === "string" ? this.#userMessage(input, images) : input];
  }

  #asMessage(input: string | AgentMessage): AgentMessage {
    return typeof input === "string" ? this.#userMessage(input, []) : input;
  }

  #userMessage(text: string, images: ImageContent[]): AgentMessage {
    const timestamp = (this.#options.clock ?? systemClock).now();
    return { role: "user", content: [{ type: "text", text }, ...images], timestamp };
  }

  /** Without prompts it continues. */
  async #start(prompts?: AgentMessage[]): Promise<RunEnd> {
    const controller = new AbortController();
    const idle = Promise.withResolvers<void>();
    const active: ActiveRun = { controller, stream: undefined, idle: idle.promise };
    this.#active = active;
    this.state.begin();
    try {
      const { streamFn = streamByApi } = this.#options;
      const context: AgentContext = this.state.context();
      const config = this.#config();
      active.stream = prompts
        ? agentLoop(prompts, context, config, controller.signal, streamFn)
        : agentLoopContinue(context, config, controller.signal, streamFn);
      return await this.#listen(active.stream, controller.signal);
    } finally {
      this.state.end();
      this.#active = undefined;
      idle.resolve();
    }
  }

  async #listen(stream: AgentEventStream, signal: AbortSignal): Promise<RunEnd> {
    let end: RunEnd | undefined;
    for await (const event of stream) {
      this.state.apply(event);
      if (event.type === "agent_end") {
        const { reason, cause, messages } = event;
        end = { reason, messages, ...(cause ? { cause } : {}) };
      }
      this.#tell(event, signal);
    }
    const messages = await stream.result();
    return end ?? { reason: "error", messages };
  }

  #tell(event: AgentEvent, signal: AbortSignal): void {
    for (const listener of this.#listeners) {
      try {
        listener(event, signal);
      } catch (error) {
        this.#reportListener(error);
      }
    }
  }

  #reportListener(error: unknown): void {
    const { onListenerError } = this.#options;
    if (onListenerError) onListenerError(error);
    else process.emitWarning(`A listener of the agent failed: ${String(error)}`);
  }

  #config(): AgentLoopConfig {
    const { state, queue } = this;
    const {
      initialState: _start,
      streamFn: _stream,
      onListenerError: _report,
      wrapTool: _wrap,
      ...hooks
    } = this.#options;
    const { recover } = hooks;
    return {
      clock: systemClock,
      timers: systemTimers,
      ids: systemIds,
      ...hooks,
      model: state.model,
      options: state.streamOptions(hooks.options),
      getSteeringMessages: () => queue.drain("steer"),
      getFollowUpMessages: () => queue.drain("followUp"),
      prepareNextTurn: (turn) => this.#prepareNextTurn(turn),
      ...(recover
        ? { recover: async (failure, signal) => state.adopt(await recover(failure, signal)) }
        : {}),
    };
  }

  /** What was changed on the state while the run went on counts from the next request. */
  async #prepareNextTurn(turn: TurnView): Promise<TurnUpdate | undefined> {
    const changed = this.state.takeChanges(turn.context, this.#options.options);
    const update = await this.#options.prepareNextTurn?.(turn);
    return { ...changed, ...this.state.adopt(update) };
  }
}
