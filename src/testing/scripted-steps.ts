// How a scripted turn's blocks become the events of a stream, one step at a time.
import type { AssistantMessageEvent } from "../core/events.ts";
import type { AssistantMessage, TextContent, ThinkingContent, ToolCall } from "../core/messages.ts";

/** A block as it shall stand in the finished message; a call may carry the text that streams as its arguments. */
export type ScriptedBlock = TextContent | ThinkingContent | (ToolCall & { rawArguments?: string });

/** An event to come: its name for a gate, and what makes it, writing to the live message. */
export interface Step {
  name: string;
  event(): AssistantMessageEvent;
}

/** All events of the blocks, from `start`, without the last one; `deltaSize` in characters, a whole block if left out. */
export function* stepsOf(
  message: AssistantMessage,
  blocks: readonly ScriptedBlock[],
  deltaSize: number = Number.POSITIVE_INFINITY,
): Generator<Step> {
  yield { name: "start", event: () => ({ type: "start", partial: message }) };
  for (const [contentIndex, block] of blocks.entries()) {
    const place = { message, contentIndex, deltaSize };
    if (block.type === "text") yield* textSteps(block, place);
    else if (block.type === "thinking") yield* thinkingSteps(block, place);
    else yield* callSteps(block, place);
  }
}

interface Place {
  message: AssistantMessage;
  contentIndex: number;
  deltaSize: number;
}

function* textSteps(block: TextContent, place: Place): Generator<Step> {
  const { message: partial, contentIndex } = place;
  const live: TextContent = { type: "text", text: "" };
  yield step(place, "text_start", (type) => {
    partial.content.push(live);
    return { type, contentIndex, partial };
  });
  for (const delta of pieces(block.text, place.deltaSize)) {
    yield step(place, "text_delta", (type) => {
      live.text += delta;
      return { type, contentIndex, delta, partial };
    });
  }
  yield step(place, "text_end", (type) => {
    Object.assign(live, block);
    return { type, contentIndex, content: block.text, partial };
  });
}

function* thinkingSteps(block: ThinkingContent, place: Place): Generator<Step> {
  const { message: partial, contentIndex } = place;
  const live: ThinkingContent = { type: "thinking", thinking: "" };
  yield step(place, "thinking_start", (type) => {
    partial.content.push(live);
    return { type, contentIndex, partial };
  });
  for (const delta of pieces(block.thinking, place.deltaSize)) {
    yield step(place, "thinking_delta", (type) => {
      live.thinking += delta;
      return { type, contentIndex, delta, partial };
    });
  }
  yield step(place, "thinking_end", (type) => {
    Object.assign(live, block);
    return { type, contentIndex, content: block.thinking, partial };
  });
}

function* callSteps(block: ToolCall & { rawArguments?: string }, place: Place): Generator<Step> {
  const { message: partial, contentIndex } = place;
  const { rawArguments, ...call } = block;
  const live: ToolCall = { type: "toolCall", id: call.id, name: call.name, arguments: {} };
  yield step(place, "toolcall_start", (type) => {
    partial.content.push(live);
    return { type, contentIndex, partial };
  });
  for (const delta of pieces(rawArguments ?? JSON.stringify(call.arguments), place.deltaSize)) {
    yield step(place, "toolcall_delta", (type) => ({ type, contentIndex, delta, partial }));
  }
  yield step(place, "toolcall_end", (type) => {
    Object.assign(live, call, rawArguments === undefined ? {} : readArguments(rawArguments));
    return { type, contentIndex, toolCall: live, partial };
  });
}

function step<T extends AssistantMessageEvent["type"]>(
  place: Place,
  type: T,
  make: (type: T) => AssistantMessageEvent,
): Step {
  return { name: `${type} ${place.contentIndex}`, event: () => make(type) };
}

/** Pieces of `size` characters; a character of two code units is never torn. */
function* pieces(text: string, size: number): Generator<string> {
  const length = Math.max(1, size);
  for (let start = 0; start < text.length;) {
    let end = Math.min(text.length, start + length);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end++;
    yield text.slice(start, end);
    start = end;
  }
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
