// From the events of the Messages API to the events of a stream. Pure: no time, no network; the caller feeds it.
// https://docs.anthropic.com/en/api/messages-streaming
import type { AssistantMessageEvent } from "../../core/events.ts";
import type {
  AssistantMessage,
  Model,
  StopReason,
  TextContent,
  ThinkingContent,
  ToolCall,
  Usage,
} from "../../core/messages.ts";
import { parseArguments } from "../../lib/json/parse-arguments.ts";
import { failureOfErrorObject, isRecord, shortText, type WireFailure } from "./errors.ts";
import type { ToolNames } from "./tool-names.ts";

/** What one wire event did: nothing to say, the whole message ended, or it failed. */
export type ReadStep =
  | { status: "open" }
  | { status: "done" }
  | { status: "failed"; failure: WireFailure };

type Push = (event: AssistantMessageEvent) => void;

/** A block under way. Argument text is kept in parts: joining each delta would be quadratic where a reader looks. */
type OpenBlock =
  | { kind: "text"; at: number; block: TextContent }
  | { kind: "thinking"; at: number; block: ThinkingContent }
  | { kind: "toolCall"; at: number; block: ToolCall; parts: string[]; whole: unknown };

const OPEN: ReadStep = { status: "open" };

/** Fills one live message from wire events in order; unknown events, blocks and deltas are passed over. */
export class ResponseReader {
  readonly #message: AssistantMessage;
  readonly #model: Model;
  readonly #host: string;
  readonly #push: Push;
  readonly #names: ToolNames;
  readonly #blocks = new Map<number, OpenBlock>();
  /** Indexes at which a block began, also one that is passed over. */
  readonly #seen = new Set<number>();
  #refusal = "";
  #started = false;

  constructor(options: {
    message: AssistantMessage;
    model: Model;
    host: string;
    names: ToolNames;
    push: Push;
  }) {
    this.#names = options.names;
    this.#message = options.message;
    this.#model = options.model;
    this.#host = options.host;
    this.#push = options.push;
  }

  read(event: unknown): ReadStep {
    if (!isRecord(event)) return OPEN;
    switch (event.type) {
      case "message_start":
        this.#start(isRecord(event.message) ? event.message : {});
        return OPEN;
      case "content_block_start":
        this.#startBlock(indexOf(event), isRecord(event.content_block) ? event.content_block : {});
        return OPEN;
      case "content_block_delta":
        this.#delta(indexOf(event), isRecord(event.delta) ? event.delta : {});
        return OPEN;
      case "content_block_stop":
        this.#stopBlock(indexOf(event));
        return OPEN;
      case "message_delta":
        this.#messageDelta(event);
        return OPEN;
      case "message_stop":
        return this.#stop();
      case "error":
        return { status: "failed", failure: failureOfErrorObject(event, this.#host) };
      default:
        return OPEN;
    }
  }

  #start(told: Record<string, unknown>): void {
    if (typeof told.id === "string") this.#message.responseId = told.id;
    this.#addUsage(told.usage);
    this.#tellStart();
  }

  /** Also for a server that leaves `message_start` out. */
  #tellStart(): void {
    if (this.#started) return;
    this.#started = true;
    this.#push({ type: "start", partial: this.#message });
  }

  #startBlock(index: number, told: Record<string, unknown>): void {
    this.#tellStart();
    const partial = this.#message;
    const contentIndex = partial.content.length;
    // A second block at an index still open is another block: the first never stopped, and gets no end.
    this.#forget(index);
    this.#seen.add(index);
    switch (told.type) {
      case "text": {
        const block: TextContent = { type: "text", text: "" };
        this.#blocks.set(index, { kind: "text", at: contentIndex, block });
        partial.content.push(block);
        this.#push({ type: "text_start", contentIndex, partial });
        this.#delta(index, { type: "text_delta", text: told.text });
        return;
      }
      case "thinking": {
        const block: ThinkingContent = { type: "thinking", thinking: "" };
        this.#blocks.set(index, { kind: "thinking", at: contentIndex, block });
        partial.content.push(block);
        this.#push({ type: "thinking_start", contentIndex, partial });
        this.#delta(index, { type: "thinking_delta", thinking: told.thinking });
        this.#delta(index, { type: "signature_delta", signature: told.signature });
        return;
      }
      case "redacted_thinking": {
        const block: ThinkingContent = {
          type: "thinking",
          thinking: "",
          thinkingSignature: stringOf(told.data),
          redacted: true,
        };
        this.#blocks.set(index, { kind: "thinking", at: contentIndex, block });
        partial.content.push(block);
        this.#push({ type: "thinking_start", contentIndex, partial });
        return;
      }
      case "tool_use": {
        const block: ToolCall = {
          type: "toolCall",
          id: stringOf(told.id),
          name: this.#names.fromWire(stringOf(told.name)),
          arguments: {},
        };
        const open = {
          kind: "toolCall",
          at: contentIndex,
          block,
          parts: [],
          whole: told.input,
        } as const;
        this.#blocks.set(index, { ...open, parts: [] });
        partial.content.push(block);
        this.#push({ type: "toolcall_start", contentIndex, partial });
        return;
      }
      default:
        // Blocks of server-side tools and of times to come.
        return;
    }
  }

  #delta(index: number, told: Record<string, unknown>): void {
    // Text whose block was never announced is text all the same.
    if (told.type === "text_delta" && !this.#seen.has(index)) {
      this.#startBlock(index, { type: "text" });
    }
    const open = this.#blocks.get(index);
    if (!open) return;
    const partial = this.#message;
    const contentIndex = open.at;
    if (open.kind === "text" && told.type === "text_delta") {
      const delta = stringOf(told.text);
      if (delta === "") return;
      open.block.text += delta;
      this.#push({ type: "text_delta", contentIndex, delta, partial });
    } else if (open.kind === "thinking" && told.type === "thinking_delta") {
      const delta = stringOf(told.thinking);
      if (delta === "") return;
      open.block.thinking += delta;
      this.#push({ type: "thinking_delta", contentIndex, delta, partial });
    } else if (open.kind === "thinking" && told.type === "signature_delta") {
      const signature = stringOf(told.signature);
      if (signature === "") return;
      open.block.thinkingSignature = (open.block.thinkingSignature ?? "") + signature;
    } else if (open.kind === "toolCall" && told.type === "input_json_delta") {
      const delta = stringOf(told.partial_json);
      if (delta === "") return;
      open.parts.push(delta);
      this.#push({ type: "toolcall_delta", contentIndex, delta, partial });
    }
  }

  #stopBlock(index: number): void {
    const open = this.#blocks.get(index);
    if (!open) return;
    this.#blocks.delete(index);
    const partial = this.#message;
    const contentIndex = open.at;
    switch (open.kind) {
      case "text":
        this.#push({ type: "text_end", contentIndex, content: open.block.text, partial });
        return;
      case "thinking":
        this.#push({ type: "thinking_end", contentIndex, content: open.block.thinking, partial });
        return;
      case "toolCall":
        settleArguments(open.block, open.parts, open.whole);
        this.#push({ type: "toolcall_end", contentIndex, toolCall: open.block, partial });
        return;
      default:
        open satisfies never;
    }
  }

  /** The whole message ended: its texts are whole with it, a call is only by its own end. */
  #closeBlocks(): void {
    for (const [index, open] of this.#blocks) {
      if (open.kind === "toolCall") this.#forget(index);
      else this.#stopBlock(index);
    }
  }

  #forget(index: number): void {
    const open = this.#blocks.get(index);
    if (open?.kind === "toolCall") open.block.argumentsError = NEVER_ENDED;
    this.#blocks.delete(index);
  }

  #messageDelta(event: Record<string, unknown>): void {
    this.#addUsage(event.usage);
    const delta = isRecord(event.delta) ? event.delta : {};
    const { stop_reason: reason, stop_details: details } = delta;
    if (typeof reason === "string") this.#message.rawStopReason = reason.slice(0, MAX_REASON);
    if (isRecord(details)) this.#refusal = stringOf(details.explanation);
  }

  #stop(): ReadStep {
    this.#tellStart();
    const message = this.#message;
    if (message.rawStopReason === "refusal") {
      const why = this.#refusal ? `: ${shortText(this.#refusal)}` : ".";
      return {
        status: "failed",
        failure: { kind: "refused", message: `${message.model} refused to answer${why}` },
      };
    }
    this.#closeBlocks();
    const reason = this.#stopReason();
    message.stopReason = reason;
    this.#push({ type: "done", reason, message });
    return { status: "done" };
  }

  /** What the message holds counts more than what the server says of it, except that it was cut. */
  #stopReason(): Extract<StopReason, "stop" | "length" | "toolUse"> {
    switch (this.#message.rawStopReason) {
      case "max_tokens":
      case "model_context_window_exceeded":
        return "length";
      default:
        return this.#message.content.some(({ type }) => type === "toolCall") ? "toolUse" : "stop";
    }
  }

  /** Counts are cumulative, and told in part at the start, in part at the end: the larger one is the later one. */
  #addUsage(told: unknown): void {
    if (!isRecord(told)) return;
    const usage = this.#message.usage;
    usage.input = Math.max(usage.input, countOf(told.input_tokens));
    usage.output = Math.max(usage.output, countOf(told.output_tokens));
    usage.cacheRead = Math.max(usage.cacheRead, countOf(told.cache_read_input_tokens));
    usage.cacheWrite = Math.max(usage.cacheWrite, countOf(told.cache_creation_input_tokens));
    usage.totalTokens = usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
    priceUsage(usage, this.#model.cost);
  }
}

const NEVER_ENDED = "The call was cut off before its arguments were complete.";
/** Characters of a stop reason that are kept. */
const MAX_REASON = 100;

/** The one place where argument text becomes arguments. */
function settleArguments(call: ToolCall, parts: readonly string[], whole: unknown): void {
  // A server that does not stream them sends them whole with the block's start.
  if (parts.length === 0 && isRecord(whole) && !Array.isArray(whole)) {
    call.arguments = whole;
    return;
  }
  const parsed = parseArguments(parts.join(""));
  if (parsed.ok) call.arguments = parsed.value;
  else call.argumentsError = parsed.error;
}

function priceUsage(usage: Usage, price: Model["cost"]): void {
  const cost = usage.cost;
  cost.input = (usage.input * price.input) / 1e6;
  cost.output = (usage.output * price.output) / 1e6;
  cost.cacheRead = (usage.cacheRead * price.cacheRead) / 1e6;
  cost.cacheWrite = (usage.cacheWrite * price.cacheWrite) / 1e6;
  cost.total = cost.input + cost.output + cost.cacheRead + cost.cacheWrite;
}

function countOf(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

function indexOf(event: Record<string, unknown>): number {
  return typeof event.index === "number" ? event.index : 0;
}

function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
