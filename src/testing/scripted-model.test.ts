import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AssistantMessageEvent, StreamOptions } from "../core/events.ts";
import type { AssistantMessage } from "../core/messages.ts";
import { describeEvents, recordEvents } from "./event-recorder.ts";
import {
  callsTurn,
  callTurn,
  createScriptedModel,
  type ScriptedTurn,
  textTurn,
  type TurnScript,
} from "./scripted-model.ts";

interface Played {
  lines: string[];
  events: readonly AssistantMessageEvent[];
  message: AssistantMessage;
}

async function playAll(turns: TurnScript[], options: StreamOptions = {}): Promise<Played[]> {
  const script = createScriptedModel(turns);
  const played: Played[] = [];
  for (let turn = 0; turn < turns.length; turn++) {
    const stream = await script.streamFn(script.model, { messages: [] }, options);
    const { events, result } = recordEvents(stream);
    const message = await result;
    played.push({ lines: describeEvents(events), events, message });
  }
  return played;
}

async function play(turn: TurnScript, options: StreamOptions = {}): Promise<Played> {
  const [played] = await playAll([turn], options);
  assert.ok(played);
  return played;
}

describe("a turn streams through the whole contract", () => {
  test("thinking, text and calls, in this order", async () => {
    const { lines, message } = await play({
      text: "hello",
      thinking: "hm",
      calls: [{ id: "a", name: "read", args: { path: "x" } }, { name: "ls" }],
      deltaSize: 3,
    });
    assert.deepEqual(lines, [
      "start",
      "thinking_start 0",
      'thinking_delta 0 "hm"',
      'thinking_end 0 "hm"',
      "text_start 1",
      'text_delta 1 "hel"',
      'text_delta 1 "lo"',
      'text_end 1 "hello"',
      "toolcall_start 2",
      'toolcall_delta 2 "{\\"p"',
      'toolcall_delta 2 "ath"',
      'toolcall_delta 2 "\\":\\""',
      'toolcall_delta 2 "x\\"}"',
      "toolcall_end 2 a read",
      "toolcall_start 3",
      'toolcall_delta 3 "{}"',
      "toolcall_end 3 c1 ls",
      "done toolUse",
    ]);
    assert.deepEqual(message.content, [
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "hello" },
      { type: "toolCall", id: "a", name: "read", arguments: { path: "x" } },
      { type: "toolCall", id: "c1", name: "ls", arguments: {} },
    ]);
    assert.equal(message.stopReason, "toolUse");
  });
  test("blocks given as they are keep every field and their order", async () => {
    const content: NonNullable<ScriptedTurn["content"]> = [
      { type: "toolCall", id: "", name: "x", arguments: { a: 1 }, thoughtSignature: "s" },
      { type: "text", text: "", textSignature: "t" },
      { type: "thinking", thinking: "", thinkingSignature: "u", redacted: true },
    ];
    const { lines, message } = await play({ content });
    assert.deepEqual(message.content, content);
    assert.deepEqual(lines.slice(4, 6), ["text_start 1", 'text_end 1 ""']);
  });
  test("partial is the live message, which grows with its events", async () => {
    const script = createScriptedModel([{ text: "abcd", deltaSize: 2 }]);
    const seen: string[] = [];
    for await (const event of await script.streamFn(script.model, { messages: [] })) {
      if (event.type !== "text_delta") continue;
      const block = event.partial.content[0];
      seen.push(block?.type === "text" ? block.text : "?");
    }
    assert.equal(seen.at(-1), "abcd");
  });
  test("a delta never tears a character", async () => {
    const { events } = await play({ text: "a😀😀", deltaSize: 2 });
    const deltas = events.flatMap((event) => (event.type === "text_delta" ? [event.delta] : []));
    assert.deepEqual(deltas, ["a😀", "😀"]);
  });
  test("stop reason and usage are as the turn says", async () => {
    const { message } = await play({
      ...callTurn("x"),
      stopReason: "length",
      rawStopReason: "max_tokens",
      usage: { input: 3, output: 4 },
    });
    assert.equal(message.stopReason, "length");
    assert.equal(message.rawStopReason, "max_tokens");
    assert.equal(message.usage.totalTokens, 7);
  });
});

describe("argument text", () => {
  const read = async (rawArguments: string): Promise<unknown> => {
    const { message } = await play(callsTurn([{ name: "x", rawArguments }]));
    const [block] = message.content;
    assert.ok(block?.type === "toolCall");
    assert.ok(!("argumentText" in block) && !("rawArguments" in block));
    return block.argumentsError ?? block.arguments;
  };
  test("is read strictly, and broken text says why", async () => {
    assert.deepEqual(await read(' {"a": 1} '), { a: 1 });
    assert.match(String(await read('{"a": ')), /Received: \{"a": $/);
    assert.match(String(await read('{"a": 1}}')), /JSON/);
    assert.match(String(await read("[1]")), /no JSON object/);
    assert.ok(String(await read(`{${"x".repeat(9000)}`)).length < 2300);
  });
  test("that is empty, null or [] stands for no arguments", async () => {
    for (const text of ["", "  ", "null", "[]"]) assert.deepEqual(await read(text), {});
  });
});

describe("a broken turn", () => {
  test("that is cut ends without its last event, and its result says so", async () => {
    const { lines, message } = await play({ text: "abcd", deltaSize: 1, cutAfter: 3 });
    assert.deepEqual(lines, ["start", "text_start 0", 'text_delta 0 "a"']);
    assert.equal(message.errorKind, "truncated");
    assert.equal((await play({ text: "a", cutAfter: 0 })).lines.length, 0);
    assert.equal((await play({ text: "a", cutAfter: 99 })).lines.at(-1), "done stop");
  });
  test("that fails at once has no start", async () => {
    const error = { kind: "rate_limit" as const, message: "slow", status: 429, retryAfterMs: 5 };
    const { lines, message } = await play({ error });
    assert.deepEqual(lines, ["error error slow"]);
    assert.deepEqual(
      [message.stopReason, message.errorKind, message.status, message.retryAfterMs],
      ["error", "rate_limit", 429, 5],
    );
  });
  test("can fail in the middle or behind its blocks", async () => {
    const error = { message: "gone" };
    const middle = await play({ ...callTurn("x"), error, errorAfter: 2 });
    assert.deepEqual(middle.lines, ["start", "toolcall_start 0", "error error gone"]);
    const behind = await play({ text: "a", error });
    assert.deepEqual(behind.lines.slice(-2), ['text_end 0 "a"', "error error gone"]);
  });
  test("can throw or reject, against the contract", async () => {
    const script = createScriptedModel([{ throws: "no" }, async () => ({ throws: undefined })]);
    assert.throws(
      () => script.streamFn(script.model, { messages: [] }),
      (thrown) => thrown === "no",
    );
    await assert.rejects(
      async () => script.streamFn(script.model, { messages: [] }),
      (thrown) => thrown === undefined,
    );
  });
  test("whose gate fails ends in an error", async () => {
    const gate = (): Promise<void> => Promise.reject(new Error("no gate"));
    assert.match((await play({ text: "a", gate })).lines[0] ?? "", /^error error .*no gate/);
  });
});

describe("an abort", () => {
  test("is heard between any two events", async () => {
    const abort = new AbortController();
    const gate = (name: string): void => {
      if (name === "text_delta 0") abort.abort();
    };
    const { lines, message } = await play({ text: "ab", gate }, { signal: abort.signal });
    assert.deepEqual(lines, ["start", "text_start 0", "error aborted aborted"]);
    assert.deepEqual([message.stopReason, message.errorKind], ["aborted", "aborted"]);
  });
  test("before the start gives only the error", async () => {
    const never = (): Promise<void> => new Promise(() => {});
    const { lines } = await play({ text: "ab", gate: never }, { signal: AbortSignal.abort() });
    assert.deepEqual(lines, ["error aborted aborted"]);
  });
  test("ends a turn that hangs at a gate or never ends", async () => {
    for (const turn of [
      {
        text: "a",
        gate: (name: string) => (name === "done" ? new Promise<void>(() => {}) : undefined),
      },
      { text: "a", neverEnd: true },
    ]) {
      const abort = new AbortController();
      const playing = play(turn, { signal: abort.signal });
      await new Promise((resolve) => setImmediate(resolve));
      abort.abort();
      assert.deepEqual((await playing).lines.slice(-2), [
        'text_end 0 "a"',
        "error aborted aborted",
      ]);
    }
  });
  test("is not heard by a deaf turn", async () => {
    const { lines } = await play({ text: "a", deaf: true }, { signal: AbortSignal.abort() });
    assert.equal(lines.at(-1), "done stop");
    const script = createScriptedModel([{ text: "a", neverEnd: true, deaf: true }]);
    const abort = new AbortController();
    const stream = await script.streamFn(script.model, { messages: [] }, { signal: abort.signal });
    const { events } = recordEvents(stream);
    abort.abort();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(describeEvents(events).at(-1), 'text_end 0 "a"');
  });
});

describe("the script", () => {
  test("a gate holds the stream exactly there", async () => {
    const opened = Promise.withResolvers<void>();
    const gate = (name: string): Promise<void> | void => {
      if (name === "toolcall_end 0") return opened.promise;
    };
    const script = createScriptedModel([{ ...callTurn("x"), gate }]);
    const { events, result } = recordEvents(await script.streamFn(script.model, { messages: [] }));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(describeEvents(events).at(-1), 'toolcall_delta 0 "{}"');
    opened.resolve();
    await result;
    assert.equal(describeEvents(events).at(-1), "done toolUse");
  });
  test("keeps each request as it was when it was made", async () => {
    const script = createScriptedModel([textTurn("a"), textTurn("b")]);
    const messages = [{ role: "user" as const, content: "x", timestamp: 0 }];
    await script.streamFn(script.model, { systemPrompt: "s", messages }, { temperature: 1 });
    messages.push({ role: "user", content: "y", timestamp: 0 });
    assert.equal(script.requests[0]?.context.messages.length, 1);
    assert.equal(script.requests[0]?.context.systemPrompt, "s");
    assert.deepEqual(script.requests[0]?.options, { temperature: 1 });
    assert.equal(script.remaining, 1);
  });
  test("a turn may be made of its request", async () => {
    const script = createScriptedModel([
      ({ context }) => textTurn(`${context.messages.length} messages`),
    ]);
    const stream = await script.streamFn(script.model, { messages: [] });
    assert.deepEqual((await stream.result()).content, [{ type: "text", text: "0 messages" }]);
  });
  test("that has run out says so, in an error that no repeat mends", async () => {
    const script = createScriptedModel([]);
    const message = await (await script.streamFn(script.model, { messages: [] })).result();
    assert.equal(message.errorMessage, "The script has no turn for request 1: it holds 0.");
    assert.equal(message.errorKind, "bad_request");
    assert.equal(script.remaining, 0);
  });
  test("ids that are left out count over the script", async () => {
    const played = await playAll([callsTurn([{ name: "a" }, { name: "b" }]), callTurn("c")]);
    const ids = played.flatMap(({ message }) =>
      message.content.map((block) => block.type === "toolCall" && block.id),
    );
    assert.deepEqual(ids, ["c1", "c2", "c3"]);
  });
  test("arguments are copied, so that a turn may be played twice", async () => {
    const turn = callTurn("a", { list: [1] });
    const [first, second] = await playAll([turn, turn]);
    const block = first?.message.content[0];
    assert.ok(block?.type === "toolCall");
    (block.arguments["list"] as number[]).push(2);
    assert.deepEqual(
      second?.message.content[0]?.type === "toolCall" && second.message.content[0].arguments,
      { list: [1] },
    );
  });
  test("a megabyte in small deltas arrives in as many events", async () => {
    const { events } = await play({ ...callTurn("w", { x: "y".repeat(1 << 20) }), deltaSize: 16 });
    assert.ok(events.length > 65_000);
  });
});
