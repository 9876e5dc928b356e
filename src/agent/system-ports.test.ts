import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { systemClock, systemIds, systemTimers } from "./system-ports.ts";

test("the monotonic clock does not go back, and now is the date", () => {
  const first = systemClock.monotonic();
  assert.ok(systemClock.monotonic() >= first);
  assert.ok(Math.abs(systemClock.now() - Date.now()) < 1000);
});

test("ids name what they are for and do not repeat", () => {
  const ids = new Set(Array.from({ length: 1000 }, () => systemIds("call")));
  assert.equal(ids.size, 1000);
  for (const id of ids) assert.match(id, /^call_[0-9a-f-]{36}$/);
});

test("a timer calls once, and can be taken back", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const f = mock.fn();
  systemTimers.set(50, f);
  systemTimers.set(50, f)();
  context.mock.timers.tick(49);
  assert.equal(f.mock.callCount(), 0);
  context.mock.timers.tick(1);
  context.mock.timers.tick(1000);
  assert.equal(f.mock.callCount(), 1);
});

test("a wait that is longer than the platform's timers keep is waited for to its end", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const most = 2 ** 31 - 1;
  const f = mock.fn();
  systemTimers.set(2 * most + 5, f);
  const takeBack = systemTimers.set(2 * most + 5, f);
  context.mock.timers.tick(most);
  context.mock.timers.tick(most);
  takeBack();
  assert.equal(f.mock.callCount(), 0);
  context.mock.timers.tick(5);
  assert.equal(f.mock.callCount(), 1);
});
