// What every stream function promises, run against a server on loopback that speaks its wire.
import { after, describe, test } from "node:test";
import assert from "node:assert/strict";
import type { StreamContext, StreamFn, StreamOptions } from "../../src/core/events.ts";
import type { ErrorKind, Model, ToolCall } from "../../src/core/messages.ts";
import { startModelServer, type ModelServer } from "../../src/testing/loopback-server.ts";
import type { ServerTurn, ServerWire } from "../../src/testing/server-wire.ts";
import { collectStream, type CollectedStream } from "./stream-events.ts";

/** One implementation. */
export interface StreamSubject {
  streamFn: StreamFn;
  wire: ServerWire;
  /** A model behind the given address. */
  model(url: string): Model;
  apiKey: string;
  /** The wire's words for how a message ends. */
  stopReasons: { length: string; refused: string };
  /** Error answers, each with the kind that it means. */
  errors: readonly { name: string; reply: ServerTurn; kind: ErrorKind; retryAfterMs?: number }[];
}

const CONTEXT: StreamContext = {
  systemPrompt: "Be brief.",
  messages: [{ role: "user", content: "Hello", timestamp: 1 }],
  tools: [
    {
      name: "read",
      description: "Reads a file.",
      parameters: { type: "object", properties: { path: { type: "string" } } },
    },
  ],
};

/** Runs the suite; one server per test. */
export function streamFunctionContract(name: string, subject: StreamSubject): void {
  describe(`stream function ${name}`, () => {
    const servers: ModelServer[] = [];
    after(() => Promise.all(servers.map((server) => server.close())));

    const serve = async (turn: ServerTurn): Promise<ModelServer> => {
      const server = await startModelServer({ turns: [turn], wire: subject.wire });
      servers.push(server);
      return server;
    };
    const ask = async (turn: ServerTurn, options: StreamOptions = {}): Promise<CollectedStream> => {
      const { url } = await serve(turn);
      return collectStream(
        subject.streamFn(subject.model(url), CONTEXT, { apiKey: subject.apiKey, ...options }),
      );
    };
    answers(ask, subject);
    calls(ask, subject);
    failures(ask, subject);
    waits({ serve, ask }, subject);
  });
}

type Ask = (turn: ServerTurn, options?: StreamOptions) => Promise<CollectedStream>;

/** The kinds of the events in their order, without repeats. */
function kindsOf(events: CollectedStream["events"]): string[] {
  const kinds = events.map(({ type }) => type);
  return kinds.filter((kind, at) => kind !== kinds[at - 1]);
}

function answers(ask: Ask, subject: StreamSubject): void {
  test("a text comes as start, deltas and end, then done", async () => {
    const { shape, message } = await ask({ text: "Good day to you", deltaSize: 4 });
    assert.deepEqual(shape, ["start", "text_start 0", "text_delta 0", "text_end 0", "done"]);
    assert.deepEqual(message.content, [{ type: "text", text: "Good day to you" }]);
    assert.equal(message.stopReason, "stop");
    assert.equal(message.errorMessage, undefined);
  });

  test("the message says who answered, and how long it took", async () => {
    const { message } = await ask({ text: "x" });
    const model = subject.model("http://127.0.0.1");
    assert.deepEqual(
      [message.role, message.api, message.provider, message.model],
      ["assistant", model.api, model.provider, model.id],
    );
    assert.ok(message.timestamp > 0 && (message.durationMs ?? -1) >= 0);
  });

  test("tokens are counted and priced", async () => {
    const usage = { input: 1000, output: 200, cacheRead: 50, cacheWrite: 0 };
    const { message } = await ask({ text: "x", usage });
    assert.equal(message.usage.input, 1000);
    assert.equal(message.usage.output, 200);
    assert.equal(message.usage.cacheRead, 50);
    assert.equal(message.usage.totalTokens, 1250);
    const { cost } = subject.model("http://127.0.0.1");
    const total = (1000 * cost.input + 200 * cost.output + 50 * cost.cacheRead) / 1e6;
    assert.ok(Math.abs(message.usage.cost.total - total) < 1e-12);
  });

  test("an answer torn into packets of one byte is the same answer", async () => {
    const turn: ServerTurn = {
      text: "Ünïcödé 漢字 😀 end",
      calls: [{ name: "read", args: { path: "ä/😀.txt" } }],
      deltaSize: 3,
    };
    const whole = await ask(turn);
    const torn = await ask({ ...turn, chunkBytes: 1 });
    assert.deepEqual(torn.message.content, whole.message.content);
    // Deltas that come together may be told together.
    assert.deepEqual(kindsOf(torn.events), kindsOf(whole.events));
    assert.deepEqual(torn.message.content[0], { type: "text", text: "Ünïcödé 漢字 😀 end" });
  });

  test("a message of nothing is done", async () => {
    const { shape, message } = await ask({});
    assert.deepEqual(shape, ["start", "done"]);
    assert.deepEqual(message.content, []);
  });

  test("a message that was cut by the maximum ends by length, with its word kept", async () => {
    const { message } = await ask({ text: "cut", stopReason: subject.stopReasons.length });
    assert.equal(message.stopReason, "length");
    assert.equal(message.rawStopReason, subject.stopReasons.length);
  });

  test("a refusal is an error of kind refused", async () => {
    const { message } = await ask({ text: "no", stopReason: subject.stopReasons.refused });
    assert.equal(message.stopReason, "error");
    assert.equal(message.errorKind, "refused");
    assert.ok(message.errorMessage);
  });

  test("a stop reason that nobody knows counts as stop", async () => {
    const { message } = await ask({ text: "x", stopReason: "something_new" });
    assert.equal(message.stopReason, "stop");
    assert.equal(message.rawStopReason, "something_new");
  });
}

function callsOf({ message }: CollectedStream): ToolCall[] {
  return message.content.filter((block) => block.type === "toolCall");
}

function calls(ask: Ask, subject: StreamSubject): void {
  test("calls come with their text, ids, names and arguments, in order", async () => {
    const result = await ask({
      text: "Both.",
      calls: [
        { id: "a1", name: "read", args: { path: "a" } },
        { id: "b2", name: "read", args: { path: "b", deep: { list: [1, null, "x"] } } },
      ],
      deltaSize: 5,
    });
    assert.equal(result.message.stopReason, "toolUse");
    assert.deepEqual(callsOf(result), [
      { type: "toolCall", id: "a1", name: "read", arguments: { path: "a" } },
      {
        type: "toolCall",
        id: "b2",
        name: "read",
        arguments: { path: "b", deep: { list: [1, null, "x"] } },
      },
    ]);
    assert.deepEqual(
      result.shape.filter((step) => step.startsWith("toolcall_")),
      [1, 2].flatMap((at) => [
        `toolcall_start ${at}`,
        `toolcall_delta ${at}`,
        `toolcall_end ${at}`,
      ]),
    );
  });

  test("a call ends before the next one begins", async () => {
    const { shape } = await ask({ calls: [{ name: "read" }, { name: "read" }] });
    assert.ok(shape.indexOf("toolcall_end 0") < shape.indexOf("toolcall_start 1"));
  });

  for (const rawArguments of ["", "  ", "null", "[]", "{}"]) {
    test(`the argument text ${JSON.stringify(rawArguments)} means no arguments`, async () => {
      const [call] = callsOf(await ask({ calls: [{ name: "read", rawArguments }] }));
      assert.deepEqual(call?.arguments, {});
      assert.equal(call?.argumentsError, undefined);
    });
  }

  test("arguments that are no JSON are told with the call, and its siblings are untouched", async () => {
    const result = await ask({
      calls: [
        { name: "read", rawArguments: '{"path": ?}' },
        { name: "read", args: { path: "b" } },
      ],
    });
    const [broken, right] = callsOf(result);
    assert.deepEqual(broken?.arguments, {});
    assert.match(broken?.argumentsError ?? "", /\{"path": \?\}/);
    assert.deepEqual(right?.arguments, { path: "b" });
    assert.equal(right?.argumentsError, undefined);
    assert.equal(result.message.stopReason, "toolUse");
  });

  test("half arguments are not repaired into whole ones", async () => {
    const [call] = callsOf(await ask({ calls: [{ name: "read", rawArguments: '{"path":"a' }] }));
    assert.deepEqual(call?.arguments, {});
    assert.ok(call?.argumentsError);
  });

  test("a key named __proto__ is a key like any other", async () => {
    const rawArguments = '{"__proto__":{"polluted":true},"path":"a"}';
    const [call] = callsOf(await ask({ calls: [{ name: "read", rawArguments }] }));
    assert.equal("polluted" in (call?.arguments ?? {}), false);
    assert.equal(call?.arguments.path, "a");
  });

  test("calls in a message that ended by length leave it ended by length", async () => {
    const { message } = await ask({
      calls: [{ name: "read", args: { path: "a" } }],
      stopReason: subject.stopReasons.length,
    });
    assert.equal(message.stopReason, "length");
  });

  test("a mebibyte of arguments in pieces of 16 characters arrives whole", async () => {
    const content = "0123456789abcdef".repeat(65_536);
    const result = await ask({ calls: [{ name: "write", args: { content } }], deltaSize: 16 });
    assert.equal(callsOf(result)[0]?.arguments.content, content);
  });
}

function failures(ask: Ask, subject: StreamSubject): void {
  for (const { name, reply, kind, retryAfterMs } of subject.errors) {
    test(`${name} is an error of kind ${kind}`, async () => {
      const { message } = await ask(reply);
      assert.equal(message.stopReason, "error");
      assert.equal(message.errorKind, kind, message.errorMessage);
      assert.ok(message.errorMessage && !message.errorMessage.includes("\n"));
      if (reply.status !== undefined) assert.equal(message.status, reply.status);
      assert.equal(message.retryAfterMs, retryAfterMs);
    });
  }

  test("a stream that is cut at any event is an error, and keeps what came", async () => {
    const turn: ServerTurn = {
      text: "Some text",
      calls: [{ name: "read", args: { path: "a" } }],
      deltaSize: 4,
    };
    const total = [...subject.wire.events(turn, { request: BLANK_REQUEST, index: 0 })].length;
    assert.ok(total > 8);
    for (let cutAfter = 0; cutAfter < total - 1; cutAfter++) {
      for (const end of ["close", "reset"] as const) {
        const { message, events } = await ask({ ...turn, cutAfter, end });
        assert.equal(message.stopReason, "error");
        const kinds = end === "close" ? ["truncated"] : ["network", "truncated"];
        assert.ok(
          kinds.includes(message.errorKind ?? ""),
          `${end} ${cutAfter}: ${message.errorKind}`,
        );
        const began = events.filter(({ type }) => type.endsWith("_start") && type !== "start");
        assert.equal(began.length, message.content.length);
      }
    }
  });

  test("a call that never ended has no end event", async () => {
    const { shape } = await ask({
      calls: [{ name: "read", args: { path: "abcdef" } }],
      deltaSize: 4,
      cutAfter: 4,
    });
    assert.ok(shape.includes("toolcall_start 0"));
    assert.ok(!shape.includes("toolcall_end 0"));
  });

  test("an event that is no JSON is an error of kind protocol", async () => {
    const { message } = await ask({ raw: ["data: {nonsense\n\n"] });
    assert.equal(message.errorKind, "protocol");
  });

  test("a web page with status 200 is an error of kind protocol that doubts the base URL", async () => {
    const { message } = await ask({
      body: "<!doctype html><title>Sign in</title>",
      headers: { "content-type": "text/html" },
    });
    assert.equal(message.errorKind, "protocol");
    assert.match(message.errorMessage ?? "", /base URL/);
  });

  test("an address where nobody listens is named, with what to do", async () => {
    const server = await startModelServer({ turns: [], wire: subject.wire });
    await server.close();
    const model = subject.model(server.url);
    const { message } = await collectStream(
      subject.streamFn(model, CONTEXT, { apiKey: subject.apiKey }),
    );
    assert.equal(message.errorKind, "network");
    assert.ok(message.errorMessage?.includes(new URL(server.url).host), message.errorMessage);
  });

  test("the key stays out of errors, also when the server repeats it", async () => {
    const apiKey = `${subject.apiKey}-very-secret`;
    const said = `the key ${apiKey} is wrong`;
    const replies: ServerTurn[] = [
      { status: 401, body: subject.wire.errorBody("authentication_error", said) },
      { status: 500, body: said, headers: { "content-type": "text/plain" } },
      { text: "x", cutAfter: 2, error: { type: "api_error", message: said } },
      { raw: [`data: ${said}\n\n`] },
      { body: said },
    ];
    for (const reply of replies) {
      const { message } = await ask(reply, { apiKey });
      assert.equal(message.stopReason, "error");
      assert.ok(!JSON.stringify(message).includes("very-secret"), message.errorMessage);
    }
  });

  test("a key that no header can carry is an error without the key", async () => {
    const { message } = await ask({ text: "x" }, { apiKey: "very-secret\nkey" });
    assert.equal(message.stopReason, "error");
    assert.ok(!JSON.stringify(message).includes("very-secret"));
  });

  test("a base URL that is none is an error", async () => {
    for (const url of ["", "nonsense", "ftp://127.0.0.1", "http://user:pass-word@127.0.0.1"]) {
      const { message } = await collectStream(
        subject.streamFn(subject.model(url), CONTEXT, { apiKey: subject.apiKey }),
      );
      assert.equal(message.stopReason, "error");
      assert.ok(!message.errorMessage?.includes("pass-word"), message.errorMessage);
    }
  });
}

const BLANK_REQUEST = { method: "POST", path: "/", headers: {}, body: {} };

interface Tools {
  ask: Ask;
  serve(turn: ServerTurn): Promise<ModelServer>;
}

function waits({ ask, serve }: Tools, subject: StreamSubject): void {
  test("a signal that is already aborted sends nothing", async () => {
    const server = await serve({ text: "x" });
    const options = { apiKey: subject.apiKey, signal: AbortSignal.abort() };
    const { message } = await collectStream(
      subject.streamFn(subject.model(server.url), CONTEXT, options),
    );
    assert.equal(message.stopReason, "aborted");
    assert.equal(message.errorKind, "aborted");
    assert.equal(server.requests.length, 0);
  });

  for (const [when, turn] of [
    ["before the answer", { silent: true }],
    ["in the body of an error", { status: 500, raw: ["half"], end: "stall" }],
    ["within the answer", { text: "half an answer", deltaSize: 4, cutAfter: 4, end: "stall" }],
  ] as const) {
    test(`an abort ${when} ends the stream at once, and the connection with it`, async () => {
      const server = await serve(turn);
      const controller = new AbortController();
      const stream = await subject.streamFn(subject.model(server.url), CONTEXT, {
        apiKey: subject.apiKey,
        signal: controller.signal,
      });
      const reading = collectStream(stream);
      while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
      const [request] = server.requests;
      setImmediate(() => controller.abort());
      const { message } = await reading;
      assert.equal(message.stopReason, "aborted");
      assert.equal(await request?.closed, "cut");
    });
  }

  test("an abort after the end changes nothing", async () => {
    const controller = new AbortController();
    const { message } = await ask({ text: "whole" }, { signal: controller.signal });
    const before = structuredClone(message);
    controller.abort();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(message, before);
  });

  test("a server that does not begin to answer runs into the deadline of the first event", async () => {
    const options = { firstEventTimeoutMs: 40, idleTimeoutMs: 0 };
    const { message } = await ask({ silent: true }, options);
    assert.equal(message.errorKind, "idle_timeout");
    const later = await ask({ raw: [": hello\n\n"], end: "stall" }, options);
    assert.equal(later.message.errorKind, "idle_timeout");
  });

  test("an answer that stalls runs into the deadline between events, and keeps what came", async () => {
    const turn: ServerTurn = { text: "half an answer", deltaSize: 4, cutAfter: 4, end: "stall" };
    const { message } = await ask(turn, { firstEventTimeoutMs: 0, idleTimeoutMs: 40 });
    assert.equal(message.errorKind, "idle_timeout");
    assert.equal(message.content.length, 1);
  });

  test("an answer slower in all than the deadline, but never silent for so long, is done", async () => {
    const turn: ServerTurn = { text: "0123456789", deltaSize: 1, eventDelayMs: 20 };
    const { message } = await ask(turn, { firstEventTimeoutMs: 150, idleTimeoutMs: 150 });
    assert.equal(message.stopReason, "stop");
  });
}
