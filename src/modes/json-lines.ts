// The lines of JSON mode: what each holds. Their JSON Schema lies beside, in json-lines-schema.ts.
import type { AgentEvent, AssistantMessageEvent, EndCause, EndReason } from "../core/events.ts";
import type { Usage } from "../core/messages.ts";

/** Changes when a line's shape changes in a way that readers notice. */
export const JSON_LINES_VERSION = 1;

/** The first line. */
export interface SessionLine {
  type: "session";
  version: typeof JSON_LINES_VERSION;
  id: string;
  cwd: string;
  model: { provider: string; id: string };
  /** Milliseconds since the epoch. */
  timestamp: number;
}

/** The last line. */
export interface ResultLine {
  type: "result";
  /** The text of the last assistant message. */
  text: string;
  reason: EndReason;
  cause?: EndCause;
  /** Tokens of all answers that were kept. */
  usage: Omit<Usage, "cost" | "reasoning">;
  costUsd: number;
  sessionId: string;
}

type Without<T, K extends string> = T extends unknown ? Omit<T, K> : never;

/** A step of a streamed message without the message so far: a reader adds up the deltas, or waits for `message_end`. */
export type StepLine = {
  type: "message_update";
  assistantMessageEvent: Without<AssistantMessageEvent, "partial" | "message" | "error">;
};

/** A line between the first and the last: the loop's events as they come. */
export type EventLine = Exclude<AgentEvent, { type: "message_update" }> | StepLine;

export type JsonLine = SessionLine | EventLine | ResultLine;

/** An event as a line. A streamed message starts empty: its content comes with the updates, and whole at the end. */
export function toLine(event: AgentEvent): EventLine {
  if (event.type === "message_start" && event.message.role === "assistant") {
    return { type: event.type, message: { ...event.message, content: [] } };
  }
  if (event.type !== "message_update") return event;
  const { assistantMessageEvent: step } = event;
  switch (step.type) {
    case "done": {
      const { message: _message, ...told } = step;
      return { type: event.type, assistantMessageEvent: told };
    }
    case "error": {
      const { error: _error, ...told } = step;
      return { type: event.type, assistantMessageEvent: told };
    }
    default: {
      const { partial: _partial, ...told } = step;
      return { type: event.type, assistantMessageEvent: told };
    }
  }
}

/** One line of text with its line break. Control characters of eight bits, which a terminal might obey, are escaped. */
export function lineText(line: JsonLine): string {
  // oxlint-disable-next-line no-control-regex
  const text = JSON.stringify(line).replace(/[\u007f-\u009f]/g, escaped);
  return `${text}\n`;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
