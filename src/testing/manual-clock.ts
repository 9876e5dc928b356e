// Time that moves only when a test says so, and ids that count.
import { setImmediate as nextRound } from "node:timers/promises";
import type { Clock, Ids, Timers } from "../core/config.ts";

export interface ManualClock {
  clock: Clock;
  timers: Timers;
  /** How many timers wait. */
  readonly pending: number;
  /**
   * Moves the time on by `ms` milliseconds and fires what falls due, in order of due time, then of setting; everything
   * that can go on without time does so before, between and after. Rejects with what a timer's function throws.
   */
  advance(this: void, ms: number): Promise<void>;
}

interface Timer {
  due: number;
  fire: () => void;
  waits: boolean;
}

/** A clock that stands at `startMs` (milliseconds since the epoch); its monotonic time starts at 0. */
export function createManualClock(startMs: number = 0): ManualClock {
  let elapsed = 0;
  // Sorted by due time; a timer that was taken back stays until its turn comes.
  const queue: Timer[] = [];
  let pending = 0;

  const set = (ms: number, fire: () => void): (() => void) => {
    const timer: Timer = { due: elapsed + (ms > 0 ? ms : 0), fire, waits: true };
    queue.splice(placeFor(queue, timer.due), 0, timer);
    pending++;
    return () => {
      if (!timer.waits) return;
      timer.waits = false;
      pending--;
    };
  };

  const takeDue = (until: number): Timer | undefined => {
    for (;;) {
      const first = queue[0];
      if (!first || first.due > until) return undefined;
      queue.shift();
      if (first.waits) return first;
    }
  };

  return {
    clock: { now: () => startMs + elapsed, monotonic: () => elapsed },
    timers: { set },
    get pending() {
      return pending;
    },
    advance: async (ms) => {
      const until = elapsed + (ms > 0 ? ms : 0);
      await nextRound();
      for (let timer = takeDue(until); timer; timer = takeDue(until)) {
        elapsed = Math.max(elapsed, timer.due);
        timer.waits = false;
        pending--;
        timer.fire();
        await nextRound();
      }
      elapsed = Math.max(elapsed, until);
    },
  };
}

/** Behind every timer that is due no later. */
function placeFor(queue: readonly Timer[], due: number): number {
  let low = 0;
  let high = queue.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((queue[middle]?.due ?? 0) <= due) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Ids that count per kind: `run-1`, `run-2`, `session-1`. */
export function createIds(): Ids {
  const counts = new Map<string, number>();
  return (kind) => {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return `${kind}-${count}`;
  };
}
