// The machine's clock, timers and ids, for the loop that has none of its own.
import { randomUUID } from "node:crypto";
import type { Clock, Ids, Timers } from "../core/config.ts";

/** The longest wait that the platform's timers keep; longer ones are waited for in parts. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

export const systemTimers: Timers = {
  set(ms, f) {
    let timer: NodeJS.Timeout;
    const wait = (left: number): void => {
      timer =
        left > MAX_TIMER_MS
          ? setTimeout(() => wait(left - MAX_TIMER_MS), MAX_TIMER_MS)
          : setTimeout(f, left);
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
};

export const systemIds: Ids = (kind) => `${kind}_${randomUUID()}`;
