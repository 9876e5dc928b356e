// How finished blocks become the events of a stream, one step at a time and without time of its own.
import type { AssistantMessageEvent } from "../../core/events.ts";
import type {
  AssistantMessage,
  TextContent,
  ThinkingContent,
  ToolCall,
} from "../../core/messages.ts";

/** A block as it shall stand in the finished message; `argumentText` streams in place of a call's arguments as JSON. */
export type StreamedBlock = TextContent | ThinkingContent | (ToolCall & { argumentText?: string });

/** An event to come: its type and block, for instance `text_delta 0`, and what makes it, writing to the live message. */
export interface BlockStep {
  name: string;
  event(): AssistantMessageEvent;
}

/** All events from `start` to the last block's end; `deltaSize` in characters, a whole block if left out. */
export function* stepsOf(
  message: AssistantMessage,
  blocks: readonly StreamedBlock[],
  deltaSize: number = Number.POSITIVE_INFINITY,
): Generator<BlockStep> {
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

function* textSteps(block: TextContent, place: Place): Generator<BlockStep> {
  const { message: partial, contentIndex } = place;
  const live: TextContent = { type: "text", text: "" };
  yield step(contentIndex, "text_start", (type) => {
    partial.content.push(live);
    return { type, contentIndex, partial };
  });
  for (const delta of pieces(block.text, place.deltaSize)) {
    yield step(contentIndex, "text_delta", (type) => {
      live.text += delta;
      return { type, contentIndex, delta, partial };
    });
  }
  yield step(contentIndex, "text_end", (type) => {
    Object.assign(live, block);
    return { type, contentIndex, content: block.text, partial };
  });
}

function* thinkingSteps(block: ThinkingContent, place: Place): Generator<BlockStep> {
  const { message: partial, contentIndex } = place;
  const live: ThinkingContent = { type: "thinking", thinking: "" };
  yield step(contentIndex, "thinking_start", (type) => {
    partial.content.push(live);
    return { type, contentIndex, partial };
  });
  for (const delta of pieces(block.thinking, place.deltaSize)) {
    yield step(contentIndex, "thinking_delta", (type) => {
      live.thinking += delta;
      return { type, contentIndex, delta, partial };
    });
  }
  yield step(contentIndex, "thinking_end", (type) => {
    Object.assign(live, block);
    return { type, contentIndex, content: block.thinking, partial };
  });
}

function* callSteps(
  { argumentText, ...call }: ToolCall & { argumentText?: string },
  place: Place,
): Generator<BlockStep> {
  const { message: partial, contentIndex } = place;
  const live: ToolCall = { type: "toolCall", id: call.id, name: call.name, arguments: {} };
  yield step(contentIndex, "toolcall_start", (type) => {
    partial.content.push(live);
    return { type, contentIndex, partial };
  });
  for (const delta of pieces(argumentText ?? JSON.stringify(call.arguments), place.deltaSize)) {
    yield step(contentIndex, "toolcall_delta", (type) => ({ type, contentIndex, delta, partial }));
  }
  yield step(contentIndex, "toolcall_end", (type) => {
    Object.assign(live, call);
    return { type, contentIndex, toolCall: live, partial };
  });
}

function step<T extends AssistantMessageEvent["type"]>(
  contentIndex: number,
  type: T,
  make: (type: T) => AssistantMessageEvent,
): BlockStep {
  return { name: `${type} ${contentIndex}`, event: () => make(type) };
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
