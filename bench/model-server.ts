// A model that costs nothing: it plays one scenario per run, looks at nothing but the size of what it is sent, and
// notes when each request came and when each answer ended.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the model asks for in one message; none: the final answer. */
export type Asked = { name: string; input: Record<string, unknown>; deltaSize?: number }[];

export interface Exchange {
  /** When the request was read whole. */
  requestAt: number;
  /** When the answer was handed to the socket whole. */
  answeredAt: number;
  bodyBytes: number;
}

export interface BenchServer {
  url: string;
  /** Starts a run: `turn` counts its requests from 0. */
  begin(ask: (turn: number) => Asked, onRequest?: (turn: number) => void): void;
  exchanges: Exchange[];
  close(): Promise<void>;
}

/** Serves the Anthropic Messages API on loopback. */
export async function startBenchServer(): Promise<BenchServer> {
  let ask: (turn: number) => Asked = () => [];
  let onRequest: ((turn: number) => void) | undefined;
  const exchanges: Exchange[] = [];
  const server = createServer((request, response) => {
    void answer(request, response, {
      exchanges,
      ask: (turn) => ask(turn),
      onRequest: (turn) => onRequest?.(turn),
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    exchanges,
    begin(newAsk, newOnRequest) {
      ask = newAsk;
      onRequest = newOnRequest;
      exchanges.length = 0;
    },
    close: () => closeServer(server),
  };
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

interface Playing {
  exchanges: Exchange[];
  ask(turn: number): Asked;
  onRequest(turn: number): void;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { exchanges, ask, onRequest }: Playing,
): Promise<void> {
  let bodyBytes = 0;
  for await (const chunk of request) bodyBytes += (chunk as Buffer).length;
  if (request.method !== "POST") {
    response.writeHead(404).end();
    return;
  }
  const turn = exchanges.length;
  const exchange = { requestAt: performance.now(), answeredAt: 0, bodyBytes };
  exchanges.push(exchange);
  onRequest(turn);
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const piece of stream(turn, ask(turn))) {
    if (!response.write(piece)) await new Promise((resolve) => response.once("drain", resolve));
  }
  exchange.answeredAt = performance.now();
  response.end();
}

function event(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

/** Small events are joined, so that the server is never what is measured. */
function* stream(turn: number, asked: Asked): Generator<string> {
  const usage = { input_tokens: 100, output_tokens: 1 };
  yield event("message_start", {
    message: {
      id: `m${turn}`,
      type: "message",
      role: "assistant",
      model: "bench",
      content: [],
      usage,
    },
  });
  if (asked.length === 0) {
    yield event("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
    yield event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "done" } });
    yield event("content_block_stop", { index: 0 });
  }
  for (const [index, { name, input, deltaSize }] of asked.entries()) {
    const block = { type: "tool_use", id: `t${turn}_${index}`, name, input: {} };
    yield event("content_block_start", { index, content_block: block });
    const text = JSON.stringify(input);
    const size = deltaSize ?? text.length;
    let joined = "";
    for (let at = 0; at < text.length; at += size) {
      const delta = { type: "input_json_delta", partial_json: text.slice(at, at + size) };
      joined += event("content_block_delta", { index, delta });
      if (joined.length > 60_000) {
        yield joined;
        joined = "";
      }
    }
    yield joined + event("content_block_stop", { index });
  }
  const reason = asked.length === 0 ? "end_turn" : "tool_use";
  yield (
    event("message_delta", { delta: { stop_reason: reason }, usage: { output_tokens: 20 } }) +
    event("message_stop", {})
  );
}
