// Reads one attempt of the model's: forwards its events, notes which blocks ended, and makes the final message right.
import { describeError } from "../lib/text/describe-error.ts";
import type { Batch } from "./batch.ts";
import type { AssistantMessageEvent, StreamContext, StreamOptions } from "./events.ts";
import { type AssistantMessage, emptyUsage, type ErrorKind, type ToolCall } from "./messages.ts";
import type { Run } from "./run.ts";
import { waitFor } from "../lib/async/wait-for.ts";
import { ABORT_GRACE_MS } from "./run.ts";
import { CallNames } from "./tool-names.ts";

/** A call of a finished message, with whether the stream ended it. */
export interface StreamedCall {
  toolCall: ToolCall;
  contentIndex: number;
  ended: boolean;
}

/** One attempt's outcome. */
export interface Response {
  message: AssistantMessage;
  calls: StreamedCall[];
  /** Its `message_start` was told. */
  startTold: boolean;
}

type ContentBlock = AssistantMessage["content"][number];

/** Streams one request; failures of every kind become a message with an error. Never rejects. */
export async function streamResponse(
  run: Run,
  context: StreamContext,
  batch: Batch,
): Promise<Response> {
  const reading = new Reading(run, batch);
  const waited = await waitFor(() => reading.read(context), {
    timers: run.ports.timers,
    stop: run.stop,
    graceMs: ABORT_GRACE_MS,
  });
  reading.close();
  if (waited.status === "failed") {
    return reading.failed("error", { message: describeError(waited.error) });
  }
  return reading.outcome();
}

class Reading {
  readonly #run: Run;
  readonly #batch: Batch;
  readonly #names: CallNames;
  readonly #started = new Set<number>();
  readonly #ended = new Set<number>();
  #partial: AssistantMessage | undefined;
  #last: Extract<AssistantMessageEvent, { type: "done" | "error" }> | undefined;
  #startTold = false;
  #closed = false;

  constructor(run: Run, batch: Batch) {
    this.#run = run;
    this.#batch = batch;
    this.#names = new CallNames(run.context.tools.map((tool) => tool.name));
  }

  async read(context: StreamContext): Promise<void> {
    const { model, ports } = this.#run;
    const stream = await ports.streamFn(model, context, await this.#options());
    const events = stream[Symbol.asyncIterator]();
    for (;;) {
      const step = await events.next();
      if (step.done === true || this.#closed) return;
      const event = step.value;
      if (event.type === "done" || event.type === "error") {
        this.#last = event;
        // Whatever it still has to clean up is not waited for.
        events.return?.().catch(() => {});
        return;
      }
      this.#see(event);
    }
  }

  /** Whatever the stream still says is no longer heard. */
  close(): void {
    this.#closed = true;
  }

  outcome(): Response {
    const last = this.#last;
    if (last && !isMessage(last.type === "done" ? last.message : last.error)) {
      const message = "The model's stream ended with an event that holds no message.";
      return this.failed("error", { message, errorKind: "protocol" });
    }
    if (last?.type === "done") return this.#complete(last.message, last.reason);
    const { stopped } = this.#run.stop;
    if (last?.type === "error") {
      const reason = stopped ? "aborted" : last.reason;
      return this.#broken(last.error, reason, last.error.errorKind);
    }
    if (stopped) return this.failed("aborted", { message: "aborted", errorKind: "aborted" });
    return this.failed("error", {
      message: "The model's stream ended before its message was complete.",
      errorKind: "truncated",
    });
  }

  /** The outcome of an attempt that gave no last event. */
  failed(reason: "error" | "aborted", why: { message: string; errorKind?: ErrorKind }): Response {
    const { stopped } = this.#run.stop;
    const base = this.#partial ?? this.#blank();
    const message: AssistantMessage = { ...base, errorMessage: why.message };
    return this.#broken(message, stopped ? "aborted" : reason, why.errorKind);
  }

  async #options(): Promise<StreamOptions> {
    const run = this.#run;
    const { getApiKey } = run.config;
    const apiKey = getApiKey
      ? await run.hook("getApiKey", () => getApiKey.call(run.config, run.model.provider))
      : undefined;
    const options: StreamOptions = { ...run.options, signal: run.stop.signal };
    if (apiKey !== undefined) options.apiKey = apiKey;
    return options;
  }

  #see(event: Exclude<AssistantMessageEvent, { type: "done" | "error" }>): void {
    this.#partial = event.partial;
    this.#tellStart(event.partial);
    if (event.type === "start") return;
    const { contentIndex } = event;
    if (event.type.endsWith("_start")) this.#started.add(contentIndex);
    if (event.type.endsWith("_end")) this.#ended.add(contentIndex);
    let forwarded: AssistantMessageEvent = event;
    if (event.type === "toolcall_end") {
      const toolCall = this.#rightCall(contentIndex, event.toolCall);
      renameLive(event.partial.content[contentIndex], toolCall);
      forwarded = { ...event, toolCall };
      this.#batch.early.offer(toolCall, contentIndex, this.#endedBefore(contentIndex));
    }
    const message = event.partial;
    this.#run.emit({ type: "message_update", message, assistantMessageEvent: forwarded });
  }

  #tellStart(message: AssistantMessage): void {
    if (this.#startTold) return;
    this.#startTold = true;
    this.#run.emit({ type: "message_start", message });
  }

  /** Whether every block that began before this one has ended. */
  #endedBefore(contentIndex: number): boolean {
    for (const index of this.#started) {
      if (index < contentIndex && !this.#ended.has(index)) return false;
    }
    return true;
  }

  #rightCall(contentIndex: number, toolCall: ToolCall): ToolCall {
    const { id, name } = this.#names.settle(contentIndex, toolCall);
    if (typeof toolCall.arguments !== "object" || toolCall.arguments === null) {
      return { ...toolCall, id, name, arguments: {} };
    }
    return id === toolCall.id && name === toolCall.name ? toolCall : { ...toolCall, id, name };
  }

  /** A message that the model finished: every block counts, only calls must have ended. */
  #complete(message: AssistantMessage, reason: "stop" | "length" | "toolUse"): Response {
    const stopReason = knownStopReason(message.stopReason) ?? knownStopReason(reason) ?? "stop";
    return this.#response({ ...message, stopReason }, () => true);
  }

  /** A message that was aborted or failed: only its finished blocks count. */
  #broken(
    message: AssistantMessage,
    reason: "error" | "aborted",
    errorKind: ErrorKind | undefined,
  ): Response {
    const kind = reason === "aborted" ? "aborted" : errorKind;
    const broken: AssistantMessage = { ...message, stopReason: reason };
    delete broken.errorKind;
    if (kind !== undefined) broken.errorKind = kind;
    return this.#response(broken, (index) => this.#isWhole(index));
  }

  /** A block that never had events of its own came whole. */
  #isWhole(contentIndex: number): boolean {
    return this.#ended.has(contentIndex) || !this.#started.has(contentIndex);
  }

  #response(message: AssistantMessage, keeps: (contentIndex: number) => boolean): Response {
    const content: ContentBlock[] = [];
    const calls: StreamedCall[] = [];
    for (const [contentIndex, block] of regularBlocks(message.content)) {
      if (!keeps(contentIndex) || (block.type === "text" && block.text === "")) continue;
      if (block.type !== "toolCall") {
        content.push(block);
        continue;
      }
      const toolCall = this.#rightCall(contentIndex, block);
      content.push(toolCall);
      calls.push({ toolCall, contentIndex, ended: this.#isWhole(contentIndex) });
    }
    const usage = message.usage ?? emptyUsage();
    const final: AssistantMessage = { ...message, content, usage };
    return { message: final, calls, startTold: this.#startTold };
  }

  #blank(): AssistantMessage {
    const { model, ports } = this.#run;
    return {
      role: "assistant",
      content: [],
      api: model.api,
      provider: model.provider,
      model: model.id,
      usage: emptyUsage(),
      stopReason: "error",
      timestamp: ports.clock.now(),
    };
  }
}

/** The id and name that were made right also show in the live message, where that can be written. */
function renameLive(block: ContentBlock | undefined, toolCall: ToolCall): void {
  if (block?.type !== "toolCall" || Object.isFrozen(block)) return;
  block.id = toolCall.id;
  block.name = toolCall.name;
}

function isMessage(message: unknown): boolean {
  return typeof message === "object" && message !== null;
}

function knownStopReason(reason: string): "stop" | "length" | "toolUse" | undefined {
  return reason === "stop" || reason === "length" || reason === "toolUse" ? reason : undefined;
}

function* regularBlocks(content: unknown): Generator<[number, ContentBlock]> {
  if (!Array.isArray(content)) return;
  for (const [index, block] of content.entries()) {
    if (typeof block !== "object" || block === null) continue;
    const { type } = block as { type?: unknown };
    if (type === "text" || type === "thinking" || type === "toolCall") {
      yield [index, block as ContentBlock];
    }
  }
}
