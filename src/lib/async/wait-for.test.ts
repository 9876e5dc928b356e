import assert from "node:assert/strict";
import { test } from "node:test";
import { abortError, Stopper } from "./stopper.ts";
import { sleep, type TimerPort, waitFor } from "./wait-for.ts";

/** A clock that moves only when the test says so. */
function manualTime(): TimerPort & { now(): number; advance(ms: number): void; pending(): number } {
  let now = 0;
  const timers = new Set<{ at: number; f: () => void }>();
  return {
    now: () => now,
    pending: () => timers.size,
    set(ms, f) {
      const timer = { at: now + ms, f };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      now += ms;
      for (const timer of Array.from(timers)) {
        if (timer.at > now || !timers.delete(timer)) continue;
        timer.f();
      }
    },
  };
}

const never = (): Promise<never> => new Promise(() => {});

test("work that gives a value at once is done without a timer", async () => {
  const time = manualTime();
  const waited = await waitFor(() => 5, { timers: time, graceMs: 1, deadlineMs: 10 });
  assert.deepEqual(waited, { status: "done", value: 5 });
  assert.equal(time.pending(), 0);
});

test("work that throws or rejects has failed", async () => {
  const timers = manualTime();
  const thrown = await waitFor(
    () => {
      throw 7;
    },
    { timers, graceMs: 1 },
  );
  assert.deepEqual(thrown, { status: "failed", error: 7 });
  const rejected = await waitFor(() => Promise.reject(8), { timers, graceMs: 1 });
  assert.deepEqual(rejected, { status: "failed", error: 8 });
});

test("work past its deadline is left behind, and its late end disturbs nobody", async () => {
  const time = manualTime();
  const late = Promise.withResolvers<number>();
  const waiting = waitFor(() => late.promise, { timers: time, graceMs: 1, deadlineMs: 100 });
  time.advance(100);
  assert.deepEqual(await waiting, { status: "left", by: "deadline" });
  late.reject(new Error("late"));
  await new Promise((resolve) => setImmediate(resolve));
});

test("after a stop the work has its grace, and what ends within it counts", async () => {
  const time = manualTime();
  const stop = new Stopper(time.now);
  const work = Promise.withResolvers<string>();
  const waiting = waitFor(() => work.promise, { timers: time, stop, graceMs: 750 });
  stop.stop(abortError("enough"));
  time.advance(749);
  work.resolve("in time");
  assert.deepEqual(await waiting, { status: "done", value: "in time" });
  assert.equal(time.pending(), 0);
});

test("the grace is shared: a wait that begins after the stop has only what is left of it", async () => {
  const time = manualTime();
  const stop = new Stopper(time.now);
  stop.stop(abortError("enough"));
  time.advance(700);
  const waiting = waitFor(never, { timers: time, stop, graceMs: 750 });
  time.advance(50);
  assert.deepEqual(await waiting, { status: "left", by: "stop" });
});

test("waiting leaves no listener and no timer behind", async () => {
  const time = manualTime();
  const stop = new Stopper(time.now);
  let listeners = 0;
  const { signal } = stop;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => (listeners++, add(...args));
  signal.removeEventListener = (...args: Parameters<typeof remove>) => (
    listeners--,
    remove(...args)
  );
  for (let n = 0; n < 10; n++) {
    await waitFor(() => Promise.resolve(n), { timers: time, stop, graceMs: 1, deadlineMs: 5 });
  }
  assert.equal(listeners, 0);
  assert.equal(time.pending(), 0);
});

test("a sleep is waited out, or ends with the stop", async () => {
  const time = manualTime();
  const stop = new Stopper(time.now);
  const whole = sleep(10, time, stop);
  time.advance(10);
  assert.equal(await whole, true);
  const cut = sleep(10, time, stop);
  stop.stop(abortError("enough"));
  assert.equal(await cut, false);
  assert.equal(time.pending(), 0);
  assert.equal(await sleep(10, time, stop), false);
});

test("a stop reaches its children once, with its reason and its time", () => {
  const time = manualTime();
  const parent = new Stopper(time.now);
  const child = parent.child();
  const released = parent.child();
  released.release();
  parent.stop("why");
  time.advance(5);
  child.stop("again");
  assert.equal(child.stopped, true);
  assert.equal(child.signal.reason, "why");
  assert.equal(child.stoppedForMs, 5);
  assert.equal(released.stopped, false);
  assert.equal(parent.child().stopped, true);
});

test("a child's stop leaves its parent alone", () => {
  const parent = new Stopper(() => 0);
  parent.child().stop("why");
  assert.equal(parent.stopped, false);
  assert.equal(parent.stoppedForMs, 0);
});
