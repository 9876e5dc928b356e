// A model server on 127.0.0.1 that speaks a provider's wire byte by byte from a script, and checks what it is asked as
// strictly as the provider would. For tests of everything that ends in a real socket.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropicWire } from "./anthropic-wire.ts";
import type { ServerTurn, ServerWire, WireRequest } from "./server-wire.ts";

/** One request as it came. `body` is the parsed JSON, or the text where it is none. */
export interface ServedRequest extends WireRequest {
  method: string;
  path: string;
  /** The body's bytes as text. */
  text: string;
  /** When the exchange is over, whoever ended it; says whether the answer was sent whole. */
  closed: Promise<"whole" | "cut">;
}

/** A turn, or how to make one; counted from 0 over the server's requests. */
export type ServerScript =
  | { turns: readonly ServerTurn[] }
  | { respond(request: ServedRequest, index: number): ServerTurn | Promise<ServerTurn> };

export type ModelServerOptions = ServerScript & {
  /** The Anthropic wire if left out. */
  wire?: ServerWire;
  /** `lenient` leaves the check of requests out; `strict` if left out. */
  requests?: "strict" | "lenient";
};

export interface ModelServer {
  /** `http://127.0.0.1:PORT`, without a slash at its end. */
  url: string;
  /** Every request so far, refused ones too. */
  requests: ServedRequest[];
  /** Ends every connection. */
  close(): Promise<void>;
}

/** Starts on a free port. A request that the wire refuses, or that the script has no turn for, gets an error status. */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const requests: ServedRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    void serve(incoming, outgoing, { options, requests });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests, close: () => close(server) };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

interface Serving {
  options: ModelServerOptions;
  requests: ServedRequest[];
}

async function serve(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { options, requests }: Serving,
): Promise<void> {
  const wire = options.wire ?? anthropicWire;
  const exchange = new Exchange(outgoing);
  try {
    const request = { ...(await readRequest(incoming)), closed: exchange.closed };
    const index = requests.push(request) - 1;
    const problem = options.requests === "lenient" ? undefined : wire.check(request);
    if (problem) {
      const { status, type, message } = problem;
      const body = wire.errorBody(type, message);
      return await exchange.play({ status, body }, [], wire);
    }
    const turn = await turnOf(options, request, index);
    await exchange.play(turn, wire.events(turn, { request, index }), wire);
  } catch (error) {
    // A script that throws is told where it can be seen: in the answer.
    const message = `The server's script failed: ${String(error)}`;
    await exchange.play({ status: 500, body: wire.errorBody("api_error", message) }, [], wire);
  }
}

function turnOf(
  options: ModelServerOptions,
  request: ServedRequest,
  index: number,
): ServerTurn | Promise<ServerTurn> {
  if ("respond" in options) return options.respond(request, index);
  const turn = options.turns[index];
  if (turn) return turn;
  const wire = options.wire ?? anthropicWire;
  const message = `The script has no turn for request ${index + 1}: it holds ${options.turns.length}.`;
  return { status: 400, body: wire.errorBody("invalid_request_error", message) };
}

async function readRequest(incoming: IncomingMessage): Promise<Omit<ServedRequest, "closed">> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString();
  let body: unknown = text;
  try {
    body = JSON.parse(text) as unknown;
  } catch {
    // Stays text; the wire's check says so.
  }
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) headers[name] = String(value);
  return { method: incoming.method ?? "", path: incoming.url ?? "", headers, body, text };
}

/** Bytes of one write. */
const WRITE_SIZE = 64 * 1024;

/** One answer under way: stops when the client leaves. */
class Exchange {
  readonly closed: Promise<"whole" | "cut">;
  readonly #outgoing: ServerResponse;

  constructor(outgoing: ServerResponse) {
    this.#outgoing = outgoing;
    outgoing.on("error", () => {});
    this.closed = new Promise((resolve) => {
      outgoing.once("close", () => resolve(outgoing.writableFinished ? "whole" : "cut"));
    });
  }

  async play(
    turn: ServerTurn,
    events: Iterable<{ name: string; text: string }>,
    wire: ServerWire,
  ): Promise<void> {
    if (this.#outgoing.headersSent) return void this.#outgoing.destroy();
    await this.#wait(turn.delayMs);
    if (turn.silent) return;
    const isWhole = turn.body !== undefined;
    this.#outgoing.socket?.setNoDelay(true);
    this.#outgoing.writeHead(turn.status ?? 200, {
      "content-type": isWhole ? "application/json" : "text/event-stream; charset=utf-8",
      ...turn.headers,
    });
    this.#outgoing.flushHeaders();
    if (isWhole) await this.#write([turn.body ?? ""], turn);
    else if (turn.raw) await this.#write(turn.raw, turn);
    else await this.#playEvents(turn, events, wire);
    await this.#end(turn);
  }

  async #end(turn: ServerTurn): Promise<void> {
    switch (turn.end) {
      case "reset":
        await flushed(this.#outgoing);
        this.#outgoing.socket?.resetAndDestroy();
        return;
      case "stall":
        // Until the client leaves, or the server is closed.
        await this.closed;
        return;
      case "close":
      case undefined:
        this.#outgoing.end();
        return;
      default:
        turn.end satisfies never;
    }
  }

  async #playEvents(
    turn: ServerTurn,
    events: Iterable<{ name: string; text: string }>,
    wire: ServerWire,
  ): Promise<void> {
    const { cutAfter = Number.POSITIVE_INFINITY, gate, eventDelayMs } = turn;
    const stepwise = gate !== undefined || eventDelayMs !== undefined;
    let parts: string[] = [];
    let size = 0;
    let sent = 0;
    for (const { name, text } of events) {
      if (sent >= cutAfter || this.#left) break;
      sent++;
      await gate?.(name);
      await this.#wait(eventDelayMs);
      parts.push(text);
      size += text.length;
      if (!stepwise && size < WRITE_SIZE) continue;
      await this.#write([parts.join("")], turn);
      parts = [];
      size = 0;
    }
    if (turn.error) parts.push(wire.errorEvent(turn.error));
    await this.#write([parts.join("")], turn);
  }

  async #write(chunks: readonly (string | Uint8Array)[], turn: ServerTurn): Promise<void> {
    for (const chunk of chunks) {
      const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
      const step = turn.chunkBytes ?? Math.max(1, bytes.length);
      for (let at = 0; at < bytes.length && !this.#left; at += step) {
        const ready = this.#outgoing.write(bytes.subarray(at, at + step));
        if (!ready) await this.#drained();
        // Lets each piece become a packet of its own.
        else if (turn.chunkBytes !== undefined || chunks.length > 1) await nextTick();
      }
    }
  }

  get #left(): boolean {
    return this.#outgoing.destroyed || this.#outgoing.closed;
  }

  async #drained(): Promise<void> {
    const drain = Promise.withResolvers<void>();
    this.#outgoing.once("drain", drain.resolve);
    await Promise.race([drain.promise, this.closed]);
    this.#outgoing.off("drain", drain.resolve);
  }

  async #wait(ms: number | undefined): Promise<void> {
    if (ms === undefined || this.#left) return;
    const waited = Promise.withResolvers<void>();
    const timer = setTimeout(waited.resolve, ms);
    await Promise.race([waited.promise, this.closed]);
    clearTimeout(timer);
  }
}

function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function flushed(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => outgoing.write("", () => resolve()));
}
