// Messages typed while the agent runs: steering before the next request, follow-ups where it would stop.
import type { AgentMessage } from "./messages.ts";

export type QueueKind = "steer" | "followUp";

/** How much one delivery takes: the oldest message, or all. */
export type QueueMode = "one-at-a-time" | "all";

export interface QueuedMessage {
  id: string;
  kind: QueueKind;
  message: AgentMessage;
}

/** Waiting messages in the order in which they came; each has an id by which it can be taken out again. */
export class MessageQueue {
  readonly #makeId: () => string;
  readonly #modes: Record<QueueKind, QueueMode>;
  #waiting: QueuedMessage[] = [];

  constructor(makeId: () => string, modes: Partial<Record<QueueKind, QueueMode>> = {}) {
    this.#makeId = makeId;
    this.#modes = { steer: "one-at-a-time", followUp: "one-at-a-time", ...modes };
  }

  get size(): number {
    return this.#waiting.length;
  }

  setMode(kind: QueueKind, mode: QueueMode): void {
    this.#modes[kind] = mode;
  }

  mode(kind: QueueKind): QueueMode {
    return this.#modes[kind];
  }

  add(kind: QueueKind, message: AgentMessage): QueuedMessage {
    const queued: QueuedMessage = { id: this.#makeId(), kind, message };
    this.#waiting.push(queued);
    return queued;
  }

  /** A copy of what waits, oldest first. */
  peek(kind?: QueueKind): QueuedMessage[] {
    return this.#waiting.filter((queued) => kind === undefined || queued.kind === kind);
  }

  /** Removes and gives the newest. */
  takeBack(kind?: QueueKind): QueuedMessage | undefined {
    const newest = this.peek(kind).at(-1);
    return newest && this.remove(newest.id);
  }

  /** Removes and gives the one with this id; undefined if it was delivered or never there. */
  remove(id: string): QueuedMessage | undefined {
    const found = this.#waiting.find((queued) => queued.id === id);
    if (found) this.#waiting = this.#waiting.filter((queued) => queued !== found);
    return found;
  }

  /** Removes and gives all. */
  clear(kind?: QueueKind): QueuedMessage[] {
    const removed = this.peek(kind);
    const gone = new Set(removed);
    this.#waiting = this.#waiting.filter((queued) => !gone.has(queued));
    return removed;
  }

  /** Takes out what is due for delivery. */
  drain(kind: QueueKind): AgentMessage[] {
    const due = this.#modes[kind] === "all" ? this.clear(kind) : this.#takeOldest(kind);
    return due.map((queued) => queued.message);
  }

  #takeOldest(kind: QueueKind): QueuedMessage[] {
    const oldest = this.#waiting.find((queued) => queued.kind === kind);
    return oldest && this.remove(oldest.id) ? [oldest] : [];
  }
}
