import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { createIds, createManualClock } from "./manual-clock.ts";

test("timers fire in order of due time, then of setting, each at its own time", async () => {
  const { clock, timers, advance } = createManualClock(1000);
  const fired: string[] = [];
  const set = (name: string, ms: number): void => {
    timers.set(ms, () => fired.push(`${name} ${clock.monotonic()} ${clock.now()}`));
  };
  set("b", 20);
  set("a", 10);
  set("c", 20);
  set("late", 31);
  await advance(30);
  assert.deepEqual(fired, ["a 10 1010", "b 20 1020", "c 20 1020"]);
  assert.deepEqual([clock.monotonic(), clock.now()], [30, 1030]);
});

test("a timer that was taken back does not fire, and one set meanwhile does if it is due", async () => {
  const manual = createManualClock();
  const fired: string[] = [];
  const cancel = manual.timers.set(5, () => fired.push("cancelled"));
  manual.timers.set(5, () => {
    fired.push("first");
    void Promise.resolve().then(() => manual.timers.set(5, () => fired.push("second")));
  });
  cancel();
  cancel();
  assert.equal(manual.pending, 1);
  await manual.advance(10);
  assert.deepEqual(fired, ["first", "second"]);
  assert.equal(manual.pending, 0);
});

test("what goes on without time goes on before, between and after timers", async () => {
  const { timers, advance } = createManualClock();
  const seen: string[] = [];
  void (async () => {
    await Promise.resolve();
    timers.set(1, () => seen.push("set by a microtask"));
  })();
  await advance(1);
  assert.deepEqual(seen, ["set by a microtask"]);
});

test("a timer without a positive time fires at the next advance, not at once", async () => {
  const { timers, advance } = createManualClock();
  let fired = 0;
  for (const ms of [0, -5, Number.NaN]) timers.set(ms, () => fired++);
  assert.equal(fired, 0);
  await advance(0);
  assert.equal(fired, 3);
});

test("a timer that throws rejects the advance", async () => {
  const { timers, advance } = createManualClock();
  timers.set(1, () => {
    throw new Error("broken");
  });
  await assert.rejects(advance(1), /broken/);
});

test("any timers fire sorted by time, whatever the steps of the advance", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(20), { maxLength: 15 }), fc.nat(20), async (delays, step) => {
      const { timers, advance } = createManualClock();
      const fired: number[] = [];
      for (const ms of delays) timers.set(ms, () => fired.push(ms));
      await advance(step);
      assert.deepEqual(
        fired,
        delays.filter((ms) => ms <= step).toSorted((a, b) => a - b),
      );
      await advance(20);
      assert.deepEqual(
        fired,
        delays.toSorted((a, b) => a - b),
      );
    }),
    { numRuns: 30 },
  );
});

test("ids count per kind", () => {
  const ids = createIds();
  assert.deepEqual(
    [ids("run"), ids("run"), ids("call"), ids("run")],
    ["run-1", "run-2", "call-1", "run-3"],
  );
  assert.equal(createIds()("run"), "run-1");
});
