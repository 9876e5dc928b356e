import assert from "node:assert/strict";
import { test } from "node:test";
import { EventStream } from "./event-stream.ts";

type Event = { n: number; last?: boolean };

function stream(): EventStream<Event, number> {
  return new EventStream<Event, number>(
    (event) => event.last === true,
    (event) => event.n,
  );
}

async function all(events: AsyncIterable<Event>): Promise<number[]> {
  const seen: number[] = [];
  for await (const event of events) seen.push(event.n);
  return seen;
}

test("what was pushed before anybody reads is read in order", async () => {
  const events = stream();
  for (let n = 0; n < 100; n++) events.push({ n });
  events.push({ n: 100, last: true });
  assert.equal(events.unread, 101);
  assert.deepEqual(
    await all(events),
    Array.from({ length: 101 }, (_, n) => n),
  );
  assert.equal(events.unread, 0);
  assert.equal(events.pushed, 101);
});

test("a reader that waits gets the next event and then the end", async () => {
  const events = stream();
  const seen = all(events);
  events.push({ n: 1 });
  await Promise.resolve();
  events.push({ n: 2, last: true });
  assert.deepEqual(await seen, [1, 2]);
  assert.equal(await events.result(), 2);
});

test("pushes and reads may alternate without end", async () => {
  const events = stream();
  const reader = events[Symbol.asyncIterator]();
  for (let n = 0; n < 1000; n++) {
    events.push({ n });
    events.push({ n: -n });
    assert.deepEqual(await reader.next(), { value: { n }, done: false });
    assert.deepEqual(await reader.next(), { value: { n: -n }, done: false });
  }
});

test("what comes after the last event is ignored", async () => {
  const events = stream();
  events.push({ n: 1, last: true });
  events.push({ n: 2, last: true });
  events.end(3);
  events.fail(new Error("late"));
  assert.deepEqual(await all(events), [1]);
  assert.equal(await events.result(), 1);
});

test("an end without a last event gives the result that it names", async () => {
  const events = stream();
  const waiting = all(events);
  events.end(7);
  assert.deepEqual(await waiting, []);
  assert.equal(await events.result(), 7);
});

test("a failure ends the reading and rejects the result", async () => {
  const events = stream();
  events.push({ n: 1 });
  events.fail(new Error("our bug"));
  assert.deepEqual(await all(events), [1]);
  await assert.rejects(events.result(), /our bug/);
});

test("the newest unread event can be replaced, a read one cannot", async () => {
  const events = stream();
  const reader = events[Symbol.asyncIterator]();
  events.replaceLastUnread({ n: 9 });
  assert.equal(events.lastUnread, undefined);
  events.push({ n: 1 });
  events.push({ n: 2 });
  events.replaceLastUnread({ n: 3 });
  assert.deepEqual((await reader.next()).value, { n: 1 });
  assert.deepEqual((await reader.next()).value, { n: 3 });
  assert.equal(events.unread, 0);
});

test("a reader that leaves early does not disturb the next one", async () => {
  const events = stream();
  for (const n of [1, 2, 3]) events.push({ n });
  for await (const event of events) {
    assert.equal(event.n, 1);
    break;
  }
  events.push({ n: 4, last: true });
  assert.deepEqual(await all(events), [2, 3, 4]);
});
