// The Messages API from the server's side: https://docs.anthropic.com/en/api/messages-streaming
import { checkAnthropicRequest } from "./anthropic-check.ts";
import {
  blocksOf,
  piecesOf,
  type ServerBlock,
  type ServerTurn,
  type ServerWire,
} from "./server-wire.ts";

/** Speaks the Anthropic wire, and refuses what the API would refuse. */
export const anthropicWire: ServerWire = {
  check: checkAnthropicRequest,
  events: anthropicEvents,
  errorEvent: (error) => sse({ type: "error", error }).text,
  errorBody: (type, message) => JSON.stringify({ type: "error", error: { type, message } }),
};

interface WireEvent {
  name: string;
  text: string;
}

function sse(event: { type: string; [member: string]: unknown }): WireEvent {
  return { name: event.type, text: `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n` };
}

function* anthropicEvents(
  turn: ServerTurn,
  { request, index }: Parameters<ServerWire["events"]>[1],
): Generator<WireEvent> {
  for (const event of plainEvents(turn, request.body, index)) {
    if (turn.pings) yield sse({ type: "ping" });
    yield event;
  }
}

function* plainEvents(turn: ServerTurn, body: unknown, index: number): Generator<WireEvent> {
  const { usage = {}, deltaSize } = turn;
  const blocks = blocksOf(turn);
  yield sse({
    type: "message_start",
    message: {
      id: `msg_${index + 1}`,
      type: "message",
      role: "assistant",
      model: (body as { model?: unknown } | null)?.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: usage.input ?? 0,
        cache_creation_input_tokens: usage.cacheWrite ?? 0,
        cache_read_input_tokens: usage.cacheRead ?? 0,
        output_tokens: 1,
      },
    },
  });
  let calls = 0;
  for (const [at, block] of blocks.entries()) {
    const id = block.type === "call" ? `toolu_${index + 1}_${++calls}` : "";
    yield sse({ type: "content_block_start", index: at, content_block: startOf(block, id) });
    for (const delta of deltasOf(block, deltaSize)) {
      yield sse({ type: "content_block_delta", index: at, delta });
    }
    yield sse({ type: "content_block_stop", index: at });
  }
  const fitting = calls > 0 ? "tool_use" : "end_turn";
  yield sse({
    type: "message_delta",
    delta: {
      stop_reason: turn.stopReason === undefined ? fitting : turn.stopReason,
      stop_sequence: null,
    },
    usage: { output_tokens: usage.output ?? 0 },
  });
  yield sse({ type: "message_stop" });
}

function startOf(block: ServerBlock, id: string): Record<string, unknown> {
  switch (block.type) {
    case "text":
      return { type: "text", text: "" };
    case "thinking":
      return { type: "thinking", thinking: "", signature: "" };
    case "redacted":
      return { type: "redacted_thinking", data: block.data };
    case "call":
      return { type: "tool_use", id: block.id ?? id, name: block.name, input: {} };
    default:
      return block satisfies never;
  }
}

function* deltasOf(
  block: ServerBlock,
  size: number | undefined,
): Generator<Record<string, unknown>> {
  switch (block.type) {
    case "text":
      for (const text of piecesOf(block.text, size)) yield { type: "text_delta", text };
      return;
    case "thinking":
      for (const thinking of piecesOf(block.thinking, size)) {
        yield { type: "thinking_delta", thinking };
      }
      yield { type: "signature_delta", signature: block.signature ?? DEFAULT_SIGNATURE };
      return;
    case "redacted":
      return;
    case "call": {
      const text = block.rawArguments ?? JSON.stringify(block.args ?? {});
      // As the API does: an empty piece first.
      yield { type: "input_json_delta", partial_json: "" };
      for (const piece of piecesOf(text, size)) {
        yield { type: "input_json_delta", partial_json: piece };
      }
      return;
    }
    default:
      block satisfies never;
  }
}

const DEFAULT_SIGNATURE = "c2lnbmF0dXJl";
