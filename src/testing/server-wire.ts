// What a loopback model server can be told to answer, and what a provider's wire has to supply for it.

/** A call as the model writes it. */
export interface ServerCall {
  /** Made from the request's and the call's number if left out. */
  id?: string;
  name: string;
  args?: Record<string, unknown>;
  /** The argument text in place of `args`: may be broken. */
  rawArguments?: string;
}

export type ServerBlock =
  | { type: "text"; text: string }
  | { type: "thinking"; thinking: string; signature?: string }
  | { type: "redacted"; data: string }
  | ({ type: "call" } & ServerCall);

/** One answer. Without `blocks`, they are `thinking`, `text`, `calls`, in this order. */
export interface ServerTurn {
  text?: string;
  thinking?: string;
  calls?: readonly ServerCall[];
  blocks?: readonly ServerBlock[];
  /** In the wire's own word; what fits the blocks if left out, none at all if `null`. */
  stopReason?: string | null;
  /** Tokens; what is left out is 0. */
  usage?: { input?: number; output?: number; cacheRead?: number; cacheWrite?: number };
  /** Characters of one delta of text, thinking or arguments; a block is one delta if left out. */
  deltaSize?: number;
  /** A ping before every event. */
  pings?: boolean;
  /** Bytes of one packet, so that borders fall anywhere; as it comes if left out. */
  chunkBytes?: number;
  /** Sends only the first so many events. */
  cutAfter?: number;
  /** An error event behind the events. */
  error?: { type: string; message: string };
  /** What happens behind the last byte: the answer ends (`close`), the socket breaks, or nothing at all. */
  end?: "close" | "reset" | "stall";
  /** Takes the request and never answers. */
  silent?: boolean;
  /** 200 if left out. */
  status?: number;
  headers?: Record<string, string>;
  /** The whole answer in place of events; `application/json` unless `headers` say otherwise. */
  body?: string | Uint8Array;
  /** The bytes of the event stream in place of events, a packet each. */
  raw?: readonly (string | Uint8Array)[];
  /** Milliseconds before the headers, and before each event. */
  delayMs?: number;
  eventDelayMs?: number;
  /** Awaited before each event; gets its name. */
  gate?(name: string): Promise<void> | void;
}

/** What a wire's check sees of a request. */
export interface WireRequest {
  method: string;
  path: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: unknown;
}

/** Why a request is refused. */
export interface RequestProblem {
  status: number;
  type: string;
  message: string;
}

/** A provider's wire, seen from the server. */
export interface ServerWire {
  /** What the provider would refuse in this request; nothing if it would take it. */
  check(request: WireRequest): RequestProblem | undefined;
  /** The answer's events in order, each as the bytes to send. */
  events(
    turn: ServerTurn,
    context: { request: WireRequest; index: number },
  ): Iterable<{ name: string; text: string }>;
  errorEvent(error: { type: string; message: string }): string;
  errorBody(type: string, message: string): string;
}

/** The turn's blocks, in order. */
export function blocksOf(turn: ServerTurn): readonly ServerBlock[] {
  if (turn.blocks) return turn.blocks;
  const blocks: ServerBlock[] = [];
  if (turn.thinking !== undefined) blocks.push({ type: "thinking", thinking: turn.thinking });
  if (turn.text !== undefined) blocks.push({ type: "text", text: turn.text });
  for (const call of turn.calls ?? []) blocks.push({ type: "call", ...call });
  return blocks;
}

/** Pieces of `size` characters; a character of two code units is never torn. */
export function* piecesOf(
  text: string,
  size: number = Number.POSITIVE_INFINITY,
): Generator<string> {
  for (let start = 0; start < text.length;) {
    let end = Math.min(text.length, start + Math.max(1, size));
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end++;
    yield text.slice(start, end);
    start = end;
  }
}
