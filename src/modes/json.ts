// JSON mode: one object a line. First the session, then the loop's events as they come, last the result.
import type { Agent, RunEnd } from "../agent/agent.ts";
import type { AgentEvent } from "../core/events.ts";
import { type AssistantMessage, textOf, type UserMessage } from "../core/messages.ts";
import { noTotals, type OutputPort, type RunTotals } from "./output.ts";

/** Changes when a line's shape changes in a way that readers notice. */
export const JSON_LINES_VERSION = 1;

export interface JsonSession {
  sessionId: string;
  cwd: string;
  /** Milliseconds since the epoch. */
  timestamp: number;
}

/** Runs one prompt and writes its lines. */
export async function runJson(
  agent: Agent,
  prompt: UserMessage,
  { port, session }: { port: OutputPort; session: JsonSession },
): Promise<RunEnd> {
  const { sessionId, cwd, timestamp } = session;
  const { provider, id } = agent.state.model;
  const write = (line: object): void => port.out(`${JSON.stringify(line)}\n`);
  const totals = noTotals();
  let text = "";
  const model = { provider, id };
  write({ type: "session", version: JSON_LINES_VERSION, id: sessionId, cwd, model, timestamp });
  const stop = agent.subscribe((event) => {
    if (event.type === "message_end" && event.message.role === "assistant") {
      count(totals, event.message);
      text = textOf(event.message.content);
    }
    write(toLine(event));
  });
  try {
    const end = await agent.prompt(prompt);
    const { reason, cause } = end;
    const { costUsd, ...usage } = totals;
    write({
      type: "result",
      text,
      reason,
      ...(cause ? { cause } : {}),
      usage,
      costUsd,
      sessionId,
    });
    return end;
  } finally {
    stop();
  }
}

/** An event as a line: an update carries only what is new, not the message so far. */
export function toLine(event: AgentEvent): object {
  if (event.type !== "message_update") return event;
  const { assistantMessageEvent } = event;
  if (!("partial" in assistantMessageEvent)) {
    return { type: event.type, assistantMessageEvent: { type: assistantMessageEvent.type } };
  }
  const { partial: _partial, ...step } = assistantMessageEvent;
  return { type: event.type, assistantMessageEvent: step };
}

function count(totals: RunTotals, { usage }: AssistantMessage): void {
  totals.input += usage.input;
  totals.output += usage.output;
  totals.cacheRead += usage.cacheRead;
  totals.cacheWrite += usage.cacheWrite;
  totals.totalTokens += usage.totalTokens;
  totals.costUsd += usage.cost.total;
}
