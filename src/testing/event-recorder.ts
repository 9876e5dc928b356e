// Whole event sequences, kept and made short enough to compare in a test.
import type { AgentEvent, AssistantMessageEvent } from "../core/events.ts";
import type { AgentMessage } from "../core/messages.ts";

export interface Recording<E, R> {
  /** Grows while the stream is read. */
  readonly events: readonly E[];
  /** The stream's result, once every event was read. Rejects as the stream does. */
  readonly result: Promise<R>;
}

/** Reads a stream to its end and keeps every event. */
export function recordEvents<E, R>(
  stream: AsyncIterable<E> & { result(): Promise<R> },
): Recording<E, R> {
  const events: E[] = [];
  const read = async (): Promise<R> => {
    for await (const event of stream) events.push(event);
    return stream.result();
  };
  const result = read();
  // A test that looks at the events alone is no unhandled rejection.
  result.catch(() => {});
  return { events, result };
}

/**
 * One short line an event, for instance `tool_execution_start c1 read` or `message_end toolResult c1 ok`. Events of a
 * model's stream work too. The loop's `message_update`s are left out unless asked for, since how a text is cut into
 * deltas is rarely the point.
 */
export function describeEvents(
  events: readonly (AgentEvent | AssistantMessageEvent)[],
  options: { updates?: boolean } = {},
): string[] {
  return events
    .filter((event) => options.updates || event.type !== "message_update")
    .map(describeEvent);
}

function describeEvent(event: AgentEvent | AssistantMessageEvent): string {
  switch (event.type) {
    case "message_start":
      return `${event.type} ${describeMessage(event.message)}`;
    case "message_end":
      return `${event.type} ${describeMessage(event.message)}${outcome(event.message)}`;
    case "message_update":
      return `${event.type} ${describeEvent(event.assistantMessageEvent)}`;
    case "tool_execution_start":
      return `${event.type} ${event.toolCallId} ${event.toolName}`;
    case "tool_execution_update":
      return `${event.type} ${event.toolCallId}`;
    case "tool_execution_end":
      return `${event.type} ${event.toolCallId} ${event.isError ? "error" : "ok"}`;
    case "turn_end":
      return `${event.type} ${event.toolResults.length}`;
    case "agent_end":
      return `${event.type} ${event.reason}`;
    case "request_retry":
      return `${event.type} ${event.attempt} ${event.delayMs}`;
    case "text_start":
    case "thinking_start":
    case "toolcall_start":
      return `${event.type} ${event.contentIndex}`;
    case "text_delta":
    case "thinking_delta":
    case "toolcall_delta":
      return `${event.type} ${event.contentIndex} ${JSON.stringify(event.delta)}`;
    case "text_end":
    case "thinking_end":
      return `${event.type} ${event.contentIndex} ${JSON.stringify(event.content)}`;
    case "toolcall_end":
      return `${event.type} ${event.contentIndex} ${event.toolCall.id} ${event.toolCall.name}`;
    case "done":
      return `${event.type} ${event.reason}`;
    case "error":
      return `${event.type} ${event.reason} ${event.error.errorMessage ?? ""}`.trimEnd();
    case "agent_start":
    case "turn_start":
    case "start":
      return event.type;
    default:
      return unknownEvent(event);
  }
}

/** Event types may grow. */
function unknownEvent(event: never): string {
  return String((event as { type?: unknown }).type);
}

function describeMessage(message: AgentMessage): string {
  return message.role === "toolResult" ? `${message.role} ${message.toolCallId}` : message.role;
}

function outcome(message: AgentMessage): string {
  if (message.role === "assistant") return ` ${message.stopReason}`;
  if (message.role === "toolResult") return message.isError ? " error" : " ok";
  return "";
}
