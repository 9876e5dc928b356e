// Speaks the Messages API over server-sent events: https://docs.anthropic.com/en/api/messages-streaming
// One request, one stream. Repeating a failed one is the loop's business.
import type {
  AssistantMessageEvent,
  AssistantMessageStream,
  StreamContext,
  StreamFn,
  StreamOptions,
} from "../../core/events.ts";
import { type AssistantMessage, emptyUsage, type Model } from "../../core/messages.ts";
import { EventStream } from "../../lib/async/event-stream.ts";
import { createEventReader, EventTooLong } from "../../lib/sse/event-reader.ts";
import { post, type PostResponse } from "../http/post.ts";
import { describeError } from "../../lib/text/describe-error.ts";
import {
  applyFailure,
  failureOfConnection,
  failureOfErrorObject,
  failureOfResponse,
  isErrorObject,
  shortText,
  type WireFailure,
} from "./errors.ts";
import { type Endpoint, endpointOf } from "./endpoint.ts";
import { ResponseReader } from "./read-response.ts";
import type { RequestBody } from "./conversation.ts";
import { requestBody, toolNamesOf } from "./request.ts";
import { ToolNames } from "./tool-names.ts";

/** Bytes of an error's body that are read. */
const MAX_ERROR_BODY = 64 * 1024;
/** How long an error's body is waited for, in milliseconds. */
const ERROR_BODY_MS = 5000;
/** Characters of one server-sent event. */
const MAX_EVENT = 16 * 1024 * 1024;
/** Bytes of one whole response. */
const MAX_RESPONSE = 256 * 1024 * 1024;
/** Deadline of the first event, and of each next one; milliseconds. Pings do not count. */
const SILENCE_MS = 300_000;
/** How long the end of the body is waited for after the message ended, so that the connection can be used again. */
const DRAIN_MS = 1000;

/**
 * Asks a Claude model. Never throws or rejects. Options of its own: `firstEventTimeoutMs` and `idleTimeoutMs`
 * (milliseconds, 0 for none, 300,000 each). A key that begins with `Bearer ` or `sk-ant-oat` goes out as a bearer token.
 */
export const streamAnthropic: StreamFn = (model, context, options = {}) => {
  const attempt = new Attempt(model, options);
  void attempt.run(context);
  return attempt.stream;
};

class Attempt {
  readonly stream: AssistantMessageStream;
  readonly #events: EventStream<AssistantMessageEvent, AssistantMessage>;
  readonly #model: Model;
  readonly #options: StreamOptions;
  readonly #message: AssistantMessage;
  /** Ends the request and the reading of its body. */
  readonly #socket = new AbortController();
  readonly #begun = performance.now();
  #secrets: readonly string[] = [];
  #names = new ToolNames([]);
  #ended = false;
  #heard = false;
  #heardAt = performance.now();
  #silenceTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #onAbort = (): void => this.#fail({ kind: "aborted", message: "aborted" });

  constructor(model: Model, options: StreamOptions) {
    this.#model = model;
    this.#options = options;
    this.#message = {
      role: "assistant",
      content: [],
      api: model.api,
      provider: model.provider,
      model: model.id,
      usage: emptyUsage(),
      stopReason: "stop",
      timestamp: Date.now(),
    };
    this.#events = new EventStream<AssistantMessageEvent, AssistantMessage>(isLast, messageOf);
    this.stream = this.#events;
  }

  /** Never rejects. */
  async run(context: StreamContext): Promise<void> {
    const { signal } = this.#options;
    if (signal?.aborted) return this.#onAbort();
    signal?.addEventListener("abort", this.#onAbort, { once: true });
    this.#watchSilence();
    try {
      const endpoint = endpointOf(this.#model, this.#options);
      if (!endpoint.ok) return this.#fail({ kind: endpoint.kind, message: endpoint.message });
      this.#secrets = endpoint.secrets;
      const body = requestBody(this.#model, context, this.#options);
      this.#names = toolNamesOf(context);
      await this.#exchange(endpoint, body);
    } catch (error) {
      // A bug of ours is told like everything else: a stream function never rejects.
      this.#fail({ kind: "protocol", message: `The request failed: ${describeError(error)}` });
    }
  }

  async #exchange({ url, headers }: Endpoint, body: RequestBody): Promise<void> {
    try {
      const request = { url, headers, body: body.bytes, signal: this.#socket.signal };
      const response = await post(request).finally(() => body.release());
      if (this.#ended) return;
      if (response.status !== 200) return await this.#readFailure(response, url);
      // Whatever the content type claims: both are found wrong in the field.
      await this.#readStream(response.body, url);
    } catch (error) {
      const failure =
        error instanceof EventTooLong
          ? tooLarge(url.host, "an event")
          : failureOfConnection(error, url);
      this.#fail(failure);
    }
  }

  async #readFailure(response: PostResponse, url: URL): Promise<void> {
    const body = await this.#readHead(response);
    if (this.#ended) return;
    const { status, headers } = response;
    this.#fail(failureOfResponse({ status, headers, host: url.host }, body));
  }

  /** The body's first bytes as text; a body that breaks off counts as what came of it. */
  async #readHead({ body }: PostResponse): Promise<string> {
    const parts: Uint8Array[] = [];
    let size = 0;
    const iterator = body[Symbol.asyncIterator]();
    const giveUp = setTimeout(() => this.#socket.abort(), ERROR_BODY_MS);
    try {
      while (size < MAX_ERROR_BODY) {
        const step = await iterator.next();
        if (step.done === true) break;
        parts.push(step.value);
        size += step.value.length;
      }
    } catch {
      // The status alone says enough.
    } finally {
      clearTimeout(giveUp);
    }
    return textOfHead(parts);
  }

  async #readStream(body: AsyncIterable<Uint8Array>, url: URL): Promise<void> {
    const message = this.#message;
    const response = new ResponseReader({
      message,
      model: this.#model,
      host: url.host,
      names: this.#names,
      push: (event) => this.#push(event),
    });
    let events = 0;
    let atEnd = false;
    const stream = createEventReader({
      maxEventChars: MAX_EVENT,
      onData: (data) => {
        // Some gateways keep the connection open by empty events, and end by the mark of another API.
        if (this.#ended || data === "" || data === "[DONE]") return;
        events++;
        const event = parseEvent(data);
        // The stream broke off within its last event.
        if (!event.ok && atEnd) return;
        if (!event.ok) return this.#fail(brokenEvent(data, url.host));
        if (!isPing(event.value)) this.#hear();
        const step = response.read(event.value);
        if (step.status === "failed") this.#fail(step.failure);
      },
    });
    let size = 0;
    const head: Uint8Array[] = [];
    for await (const value of body) {
      if (this.#ended && !this.#isDone()) return;
      if (this.#ended) continue;
      size += value.length;
      if (size > MAX_RESPONSE) return this.#fail(tooLarge(url.host, "a response"));
      if (events === 0 && size - value.length < MAX_ERROR_BODY) head.push(value);
      stream.push(value);
    }
    if (this.#ended) return;
    atEnd = true;
    // A last event without the empty line behind it is still an event.
    stream.end();
    if (this.#ended) return;
    const start = events === 0 ? textOfHead(head) : "";
    if (/^\s*[{<]/.test(start)) return this.#fail(oddBody(start, url.host));
    this.#fail({
      kind: "truncated",
      message: `${url.host} ended the stream before the message was complete.`,
    });
  }

  #push(event: AssistantMessageEvent): void {
    if (this.#ended) return;
    if (event.type === "done") {
      this.#close();
      // The rest of the body is read, or given up, so that the connection can be used again.
      const giveUp = setTimeout(() => this.#socket.abort(), DRAIN_MS);
      giveUp.unref();
    }
    this.#tell(event);
  }

  /** Deltas that came together and nobody has read yet are told together. */
  #tell(event: AssistantMessageEvent): void {
    const last = this.#events.lastUnread;
    const isNext =
      last !== undefined &&
      "delta" in event &&
      "delta" in last &&
      last.type === event.type &&
      last.contentIndex === event.contentIndex;
    if (isNext) this.#events.replaceLastUnread({ ...event, delta: last.delta + event.delta });
    else this.#events.push(event);
  }

  #isDone(): boolean {
    return this.#ended && this.#message.errorKind === undefined;
  }

  /** Ends the stream, if nothing has yet. Everything that comes later is ignored. */
  #fail(failure: WireFailure): void {
    if (this.#ended) return;
    this.#close();
    applyFailure(this.#message, failure, this.#secrets);
    const reason = failure.kind === "aborted" ? "aborted" : "error";
    this.#events.push({ type: "error", reason, error: this.#message });
    this.#socket.abort();
  }

  #close(): void {
    this.#ended = true;
    this.#message.durationMs = Math.round(performance.now() - this.#begun);
    clearTimeout(this.#silenceTimer);
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
  }

  #hear(): void {
    this.#heardAt = performance.now();
    if (this.#heard) return;
    this.#heard = true;
    this.#watchSilence();
  }

  /** One timer that looks again when it rings: setting one anew for each delta would cost more than the delta. */
  #watchSilence(): void {
    clearTimeout(this.#silenceTimer);
    const option = this.#heard ? this.#options.idleTimeoutMs : this.#options.firstEventTimeoutMs;
    const most = typeof option === "number" && option >= 0 ? option : SILENCE_MS;
    if (most === 0 || most === Number.POSITIVE_INFINITY) return;
    const left = Math.max(1, most - (performance.now() - this.#heardAt));
    this.#silenceTimer = setTimeout(
      () => {
        if (performance.now() - this.#heardAt < most - 1) return this.#watchSilence();
        const what = this.#heard ? "sent nothing more" : "did not begin to answer";
        this.#fail({
          kind: "idle_timeout",
          message: `${this.#model.id} ${what} for ${most / 1000} s.`,
        });
      },
      Math.min(left, MAX_TIMER_MS),
    );
  }
}

/** The first bytes of a body. */
function textOfHead(parts: readonly Uint8Array[]): string {
  return new TextDecoder().decode(Buffer.concat(parts).subarray(0, MAX_ERROR_BODY));
}

/** Longer timers ring at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function parseEvent(data: string): { ok: true; value: unknown } | { ok: false } {
  try {
    return { ok: true, value: JSON.parse(data) as unknown };
  } catch {
    return { ok: false };
  }
}

function isPing(event: unknown): boolean {
  return typeof event === "object" && event !== null && "type" in event && event.type === "ping";
}

function brokenEvent(data: string, host: string): WireFailure {
  const start = shortText(data, 200);
  return { kind: "protocol", message: `${host} sent an event that is no JSON: ${start}` };
}

function tooLarge(host: string, what: string): WireFailure {
  return { kind: "protocol", message: `${host} sent ${what} that is too large to be one.` };
}

/** A body that is no event stream, though the status was 200. */
function oddBody(body: string, host: string): WireFailure {
  const parsed = parseEvent(body);
  if (parsed.ok && isErrorObject(parsed.value)) {
    return { ...failureOfErrorObject(parsed.value, host), status: 200 };
  }
  const start = shortText(body, 200);
  return {
    kind: "protocol",
    message: `${host} answered with something else than a stream: ${start || "nothing"}. Check the base URL.`,
    status: 200,
  };
}

function isLast(event: AssistantMessageEvent): boolean {
  return event.type === "done" || event.type === "error";
}

function messageOf(event: AssistantMessageEvent): AssistantMessage {
  if (event.type === "done") return event.message;
  return event.type === "error" ? event.error : event.partial;
}
