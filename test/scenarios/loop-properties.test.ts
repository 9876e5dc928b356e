// Random scripts of turns against the loop: whatever is called, cut, failed, aborted, thrown or typed meanwhile, every
// call has exactly one result in its place, and the outcome is that of running each batch one by one.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { AgentEvent } from "../../src/core/events.ts";
import type { AgentMessage, AssistantMessage } from "../../src/core/messages.ts";
import type { AgentTool, Claim } from "../../src/core/tool.ts";
import {
  type ScriptedCall,
  type ScriptedTurn,
  textTurn,
} from "../../src/testing/scripted-model.ts";
import { type LoopRun, ok, startLoop, textOfResult, tick, tool, user } from "../kit/run-loop.ts";

/** How many scripts a run tries. */
const SCRIPTS = Number(process.env["ERRAND_FC_RUNS"] ?? 500);

const FILES = ["/a", "/b", "/dir/c"] as const;

interface Op {
  name:
    | "read"
    | "append"
    | "shell"
    | "readAll"
    | "fail"
    | "blocked"
    | "denied"
    | "missing"
    | "bad"
    | "last";
  file: (typeof FILES)[number];
  text: string;
  /** Broken argument text in place of good arguments. */
  broken: boolean;
  sameId: boolean;
}

interface Step {
  ops: Op[];
  ending: "whole" | "length" | "full" | "transient" | "torn";
  steer: boolean;
}

interface Script {
  steps: Step[];
  /** Which of the calls that wait settles next. */
  choices: number[];
  /** Abort when this many calls have settled; -1: never. */
  abortAt: number;
  followUp: boolean;
  sequential: boolean;
  maxParallel: number;
}

const op: fc.Arbitrary<Op> = fc.record({
  name: fc.constantFrom(
    "read",
    "read",
    "append",
    "append",
    "append",
    "shell",
    "readAll",
    "fail",
    "blocked",
    "denied",
    "missing",
    "bad",
    "last",
  ),
  file: fc.constantFrom(...FILES),
  text: fc.constantFrom("x", "y", "z"),
  broken: fc.integer({ min: 0, max: 11 }).map((n) => n === 0),
  sameId: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
});

const script: fc.Arbitrary<Script> = fc.record({
  steps: fc.array(
    fc.record({
      ops: fc.array(op, { minLength: 1, maxLength: 6 }),
      ending: fc.constantFrom(
        "whole",
        "whole",
        "whole",
        "whole",
        "length",
        "full",
        "transient",
        "torn",
      ),
      steer: fc.boolean(),
    }),
    { maxLength: 4 },
  ),
  choices: fc.array(fc.nat({ max: 100 }), { minLength: 1, maxLength: 30 }),
  abortAt: fc.oneof(fc.constant(-1), fc.constant(-1), fc.integer({ min: 0, max: 8 })),
  followUp: fc.boolean(),
  sequential: fc.integer({ min: 0, max: 4 }).map((n) => n === 0),
  maxParallel: fc.integer({ min: 1, max: 8 }),
});

/** A disk of texts whose tools change it in two steps, with a wait between that the test ends in any order. */
class Disk {
  readonly files = new Map<string, string>();
  readonly waiting: (() => void)[] = [];
  settled = 0;

  tools(): AgentTool[] {
    const on =
      (access: Claim["access"]) =>
      (args: unknown): Claim[] => [{ on: "path", path: (args as Op).file, access }];
    const everything = (access: Claim["access"]) => (): Claim[] => [{ on: "everything", access }];
    return [
      this.#tool("read", { claims: on("read"), pure: true }),
      this.#tool("append", { claims: on("write") }),
      this.#tool("shell", { claims: everything("write") }),
      this.#tool("readAll", { claims: everything("read"), pure: true }),
      this.#tool("fail", { claims: on("write") }),
      this.#tool("blocked", {}),
      this.#tool("denied", { claims: on("write") }),
      this.#tool("bad", {
        parameters: { type: "object", properties: {}, required: ["never sent"] },
      }),
      this.#tool("last", {}),
    ];
  }

  /** What a call does, given what it saw when it began. */
  act(name: string, args: Record<string, unknown>, seen: ReadonlyMap<string, string>): string {
    const file = String(args["file"]);
    const text = String(args["text"]);
    switch (name) {
      case "read":
        return seen.get(file) ?? "(none)";
      case "append":
        this.files.set(file, (seen.get(file) ?? "") + text);
        return "appended";
      case "shell":
        for (const [path, content] of seen) this.files.set(path, `${content}|${text}`);
        return "ran";
      case "readAll":
        return JSON.stringify([...seen].toSorted());
      case "fail":
        this.files.set(file, (seen.get(file) ?? "") + "!");
        throw new Error(`failed on ${file}`);
      default:
        return "done";
    }
  }

  #tool(name: string, more: Partial<AgentTool>): AgentTool {
    return tool(
      name,
      async (args) => {
        const seen = new Map(this.files);
        await new Promise<void>((resolve) => this.waiting.push(resolve));
        const text = this.act(name, args, seen);
        return name === "last" ? ok(text, { terminate: true }) : ok(text);
      },
      more,
    );
  }
}

function turnsOf({ steps }: Script): ScriptedTurn[] {
  const turns: ScriptedTurn[] = [];
  let next = 0;
  for (const { ops, ending } of steps) {
    const calls = ops.map((wanted, at): ScriptedCall => {
      const id = wanted.sameId && at > 0 ? `id${next - 1}` : `id${next++}`;
      const args = { file: wanted.file, text: wanted.text };
      return wanted.broken
        ? { id, name: wanted.name, rawArguments: '{"file": ' }
        : { id, name: wanted.name, args };
    });
    // Time between the events lets calls start early.
    const turn: ScriptedTurn = { calls, gate: tick };
    if (ending === "transient") {
      turns.push({ ...turn, error: { kind: "network", message: "reset" } });
    }
    if (ending === "torn") turns.push({ ...turn, cutAfter: 4 });
    if (ending === "length") turns.push({ ...turn, stopReason: "length" });
    else if (ending === "full") turns.push({ ...turn, usage: { output: 1000 } });
    else turns.push(turn);
  }
  return [...turns, textTurn("end"), textTurn("end of the follow-up"), ...spare()];
}

/** Steering after the last turn asks for more answers than the script has. */
function spare(): ScriptedTurn[] {
  return Array.from({ length: 8 }, () => textTurn("spare"));
}

interface Played {
  run: LoopRun;
  disk: Disk;
}

async function play(played: Script): Promise<Played> {
  const disk = new Disk();
  const controller = new AbortController();
  const followUps = played.followUp ? [user("follow")] : [];
  const steers = played.steps.map((step) => step.steer);
  const run = startLoop({
    turns: turnsOf(played),
    tools: disk.tools(),
    signal: controller.signal,
    config: {
      maxParallel: played.maxParallel,
      options: { maxTokens: 1000 },
      limits: { repeatedCalls: 0 },
      ...(played.sequential ? { toolExecution: "sequential" } : {}),
      getSteeringMessages: () => (steers.shift() ? [user("steer")] : []),
      getFollowUpMessages: () => followUps.splice(0),
      authorize: ({ toolCall, early }) => ({
        decision: toolCall.name === "denied" ? "deny" : early ? "allow" : "allow",
        reason: "not allowed",
      }),
      ...(played.steps.some((step) => step.ops.some(({ name }) => name === "blocked"))
        ? {
            beforeToolCall: ({ toolCall }) =>
              toolCall.name === "blocked" ? { block: true, reason: "blocked" } : undefined,
          }
        : {}),
    },
  });
  await drive(run, disk, played, controller);
  return { run, disk };
}

/** Lets one waiting call settle at a time, the one that the script chooses, until the run has ended. */
async function drive(
  run: LoopRun,
  disk: Disk,
  { choices, abortAt }: Script,
  controller: AbortController,
): Promise<void> {
  let over = false;
  void run.ended.then(() => (over = true));
  for (let step = 0; !over; step++) {
    assert.ok(step < 5000, "the run goes on for ever");
    await tick();
    if (abortAt >= 0 && disk.settled >= abortAt) controller.abort();
    const choice = choices[step % choices.length] ?? 0;
    // Only now and then, so that calls pile up and the choice is one.
    if (disk.waiting.length > 0 && step % 3 === 0) {
      const [resolve] = disk.waiting.splice(choice % disk.waiting.length, 1);
      disk.settled++;
      resolve?.();
    } else if (step % 7 === 6) {
      await run.manual.advance(1000);
    }
  }
}

function callsOf(message: AgentMessage | undefined): AssistantMessage["content"] {
  return message?.role === "assistant"
    ? message.content.filter((block) => block.type === "toolCall")
    : [];
}

/** Every call has exactly one result, directly behind its message, in the model's order; no result stands alone. */
function assertPaired(messages: readonly AgentMessage[]): void {
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at];
    assert.notEqual(message?.role, "toolResult", "a result without its call");
    const ids = callsOf(message).map((call) => (call.type === "toolCall" ? call.id : ""));
    assert.equal(new Set(ids).size, ids.length, "ids are unique within a message");
    const results = messages.slice(at + 1, at + 1 + ids.length);
    assert.deepEqual(
      results.map((result) => (result.role === "toolResult" ? result.toolCallId : result.role)),
      ids,
    );
    at += ids.length;
  }
}

/** Starts and ends are pairs, one for each call of each attempt; one end of the run, and it is the last event. */
function assertEvents(events: readonly AgentEvent[], messages: readonly AgentMessage[]): void {
  assert.equal(events.filter((event) => event.type === "agent_end").length, 1);
  assert.equal(events.at(-1)?.type, "agent_end");
  const open = new Map<string, number>();
  let pairs = 0;
  let discarded = 0;
  for (const event of events) {
    if (event.type === "tool_execution_start") {
      assert.equal(open.has(event.toolCallId), false, `second start of ${event.toolCallId}`);
      open.set(event.toolCallId, 1);
    }
    if (event.type === "tool_execution_end") {
      assert.equal(open.delete(event.toolCallId), true, `end without start: ${event.toolCallId}`);
      pairs++;
    }
    if (event.type === "request_retry") discarded += event.discardedCallIds.length;
  }
  assert.equal(open.size, 0, "a call without an end");
  const results = messages.filter((message) => message.role === "toolResult").length;
  assert.equal(pairs, results + discarded);
  const turnStarts = events.filter((event) => event.type === "turn_start").length;
  const turnEnds = events.filter((event) => event.type === "turn_end").length;
  assert.ok(turnEnds === turnStarts || turnEnds === turnStarts - 1);
}

/** Nothing acts unrecorded, and nothing is recorded twice. */
function assertRecords({ run }: Played): void {
  const results = run.records.filter((entry) => entry.type === "result");
  const places = results.map((entry) => JSON.stringify(entry.call));
  assert.equal(new Set(places).size, places.length, "a result recorded twice");
  assert.equal(results.length, run.results().length);
  for (const result of results) {
    const { toolName } = result.message;
    const pure = toolName === "read" || toolName === "readAll";
    const intent = run.records.findIndex(
      (entry) =>
        entry.type === "intent" && JSON.stringify(entry.call) === JSON.stringify(result.call),
    );
    if (result.executed && !pure) {
      assert.ok(intent >= 0 && intent < run.records.indexOf(result), "acted without an intent");
    }
  }
  assert.equal(run.records.at(-1)?.type, "end");
}

/** What running each batch one by one, in the model's order, would have given. */
function assertSerial({ run, disk }: Played, messages: readonly AgentMessage[]): void {
  const serial = new Disk();
  let turn = -1;
  for (const [place, message] of messages.entries()) {
    if (message.role !== "assistant") continue;
    turn++;
    for (const [index, block] of callsOf(message).entries()) {
      const made = messages[place + 1 + index];
      assert.ok(block.type === "toolCall" && made?.role === "toolResult");
      const executed = run.records.some(
        (entry) =>
          entry.type === "result" &&
          entry.executed &&
          entry.call.turn === turn &&
          entry.call.index === index,
      );
      if (!executed) {
        assert.equal(made.isError, true);
        continue;
      }
      let expected: string;
      try {
        expected = serial.act(block.name, block.arguments, new Map(serial.files));
      } catch (error) {
        expected = (error as Error).message;
      }
      assert.equal(textOfResult(made), expected);
    }
  }
  assert.deepEqual([...disk.files].toSorted(), [...serial.files].toSorted());
}

test("for random scripts every call has one result in its place, and batches are as if run one by one", async () => {
  let early = 0;
  let aborted = 0;
  await fc.assert(
    fc.asyncProperty(script, async (wanted) => {
      const played = await play(wanted);
      const { run } = played;
      const messages = run.messages();
      assertPaired(messages);
      assertEvents(run.events, messages);
      const { reason } = run.end();
      if (reason === "aborted") {
        aborted++;
        return;
      }
      assert.ok(["done", "terminated", "truncated_repeatedly", "error"].includes(reason), reason);
      assertRecords(played);
      assertSerial(played, messages);
      early += countEarly(run.events);
    }),
    { numRuns: SCRIPTS },
  );
  // A generator that never reaches these would prove nothing of them.
  assert.ok(early > SCRIPTS / 50, `${early} early starts`);
  assert.ok(aborted > SCRIPTS / 50, `${aborted} aborted runs`);
});

/** Calls that started before the end of their message. */
function countEarly(events: readonly AgentEvent[]): number {
  let streaming = false;
  let early = 0;
  for (const event of events) {
    if (event.type === "message_start") streaming = event.message.role === "assistant";
    if (event.type === "message_end") streaming = false;
    if (event.type === "tool_execution_start" && streaming) early++;
  }
  return early;
}
