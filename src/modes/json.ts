// JSON mode: one object a line. First the session, then the loop's events as they come, last the result.
import type { Agent, RunEnd } from "../agent/agent.ts";
import { AgentEventQueue } from "../core/event-queue.ts";
import { textOf, type UserMessage } from "../core/messages.ts";
import { JSON_LINES_VERSION, lineText, type SessionLine, toLine } from "./json-lines.ts";
import { addUsage, noTotals, type OutputPort } from "./output.ts";

export interface JsonSession {
  sessionId: string;
  cwd: string;
  /** Milliseconds since the epoch. */
  timestamp: number;
}

/**
 * Runs one prompt and writes its lines. A reader who is behind is waited for: meanwhile events queue up, in which
 * neighbouring deltas are joined past a bound. Rejects, without a result line, for a bug of ours.
 */
export async function runJson(
  agent: Agent,
  prompt: UserMessage,
  { port, session }: { port: OutputPort; session: JsonSession },
): Promise<RunEnd> {
  const { sessionId, cwd, timestamp } = session;
  const { provider, id } = agent.state.model;
  const totals = noTotals();
  const queue = new AgentEventQueue();
  let text = "";
  const stop = agent.subscribe((event) => {
    queue.push(event);
    if (event.type !== "message_end") return;
    const { message } = event;
    if (message.role === "assistant") text = textOf(message.content);
    if (message.role === "assistant" || message.role === "toolResult") addUsage(totals, message);
  });
  const told = { type: "session", version: JSON_LINES_VERSION, id: sessionId, cwd } as const;
  const first = { ...told, model: { provider, id }, timestamp };
  const written = writeLines(first, queue, port);
  try {
    const end = await agent.prompt(prompt);
    await written;
    const { reason, cause } = end;
    const { costUsd, ...usage } = totals;
    const last = { text, reason, ...(cause ? { cause } : {}), usage, costUsd, sessionId };
    await port.out(lineText({ type: "result", ...last }));
    return end;
  } finally {
    stop();
    queue.end();
  }
}

async function writeLines(
  first: SessionLine,
  queue: AgentEventQueue,
  port: OutputPort,
): Promise<void> {
  await port.out(lineText(first));
  for await (const event of queue) await port.out(lineText(toLine(event)));
}
