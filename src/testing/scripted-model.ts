// A model whose answers are data: it plays a list of turns through the full streaming contract, without any time of its own.
import { EventStream } from "../lib/async/event-stream.ts";
import type {
  AssistantMessageEvent,
  AssistantMessageStream,
  StreamContext,
  StreamFn,
  StreamOptions,
} from "../core/events.ts";
import type { AssistantMessage, ErrorKind, Model, ToolCall, Usage } from "../core/messages.ts";
import { emptyUsage } from "../core/messages.ts";
import { type BlockStep, type StreamedBlock, stepsOf } from "../models/offline/block-steps.ts";

export interface ScriptedCall {
  /** `c1`, `c2`, … counted over the script, if left out. */
  id?: string;
  name: string;
  args?: Record<string, unknown>;
  /** The argument text as the model writes it, in place of `args`: may be broken. */
  rawArguments?: string;
}

/** One answer. Without `content`, its blocks are `thinking`, `text`, `calls`, in this order. */
export interface ScriptedTurn {
  text?: string;
  thinking?: string;
  calls?: readonly ScriptedCall[];
  /** The blocks as they are, in order; `text`, `thinking` and `calls` do not count then. */
  content?: readonly StreamedBlock[];
  /** `toolUse` with calls, else `stop`, if left out. */
  stopReason?: "stop" | "length" | "toolUse";
  rawStopReason?: string;
  /** What is left out is 0; `totalTokens` is the sum if left out. */
  usage?: Partial<Usage>;
  /** The stream ends after this many events, without its last one. */
  cutAfter?: number;
  /** Stalls where it would end (with `cutAfter`: there) until the signal aborts. */
  neverEnd?: boolean;
  /** Does not hear the signal. */
  deaf?: boolean;
  /** Ends with this error: after `errorAfter` events, else after the blocks, else at once. */
  error?: { kind?: ErrorKind; message: string; status?: number; retryAfterMs?: number };
  errorAfter?: number;
  /** Characters of one delta; a block is one delta if left out. */
  deltaSize?: number;
  /** Awaited before each event; gets its type and block, for instance `start`, `toolcall_end 1`, `done`. */
  gate?(name: string): Promise<void> | void;
  /** The stream function breaks its contract and throws this. */
  throws?: unknown;
}

/** What one request sent: the lists are copies, their members are not. */
export interface ScriptedRequest {
  model: Model;
  context: StreamContext;
  options: StreamOptions;
}

/** A turn, or how to make one of the request; a promise delays the stream itself. */
export type TurnScript =
  | ScriptedTurn
  | ((request: ScriptedRequest) => ScriptedTurn | Promise<ScriptedTurn>);

export interface ScriptedModelOptions {
  /** Laid over the model's defaults. */
  model?: Partial<Model>;
  /** Milliseconds since the epoch for the messages' timestamps; 0 if left out. */
  now?: () => number;
}

export interface ScriptedModel {
  model: Model;
  streamFn: StreamFn;
  /** Every request so far, in order. */
  readonly requests: readonly ScriptedRequest[];
  /** How many turns were not asked for yet. */
  readonly remaining: number;
}

/** A turn that answers with a text. */
export function textTurn(text: string): ScriptedTurn {
  return { text };
}

/** A turn of one call. */
export function callTurn(
  name: string,
  args: Record<string, unknown> = {},
  id?: string,
): ScriptedTurn {
  return { calls: [id === undefined ? { name, args } : { id, name, args }] };
}

/** A turn of several calls. */
export function callsTurn(calls: readonly ScriptedCall[]): ScriptedTurn {
  return { calls };
}

/**
 * A model that answers request after request with the given turns; past the last one each request ends with an error
 * that says so. Steps are microtasks; an abort is heard between any two events unless the turn is `deaf`.
 */
export function createScriptedModel(
  turns: readonly TurnScript[],
  options: ScriptedModelOptions = {},
): ScriptedModel {
  const model: Model = { ...DEFAULT_MODEL, ...options.model };
  const now = options.now ?? (() => 0);
  const requests: ScriptedRequest[] = [];
  let calls = 0;
  const nextId = (): string => `c${++calls}`;

  const play = (turn: ScriptedTurn, request: ScriptedRequest): AssistantMessageStream => {
    if ("throws" in turn) throw turn.throws;
    const message = blankMessage(request.model, now());
    const stream = new EventStream<AssistantMessageEvent, AssistantMessage>(isLast, messageOf);
    const playing = new Playing(stream, message, turn);
    void playing.run(blocksOf(turn, nextId), request.options.signal);
    return stream;
  };

  return {
    model,
    requests,
    get remaining() {
      return Math.max(0, turns.length - requests.length);
    },
    streamFn: (requestModel, context, requestOptions = {}) => {
      const script = turns[requests.length] ?? noTurn(requests.length + 1, turns.length);
      const request = { model: requestModel, context: copyLists(context), options: requestOptions };
      requests.push(request);
      const turn = typeof script === "function" ? script(request) : script;
      return turn instanceof Promise
        ? turn.then((made) => play(made, request))
        : play(turn, request);
    },
  };
}

const DEFAULT_MODEL: Model = {
  id: "scripted",
  name: "Scripted model",
  api: "scripted",
  provider: "scripted",
  baseUrl: "",
  reasoning: false,
  input: ["text", "image"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 200_000,
  maxTokens: 32_000,
};

function noTurn(request: number, turns: number): ScriptedTurn {
  // `bad_request`, because no repeat can help.
  const message = `The script has no turn for request ${request}: it holds ${turns}.`;
  return { error: { kind: "bad_request", message } };
}

/** The turn's blocks in order; calls without an id get `nextId()`. */
function blocksOf(turn: ScriptedTurn, nextId: () => string): StreamedBlock[] {
  if (turn.content) return turn.content.slice();
  const blocks: StreamedBlock[] = [];
  if (turn.thinking !== undefined) blocks.push({ type: "thinking", thinking: turn.thinking });
  if (turn.text !== undefined) blocks.push({ type: "text", text: turn.text });
  for (const { id = nextId(), name, args = {}, rawArguments } of turn.calls ?? []) {
    const call: ToolCall = { type: "toolCall", id, name, arguments: structuredClone(args) };
    if (rawArguments === undefined) blocks.push(call);
    else blocks.push({ ...call, ...readArguments(rawArguments), argumentText: rawArguments });
  }
  return blocks;
}

const MAX_ERROR_TEXT = 2048;

/** As a wire reads argument text: strictly; empty, `null` and `[]` stand for no arguments. */
function readArguments(text: string): Pick<ToolCall, "arguments" | "argumentsError"> {
  if (["", "null", "[]"].includes(text.trim())) return { arguments: {} };
  const received = text.slice(0, MAX_ERROR_TEXT);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { arguments: value as Record<string, unknown> };
    }
    return { arguments: {}, argumentsError: `They are no JSON object. Received: ${received}` };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { arguments: {}, argumentsError: `${why}. Received: ${received}` };
  }
}

function copyLists(context: StreamContext): StreamContext {
  const copy: StreamContext = { ...context, messages: context.messages.slice() };
  if (context.tools) copy.tools = context.tools.slice();
  return copy;
}

function blankMessage(model: Model, timestamp: number): AssistantMessage {
  return {
    role: "assistant",
    content: [],
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: emptyUsage(),
    stopReason: "stop",
    timestamp,
  };
}

function isLast(event: AssistantMessageEvent): boolean {
  return event.type === "done" || event.type === "error";
}

function messageOf(event: AssistantMessageEvent): AssistantMessage {
  if (event.type === "done") return event.message;
  if (event.type === "error") return event.error;
  return event.partial;
}

/** One turn under way. */
class Playing {
  readonly #stream: EventStream<AssistantMessageEvent, AssistantMessage>;
  readonly #message: AssistantMessage;
  readonly #turn: ScriptedTurn;

  constructor(
    stream: EventStream<AssistantMessageEvent, AssistantMessage>,
    message: AssistantMessage,
    turn: ScriptedTurn,
  ) {
    this.#stream = stream;
    this.#message = message;
    this.#turn = turn;
  }

  /** Plays to the end. Never rejects: a gate that does becomes an error of the stream. */
  async run(blocks: readonly StreamedBlock[], signal: AbortSignal | undefined): Promise<void> {
    const heard = this.#turn.deaf ? undefined : signal;
    const listening = new AbortController();
    const abort = Promise.withResolvers<void>();
    heard?.addEventListener("abort", () => abort.resolve(), {
      once: true,
      signal: listening.signal,
    });
    if (heard?.aborted) abort.resolve();
    try {
      for (const step of this.#steps(blocks)) {
        // The race only where there is a gate: each one leaves a reaction on the abort's promise.
        const held = this.#turn.gate?.(step.name);
        await (held ? Promise.race([held, abort.promise]) : undefined);
        if (heard?.aborted) break;
        this.#stream.push(step.event());
      }
      if (this.#turn.neverEnd) await abort.promise;
      if (heard?.aborted) this.#fail("aborted", { kind: "aborted", message: "aborted" });
      // Only a cut stream comes here without its last event; whoever asks for its result gets one.
      else this.#stream.end(this.#failed("error", { kind: "truncated", message: "cut" }));
    } catch (error) {
      this.#fail("error", { message: `A gate of the script failed: ${String(error)}` });
    } finally {
      listening.abort();
    }
  }

  *#steps(blocks: readonly StreamedBlock[]): Generator<BlockStep> {
    const { error, errorAfter, cutAfter, neverEnd, deltaSize } = this.#turn;
    const message = this.#message;
    let left = errorAfter ?? cutAfter ?? Number.POSITIVE_INFINITY;
    if (!error || blocks.length > 0) {
      for (const step of stepsOf(message, blocks, deltaSize)) {
        if (left-- <= 0) break;
        yield step;
      }
    }
    if (neverEnd) return;
    if (error) {
      yield {
        name: "error",
        event: () => ({ type: "error", reason: "error", error: this.#failed("error", error) }),
      };
    } else if (left > 0) yield this.#done(blocks);
  }

  #done(blocks: readonly StreamedBlock[]): BlockStep {
    const { usage, rawStopReason } = this.#turn;
    const hasCalls = blocks.some((block) => block.type === "toolCall");
    const reason = this.#turn.stopReason ?? (hasCalls ? "toolUse" : "stop");
    return {
      name: "done",
      event: () => {
        const message = this.#message;
        message.stopReason = reason;
        if (rawStopReason !== undefined) message.rawStopReason = rawStopReason;
        message.usage = wholeUsage(usage);
        return { type: "done", reason, message };
      },
    };
  }

  #fail(reason: "error" | "aborted", error: NonNullable<ScriptedTurn["error"]>): void {
    this.#stream.push({ type: "error", reason, error: this.#failed(reason, error) });
  }

  #failed(
    reason: "error" | "aborted",
    error: NonNullable<ScriptedTurn["error"]>,
  ): AssistantMessage {
    const message: AssistantMessage = {
      ...this.#message,
      usage: wholeUsage(this.#turn.usage),
      stopReason: reason,
      errorMessage: error.message,
    };
    if (error.kind !== undefined) message.errorKind = error.kind;
    if (error.status !== undefined) message.status = error.status;
    if (error.retryAfterMs !== undefined) message.retryAfterMs = error.retryAfterMs;
    return message;
  }
}

function wholeUsage(usage: Partial<Usage> = {}): Usage {
  const whole: Usage = { ...emptyUsage(), ...usage };
  whole.totalTokens =
    usage.totalTokens ?? whole.input + whole.output + whole.cacheRead + whole.cacheWrite;
  return whole;
}
