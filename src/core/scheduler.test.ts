import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BARRIER, callsConflict, sameClaims, Scheduler, writes } from "./scheduler.ts";
import type { Claim } from "./tool.ts";

const read = (path: string): Claim => ({ on: "path", path, access: "read" });
const write = (path: string): Claim => ({ on: "path", path, access: "write" });
const readsAll: Claim = { on: "everything", access: "read" };
const writesAll: Claim = { on: "everything", access: "write" };

describe("conflicts of claims", () => {
  const cases: [string, readonly Claim[], readonly Claim[], boolean][] = [
    ["two reads of one path run together", [read("/a")], [read("/a")], false],
    ["a read and a write of one path conflict", [read("/a")], [write("/a")], true],
    ["two writes of one path conflict", [write("/a")], [write("/a")], true],
    ["writes of two paths run together", [write("/a")], [write("/b")], false],
    ["a folder covers what is inside", [write("/a")], [read("/a/b/c")], true],
    ["a path covers a folder above it the other way round", [read("/a/b")], [write("/a")], true],
    ["a name that only begins alike is another path", [write("/a")], [write("/ab")], false],
    ["the root covers everything", [write("/")], [read("/x")], true],
    ["a barrier conflicts with a call that claims nothing", [writesAll], [], true],
    ["two barriers conflict", [writesAll], [writesAll], true],
    ["reading everything waits for a writer", [readsAll], [write("/a")], true],
    ["reading everything runs beside readers", [readsAll], [read("/a")], false],
    ["reading everything runs beside itself", [readsAll], [readsAll], false],
    ["reading everything runs beside a call without claims", [readsAll], [], false],
    [
      "reading everything waits for a writer of processes",
      [readsAll],
      [{ on: "process", access: "write" }],
      true,
    ],
    [
      "processes conflict with processes",
      [{ on: "process", access: "write" }],
      [{ on: "process", access: "read" }],
      true,
    ],
    ["processes and paths are apart", [{ on: "process", access: "write" }], [write("/a")], false],
    [
      "one host conflicts whatever its case",
      [{ on: "net", host: "A.example", access: "write" }],
      [{ on: "net", host: "a.example", access: "read" }],
      true,
    ],
    [
      "two hosts are apart",
      [{ on: "net", host: "a", access: "write" }],
      [{ on: "net", host: "b", access: "write" }],
      false,
    ],
    ["any pair of claims is enough", [read("/x"), write("/a")], [read("/y"), read("/a")], true],
    ["calls without claims run together", [], [], false],
  ];
  for (const [title, a, b, conflict] of cases) {
    test(title, () => {
      assert.equal(callsConflict(a, b), conflict);
      assert.equal(callsConflict(b, a), conflict);
    });
  }

  test("claims are the same only with the same target, access and order", () => {
    assert.ok(sameClaims([read("/a"), write("/b")], [read("/a"), write("/b")]));
    assert.ok(!sameClaims([read("/a")], [write("/a")]));
    assert.ok(!sameClaims([read("/a")], [read("/b")]));
    assert.ok(!sameClaims([read("/a")], []));
    assert.ok(
      !sameClaims(
        [{ on: "net", host: "a", access: "read" }],
        [{ on: "net", host: "b", access: "read" }],
      ),
    );
    assert.ok(writes([read("/a"), write("/b")]));
    assert.ok(!writes([read("/a")]));
  });
});

/** Asks for the turn of several slots and notes the order in which they get it. */
function startAll(scheduler: Scheduler, claims: readonly (readonly Claim[])[]): number[] {
  const started: number[] = [];
  for (const [slot, wanted] of claims.entries()) scheduler.claim(slot, wanted);
  for (const slot of claims.keys()) void scheduler.turn(slot).then(() => started.push(slot));
  return started;
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("the scheduler", () => {
  test("starts reads together and holds a write until they are finished", async () => {
    const scheduler = new Scheduler();
    const started = startAll(scheduler, [[read("/a")], [read("/a")], [write("/a")]]);
    await settle();
    assert.deepEqual(started, [0, 1]);
    scheduler.finish(0, false);
    await settle();
    assert.deepEqual(started, [0, 1]);
    scheduler.finish(1, false);
    await settle();
    assert.deepEqual(started, [0, 1, 2]);
  });

  test("lets a later call pass one that waits for something else", async () => {
    const scheduler = new Scheduler();
    const started = startAll(scheduler, [[write("/a")], [write("/a")], [write("/b")]]);
    await settle();
    assert.deepEqual(started, [0, 2]);
  });

  test("holds a call behind an earlier one that has not asked for its turn yet", async () => {
    const scheduler = new Scheduler();
    scheduler.claim(0, [write("/a")]);
    scheduler.claim(1, [read("/a")]);
    let started = false;
    void scheduler.turn(1).then(() => (started = true));
    await settle();
    assert.equal(started, false);
    scheduler.finish(0, false);
    await settle();
    assert.equal(started, true);
  });

  test("takes an earlier call that has said nothing for a barrier", async () => {
    const scheduler = new Scheduler();
    scheduler.claim(1, []);
    let started = false;
    void scheduler.turn(1).then(() => (started = true));
    await settle();
    assert.equal(started, false);
  });

  test("runs at most as many as its cap, in the model's order", async () => {
    const scheduler = new Scheduler(2);
    const started = startAll(scheduler, [[], [], [], []]);
    await settle();
    assert.deepEqual(started, [0, 1]);
    scheduler.finish(1, false);
    await settle();
    assert.deepEqual(started, [0, 1, 2]);
    scheduler.finish(0, false);
    scheduler.finish(2, false);
    await settle();
    assert.deepEqual(started, [0, 1, 2, 3]);
  });

  test("a cap below one still lets one run", async () => {
    const started = startAll(new Scheduler(0), [[], []]);
    await settle();
    assert.deepEqual(started, [0]);
  });

  test("a released call gives its place back and may ask again", async () => {
    const scheduler = new Scheduler(1);
    const started = startAll(scheduler, [[write("/a")], [write("/b")]]);
    await settle();
    scheduler.release(0);
    await settle();
    assert.deepEqual(started, [0, 1]);
    scheduler.claim(0, BARRIER);
    void scheduler.turn(0).then(() => started.push(0));
    await settle();
    assert.deepEqual(started, [0, 1]);
    scheduler.finish(1, false);
    await settle();
    assert.deepEqual(started, [0, 1, 0]);
  });

  test("a finished call that never ran frees no place twice", async () => {
    const scheduler = new Scheduler(1);
    scheduler.claim(0, []);
    scheduler.finish(0, false);
    scheduler.finish(0, false);
    const started: number[] = [];
    for (const slot of [1, 2]) {
      scheduler.claim(slot, []);
      void scheduler.turn(slot).then(() => started.push(slot));
    }
    await settle();
    assert.deepEqual(started, [1]);
  });

  test("knows whether an earlier call wrote", () => {
    const scheduler = new Scheduler();
    scheduler.claim(0, [write("/a")]);
    scheduler.claim(1, [read("/a")]);
    assert.equal(scheduler.wroteBefore(1), false);
    scheduler.finish(0, true);
    assert.equal(scheduler.wroteBefore(1), true);
    assert.equal(scheduler.wroteBefore(0), false);
  });
});
