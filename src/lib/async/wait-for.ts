// The one way to wait for code that is not ours: it may throw, hang, or be deaf to its signal.
import type { Stopper } from "./stopper.ts";

/** Calls `f` once after `ms` milliseconds; returns how to take that back. */
export interface TimerPort {
  set(ms: number, f: () => void): () => void;
}

/** How a wait ended. `left` means that the work may still go on; nobody listens to it any more. */
export type Waited<T> =
  | { status: "done"; value: T }
  | { status: "failed"; error: unknown }
  | { status: "left"; by: "stop" | "deadline" };

export interface WaitBounds {
  timers: TimerPort;
  stop?: Stopper;
  /** How long after the stop the work is still waited for. Counted from the stop, not from this wait's begin. */
  graceMs: number;
  /** Left out or 0: none. */
  deadlineMs?: number;
}

/** Runs `work` and waits for it within the bounds. Never rejects. */
export function waitFor<T>(work: () => T | PromiseLike<T>, bounds: WaitBounds): Promise<Waited<T>> {
  let started: T | PromiseLike<T>;
  try {
    started = work();
  } catch (error) {
    return Promise.resolve({ status: "failed", error });
  }
  if (!isThenable(started)) return Promise.resolve({ status: "done", value: started });
  return raceBounds(started, bounds);
}

function raceBounds<T>(work: PromiseLike<T>, bounds: WaitBounds): Promise<Waited<T>> {
  const { timers, stop, graceMs, deadlineMs } = bounds;
  return new Promise((resolve) => {
    const undo: (() => void)[] = [];
    const settle = (waited: Waited<T>): void => {
      for (const step of undo) step();
      resolve(waited);
    };
    const startGrace = (): void => {
      const left = graceMs - (stop?.stoppedForMs ?? 0);
      if (left <= 0) return settle({ status: "left", by: "stop" });
      undo.push(timers.set(left, () => settle({ status: "left", by: "stop" })));
    };
    if (stop?.stopped) startGrace();
    else if (stop) {
      stop.signal.addEventListener("abort", startGrace, { once: true });
      undo.push(() => stop.signal.removeEventListener("abort", startGrace));
    }
    if (deadlineMs) {
      undo.push(timers.set(deadlineMs, () => settle({ status: "left", by: "deadline" })));
    }
    work.then(
      (value) => settle({ status: "done", value }),
      (error: unknown) => settle({ status: "failed", error }),
    );
  });
}

function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as { then?: unknown }).then === "function"
  );
}

/** Waits `ms`, or less if the stop comes first; says whether the time was waited out. */
export function sleep(ms: number, timers: TimerPort, stop?: Stopper): Promise<boolean> {
  if (stop?.stopped) return Promise.resolve(false);
  return new Promise((resolve) => {
    const onStop = (): void => {
      cancel();
      resolve(false);
    };
    const cancel = timers.set(ms, () => {
      stop?.signal.removeEventListener("abort", onStop);
      resolve(true);
    });
    stop?.signal.addEventListener("abort", onStop, { once: true });
  });
}
