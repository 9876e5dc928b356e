// One POST over node's own http client. Against the platform's fetch it starts in a third of the time, costs half as
// much per request, and copies no body: docs/decisions/0004-http-client.md has the figures.
import type { IncomingMessage, RequestOptions } from "node:http";
import type { Readable } from "node:stream";
import { abortError } from "../../lib/async/stopper.ts";

/** What is sent. The body must stay as it is until the answer begins. */
export interface PostRequest {
  url: URL;
  headers: Headers;
  body: Uint8Array;
  /** Ends the request, and the reading of its answer. */
  signal: AbortSignal;
}

/** The answer's head, and its body as it comes. Redirects are answers like others. */
export interface PostResponse {
  status: number;
  headers: Headers;
  body: AsyncIterable<Uint8Array>;
}

interface Client {
  request(
    url: URL,
    options: RequestOptions,
    onResponse: (response: IncomingMessage) => void,
  ): import("node:http").ClientRequest;
  agent: import("node:http").Agent;
}

const clients = new Map<string, Promise<Client>>();

/**
 * Connections are kept and used again. Proxies are those of the environment, where this node can use them; a server on
 * this machine is never asked through one.
 */
function clientFor({ protocol, hostname }: URL): Promise<Client> {
  const isLocal = LOOPBACK.test(hostname);
  const key = `${protocol}${isLocal ? "local" : ""}`;
  let client = clients.get(key);
  if (!client) {
    client = loadClient(protocol === "https:", isLocal ? {} : { proxyEnv: process.env });
    clients.set(key, client);
  }
  return client;
}

const LOOPBACK = /^(?:localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

async function loadClient(
  isSecure: boolean,
  proxy: { proxyEnv?: NodeJS.ProcessEnv },
): Promise<Client> {
  const { Agent, request } = isSecure ? await import("node:https") : await import("node:http");
  return { request, agent: new Agent({ keepAlive: true, ...proxy }) };
}

/** Sends, and resolves with the answer's head. Rejects with node's own error for a connection that fails. */
export async function post(request: PostRequest): Promise<PostResponse> {
  const client = await clientFor(request.url);
  try {
    return await send(client, request);
  } catch (error) {
    // The server had closed a kept connection: it has seen nothing of this request.
    if (!(error instanceof StaleConnection)) throw error;
    return send(client, request);
  }
}

class StaleConnection extends Error {}

function send(client: Client, { url, headers, body, signal }: PostRequest): Promise<PostResponse> {
  return new Promise((resolve, reject) => {
    const options = {
      method: "POST",
      agent: client.agent,
      headers: { ...Object.fromEntries(headers), "content-length": String(body.length) },
    };
    let answered = false;
    const outgoing = client.request(url, options, (incoming) => {
      answered = true;
      // Whoever reads the body hears of its errors; after the last byte nobody does.
      incoming.on("error", () => {});
      incoming.once("close", () => signal.removeEventListener("abort", stop));
      toResponse(incoming).then(resolve, reject);
    });
    // Without an error: one that reaches a socket between two requests would find nobody.
    const stop = (): void => {
      outgoing.destroy();
    };
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      if (!answered) signal.removeEventListener("abort", stop);
      const isStale = outgoing.reusedSocket && error.code === "ECONNRESET" && !answered;
      if (signal.aborted) reject(abortError("the request was ended"));
      else reject(isStale ? new StaleConnection(error.message, { cause: error }) : error);
    });
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    outgoing.end(body);
  });
}

async function toResponse(incoming: IncomingMessage): Promise<PostResponse> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  const body = await decoded(incoming, headers.get("content-encoding") ?? "");
  return { status: incoming.statusCode ?? 0, headers, body: chunksOf(body) };
}

/** We do not ask for compression; a gateway may do it all the same. */
async function decoded(incoming: IncomingMessage, encoding: string): Promise<Readable> {
  const kind = encoding.trim().toLowerCase();
  if (!["gzip", "x-gzip", "deflate", "br", "zstd"].includes(kind)) return incoming;
  const zlib = await import("node:zlib");
  const { pipeline } = await import("node:stream");
  const decoder =
    kind === "br"
      ? zlib.createBrotliDecompress()
      : kind === "zstd"
        ? zlib.createZstdDecompress()
        : zlib.createUnzip();
  return pipeline(incoming, decoder, () => {
    // Told to whoever reads the decoder.
  });
}

/** Chunks that wait for the reader; beyond, the server waits. */
const MAX_WAITING = 64;

/** The chunks as they come. Node's own iterator joins what waits and costs several times as much. */
function chunksOf(stream: Readable): AsyncIterable<Uint8Array> {
  const waiting: Uint8Array[] = [];
  let wake = (): void => {};
  let end: { error?: Error } | undefined;
  const finish = (error?: Error): void => {
    end ??= error ? { error } : {};
    wake();
  };
  stream.on("error", finish);
  stream.once("end", () => finish());
  stream.once("close", () => finish(new Error("the connection was closed")));
  async function* read(): AsyncGenerator<Uint8Array> {
    stream.on("data", (chunk: Uint8Array) => {
      waiting.push(chunk);
      if (waiting.length >= MAX_WAITING) stream.pause();
      wake();
    });
    try {
      while (waiting.length > 0 || !end) {
        const chunk = waiting.shift();
        if (chunk) yield chunk;
        else {
          const woken = Promise.withResolvers<void>();
          wake = woken.resolve;
          stream.resume();
          await woken.promise;
        }
      }
      if (end.error) throw end.error;
    } finally {
      if (!end) stream.destroy();
    }
  }
  return read();
}
