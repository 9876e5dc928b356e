// What an agent knows of its conversation, kept true by the events of its runs.
import type { AgentContext, TurnUpdate } from "../core/config.ts";
import type { AgentEvent, StreamOptions } from "../core/events.ts";
import type { AgentMessage, AssistantMessage, Model } from "../core/messages.ts";
import type { AgentTool } from "../core/tool.ts";

export type ThinkingLevel = "off" | NonNullable<StreamOptions["reasoning"]>;

export interface InitialState {
  systemPrompt?: string;
  model?: Model;
  thinkingLevel?: ThinkingLevel;
  tools?: AgentTool[];
  messages?: AgentMessage[];
}

/** Gives what the loop runs in place of a tool; the same for the same tool. */
export type WrapTool = (tool: AgentTool) => AgentTool;

type Given = Required<Omit<InitialState, "messages">>;

/** Lists are copied when they are set. What is changed while a run goes on counts from its next request. */
export class AgentState {
  systemPrompt: string;
  model: Model;
  thinkingLevel: ThinkingLevel;
  #tools: AgentTool[];
  #messages: AgentMessage[];
  #streaming = false;
  #streamingMessage: AssistantMessage | undefined;
  #pending = new Set<string>();
  #error: string | undefined;
  #replacement: AgentMessage[] | undefined;
  // What the run was last given.
  #given: Given;
  readonly #wrapTool: WrapTool;

  constructor(initial: InitialState & { model: Model }, wrapTool: WrapTool = (tool) => tool) {
    this.#wrapTool = wrapTool;
    this.systemPrompt = initial.systemPrompt ?? "";
    this.model = initial.model;
    this.thinkingLevel = initial.thinkingLevel ?? "off";
    this.#tools = [...(initial.tools ?? [])];
    this.#messages = [...(initial.messages ?? [])];
    this.#given = this.#snapshot();
  }

  get tools(): AgentTool[] {
    return this.#tools;
  }

  set tools(tools: AgentTool[]) {
    this.#tools = [...tools];
  }

  get messages(): AgentMessage[] {
    return this.#messages;
  }

  set messages(messages: AgentMessage[]) {
    this.#messages = [...messages];
  }

  /** A run is active. */
  get isStreaming(): boolean {
    return this.#streaming;
  }

  /** The live message, while the model speaks. */
  get streamingMessage(): AssistantMessage | undefined {
    return this.#streamingMessage;
  }

  /** The ids of the calls that run. */
  get pendingToolCalls(): ReadonlySet<string> {
    return this.#pending;
  }

  /** Why the last run failed or was aborted. */
  get errorMessage(): string | undefined {
    return this.#error;
  }

  /** The context for a new run. */
  context(): AgentContext {
    const { systemPrompt, messages } = this;
    return { systemPrompt, messages, tools: this.#tools.map(this.#wrapTool) };
  }

  /** The stream options with the thinking level of now. */
  streamOptions(base: StreamOptions = {}): StreamOptions {
    if (this.thinkingLevel === "off") return base;
    return { ...base, reasoning: this.thinkingLevel };
  }

  begin(): void {
    this.#streaming = true;
    this.#error = undefined;
    this.#given = this.#snapshot();
  }

  end(): void {
    this.#streaming = false;
    this.#streamingMessage = undefined;
    this.#pending = new Set();
  }

  clear(): void {
    this.#messages = [];
    this.#error = undefined;
  }

  apply(event: AgentEvent): void {
    switch (event.type) {
      case "message_start":
        if (event.message.role === "assistant") this.#streamingMessage = event.message;
        return;
      case "message_update":
        this.#streamingMessage = event.message;
        return;
      case "message_end":
        if (event.message.role === "assistant") this.#streamingMessage = undefined;
        this.#append(event.message);
        return;
      case "tool_execution_start":
        this.#pending = new Set(this.#pending).add(event.toolCallId);
        return;
      case "tool_execution_end": {
        const left = new Set(this.#pending);
        left.delete(event.toolCallId);
        this.#pending = left;
        return;
      }
      case "turn_start":
        this.#takeReplacement();
        return;
      case "request_retry":
        this.#takeReplacement();
        this.#streamingMessage = undefined;
        return;
      case "agent_end":
        this.#takeReplacement();
        if (event.cause) this.#error = event.cause.message;
        return;
      default:
        return;
    }
  }

  #takeReplacement(): void {
    if (this.#replacement) this.#messages = this.#replacement;
    this.#replacement = undefined;
  }

  /** What the user changed since the run was last given it. */
  takeChanges(context: AgentContext, base: StreamOptions | undefined): TurnUpdate {
    const before = this.#given;
    const now = this.#snapshot();
    this.#given = now;
    const update: TurnUpdate = {};
    if (now.model !== before.model) update.model = now.model;
    if (now.thinkingLevel !== before.thinkingLevel) update.options = this.streamOptions(base);
    if (now.systemPrompt !== before.systemPrompt || now.tools !== before.tools) {
      const tools = now.tools.map(this.#wrapTool);
      update.context = { ...context, systemPrompt: now.systemPrompt, tools };
    }
    return update;
  }

  /** Takes over what a hook gave the run. */
  adopt(update: TurnUpdate | undefined): TurnUpdate | undefined {
    if (update?.model) this.model = update.model;
    if (update?.context) {
      const { messages, systemPrompt, tools } = update.context;
      // Counts from the next turn: events of the turn before may still be on their way.
      this.#replacement = [...messages];
      this.systemPrompt = systemPrompt ?? "";
      this.#tools = [...(tools ?? [])];
    }
    this.#given = this.#snapshot();
    if (!update?.context?.tools) return update;
    const tools = update.context.tools.map(this.#wrapTool);
    return { ...update, context: { ...update.context, tools } };
  }

  /** A result stands behind its message, in the model's order; that is at the end, but for a continued history. */
  #append(message: AgentMessage): void {
    const messages = this.#messages;
    if (message.role !== "toolResult") {
      messages.push(message);
      return;
    }
    const asked = messages.findLastIndex((other) => other.role === "assistant");
    const order = callIds(messages[asked]);
    const place = order.indexOf(message.toolCallId);
    let at = asked + 1;
    for (; at < messages.length; at++) {
      const other = messages[at];
      if (other?.role !== "toolResult" || order.indexOf(other.toolCallId) > place) break;
    }
    messages.splice(at, 0, message);
  }

  #snapshot(): Given {
    const { systemPrompt, model, thinkingLevel } = this;
    return { systemPrompt, model, thinkingLevel, tools: this.#tools };
  }
}

function callIds(message: AgentMessage | undefined): string[] {
  if (message?.role !== "assistant") return [];
  return message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []));
}
