import assert from "node:assert/strict";
import { test } from "node:test";
import type { RecordEntry } from "../core/config.ts";
import { createMemoryJournal } from "./memory-journal.ts";

const entry = (content: string): RecordEntry => ({
  type: "message",
  turn: 0,
  message: { role: "user", content, timestamp: 0 },
});

test("entries are copied when they are recorded", async () => {
  const { record, entries, calls } = createMemoryJournal();
  const first = entry("a");
  await record([first, entry("b")]);
  if (first.type === "message") first.message.timestamp = 9;
  await record([entry("c")]);
  assert.deepEqual(entries, [entry("a"), entry("b"), entry("c")]);
  assert.deepEqual(
    calls.map((call) => call.length),
    [2, 1],
  );
});

test("the call that shall fail rejects and keeps nothing, the next one works", async () => {
  const { record, entries } = createMemoryJournal({ failAt: 2 });
  await record([entry("a")]);
  await assert.rejects(record([entry("b")]), /no space left/);
  await record([entry("c")]);
  assert.deepEqual(entries, [entry("a"), entry("c")]);
});

test("it rejects with what it is told to", async () => {
  const { record } = createMemoryJournal({ failAt: 1, error: "full" });
  await assert.rejects(record([]), (error) => error === "full");
});

test("the call that shall hang never settles and keeps nothing", async () => {
  const { record, entries } = createMemoryJournal({ hangAt: 1 });
  let settled = false;
  void record([entry("a")]).finally(() => (settled = true));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(settled, false);
  assert.deepEqual(entries, []);
});

test("an entry that is no plain data rejects", async () => {
  const { record } = createMemoryJournal();
  const broken = Object.assign(entry("a"), { extra: () => {} });
  await assert.rejects(record([broken]), /could not be cloned/);
});
