// The run's events, bounded: a caller who only waits for the result must not pay for a million deltas.
import { EventStream } from "../lib/async/event-stream.ts";
import type { AgentEvent, AssistantMessageEvent } from "./events.ts";
import type { AgentMessage } from "./messages.ts";

/** Past this many unread events, neighbouring deltas of a block are joined and updates of a call replaced. */
export const MAX_UNREAD_EVENTS = 1024;

type UpdateEvent = Extract<AgentEvent, { type: "tool_execution_update" }>;
type DeltaEvent = Extract<AssistantMessageEvent, { delta: string }>;

/** Ends with `agent_end`, whose messages are the result. */
export class AgentEventQueue extends EventStream<AgentEvent, AgentMessage[]> {
  // The newest update of each call that still runs, and how many events had been pushed with it.
  readonly #updates = new Map<string, { event: UpdateEvent; position: number }>();

  constructor() {
    super(
      (event) => event.type === "agent_end",
      (event) => (event.type === "agent_end" ? event.messages : []),
    );
  }

  override push(event: AgentEvent): void {
    if (this.unread >= MAX_UNREAD_EVENTS && this.#takesIn(event)) return;
    if (event.type === "tool_execution_end") this.#updates.delete(event.toolCallId);
    super.push(event);
  }

  #takesIn(event: AgentEvent): boolean {
    if (event.type === "tool_execution_update") return this.#replaceUpdate(event);
    if (event.type !== "message_update") return false;
    const last = this.lastUnread;
    if (last?.type !== "message_update") return false;
    const joined = joinDeltas(last.assistantMessageEvent, event.assistantMessageEvent);
    if (!joined) return false;
    this.replaceLastUnread({ ...event, assistantMessageEvent: joined });
    return true;
  }

  /** Past the bound a call has one update in the queue, whose content the newer ones replace. */
  #replaceUpdate(event: UpdateEvent): boolean {
    const queued = this.#updates.get(event.toolCallId);
    const read = this.pushed - this.unread;
    if (queued && queued.position > read) {
      queued.event.partialResult = event.partialResult;
      return true;
    }
    const own = { ...event };
    super.push(own);
    this.#updates.set(event.toolCallId, { event: own, position: this.pushed });
    return true;
  }
}

function joinDeltas(
  last: AssistantMessageEvent,
  next: AssistantMessageEvent,
): DeltaEvent | undefined {
  if (!("delta" in last) || !("delta" in next)) return undefined;
  if (last.type !== next.type || last.contentIndex !== next.contentIndex) return undefined;
  return { ...next, delta: last.delta + next.delta };
}
