// Finds a model that goes in circles: equal calls that get equal results.
// Calls of one message count once, a changed result starts anew, and so does every count once something new was
// written: the same test run after another edit is work, not a circle.
import { canonicalJson } from "../lib/json/canonical-json.ts";
import { fingerprint } from "../lib/text/fingerprint.ts";
import type { ToolResultMessage } from "./messages.ts";

/** At this many equal calls with equal results the run ends, if the config does not say. */
export const DEFAULT_REPEATED_CALLS = 5;
/** The model is told this many before the end. */
const TOLD_BEFORE_END = 2;
/** How many different calls are remembered; the oldest are forgotten first. */
const MAX_REMEMBERED = 4096;

/** A call as the detector sees it. */
export interface SeenCall {
  toolName: string;
  args: unknown;
  content: ToolResultMessage["content"];
  isError: boolean;
  /** It ran and may have changed something. */
  wrote: boolean;
}

interface Memory {
  result: string;
  count: number;
  /** The message in which it was last counted. */
  turn: number;
}

/** Counts equal calls over a run. */
export class RepeatedCalls {
  readonly #endAt: number;
  readonly #seen = new Map<string, Memory>();
  #end: { toolName: string; count: number } | undefined;

  /** `endAt` 0 turns it off. */
  constructor(endAt: number = DEFAULT_REPEATED_CALLS) {
    this.#endAt = endAt > 0 ? endAt : Number.POSITIVE_INFINITY;
  }

  /** Counts a call of the message `turn`; gives the note for the model when it is time for one. */
  count(call: SeenCall, turn: number): string | undefined {
    const key = `${call.toolName} ${fingerprint(canonicalJson(call.args))}`;
    const result = `${call.isError} ${contentFingerprint(call.content)}`;
    const before = this.#seen.get(key);
    const repeats = before?.result === result;
    if (!repeats && call.wrote) this.#seen.clear();
    let count = 1;
    if (repeats) count = before.turn === turn ? before.count : before.count + 1;
    this.#remember(key, { result, count, turn });
    if (count >= this.#endAt) this.#end ??= { toolName: call.toolName, count };
    if (count !== Math.max(2, this.#endAt - TOLD_BEFORE_END)) return undefined;
    return `[This exact call has now given this exact result ${count} times. Repeating it will not change anything: use what you have, or do something else. The run ends at ${this.#endAt} repeats.]`;
  }

  /** Forgets everything: the model no longer sees the earlier results. */
  clear(): void {
    this.#seen.clear();
  }

  /** The sentence for the run's end, once a call was repeated too often. */
  get ended(): string | undefined {
    if (!this.#end) return undefined;
    return `The model made the same call of ${this.#end.toolName} ${this.#end.count} times and got the same result each time (limit repeatedCalls: ${this.#endAt}).`;
  }

  #remember(key: string, memory: Memory): void {
    this.#seen.delete(key);
    this.#seen.set(key, memory);
    if (this.#seen.size <= MAX_REMEMBERED) return;
    const oldest = this.#seen.keys().next().value;
    if (oldest !== undefined) this.#seen.delete(oldest);
  }
}

function contentFingerprint(content: ToolResultMessage["content"]): string {
  return content
    .map((block) => `${block.type} ${fingerprint(block.type === "text" ? block.text : block.data)}`)
    .join(" ");
}
