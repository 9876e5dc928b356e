import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Agent, type AgentOptions } from "../agent/agent.ts";
import type { UserMessage } from "../core/messages.ts";
import { defineTool } from "../core/tool.ts";
import { createManualClock, type ManualClock } from "../testing/manual-clock.ts";
import { callTurn, createScriptedModel, type TurnScript } from "../testing/scripted-model.ts";
import { recordOutput, type RecordedOutput } from "../../test/kit/output-recorder.ts";
import type { OutputPort } from "./output.ts";
import { runPrint } from "./print.ts";

const prompt: UserMessage = { role: "user", content: "go", timestamp: 0 };

const look = defineTool({
  name: "look",
  description: "Looks.",
  parameters: { type: "object", properties: { path: { type: "string" } } },
  execute: async (_id, { path }) => {
    if (path === "gone") throw new Error("There is no gone.");
    return {
      content: [{ type: "text", text: "seen" }],
      ...(path === "last" ? { terminate: true } : {}),
    };
  },
});

interface Printed extends Pick<RecordedOutput, "out" | "err"> {
  reason: string;
}

async function print(
  turns: TurnScript[],
  {
    port,
    quiet = false,
    ...options
  }: { port?: Partial<OutputPort>; quiet?: boolean } & AgentOptions = {},
): Promise<Printed> {
  const script = createScriptedModel(turns);
  const agent = new Agent({
    streamFn: script.streamFn,
    ...options,
    initialState: { model: script.model, tools: [look] },
  });
  const output = recordOutput(port);
  const end = await runPrint(agent, prompt, { port: output.port, quiet });
  return { reason: end.reason, out: output.out, err: () => withoutTime(output.err()) };
}

function withoutTime(text: string): string {
  return text.replace(/\d+\.\d s\n$/, "TIME\n");
}

/** Seconds go by until the promise settles. */
async function passingTime<T>(manual: ManualClock, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settling = promise.finally(() => (isSettled = true));
  while (!isSettled) await manual.advance(1000);
  return settling;
}

const dialogue: TurnScript[] = [
  { text: "Let me look.", ...callTurn("look", { path: "a.txt" }), usage: { input: 5, output: 2 } },
  { text: "All is well.", usage: { input: 9, output: 3, totalTokens: 12 } },
];

describe("print mode", () => {
  test("writes the answer alone to stdout, what goes on to stderr", async () => {
    const { out, err } = await print(dialogue);
    assert.equal(out(), "All is well.\n");
    assert.match(
      err(),
      /^Let me look\.\n● look a\.txt\n\S+ · 19 tokens \(14 in, 5 out\) · TIME\n$/,
    );
  });

  test("leaves all but the answer out when it shall be quiet", async () => {
    const { out, err } = await print(dialogue, { quiet: true });
    assert.deepEqual([out(), err()], ["All is well.\n", ""]);
  });

  test("shows why a call failed", async () => {
    const { err } = await print([callTurn("look", { path: "gone" }), { text: "Sorry." }]);
    assert.match(err(), /^✗ look gone: There is no gone\.\n/);
  });

  test("colours stderr only where that is wanted", async () => {
    const { err } = await print(dialogue, { port: { colours: true } });
    assert.match(err(), /\u001b\[32m●\u001b\[39m look/);
  });

  test("takes what was said before the last call for the answer when a tool ends the run", async () => {
    const turn = { text: "It is finished.", ...callTurn("look", { path: "last" }) };
    const { out, reason } = await print([turn]);
    assert.deepEqual([reason, out()], ["terminated", "It is finished.\n"]);
  });

  test("writes no answer that the run did not reach", async () => {
    const { out, err } = await print(dialogue, { limits: { turns: 1 }, quiet: true });
    assert.equal(out(), "");
    assert.equal(
      err(),
      "errand: stopped: The limit of 1 turns is reached. --max-turns allows more.\n",
    );
  });

  test("tells why the run failed, also when it shall be quiet", async () => {
    const error = { kind: "auth", message: "The key is not taken." } as const;
    const { err, reason } = await print([{ error }], { quiet: true });
    assert.deepEqual([reason, err()], ["error", "errand: the run failed: The key is not taken.\n"]);
  });

  test("tells of retries", async () => {
    const manual = createManualClock();
    const error = { kind: "overloaded", message: "busy", retryAfterMs: 4000 } as const;
    const { clock, timers } = manual;
    const { out, err } = await passingTime(
      manual,
      print([{ error }, { text: "Now." }], { clock, timers }),
    );
    assert.match(err(), /^retrying in 4 s: busy \(attempt 1 failed\)\n/);
    assert.equal(out(), "Now.\n");
  });

  test("keeps the bytes of an answer that goes to a file or a pipe", async () => {
    const { out } = await print([{ text: "a\u001b[31mb" }]);
    assert.equal(out(), "a\u001b[31mb\n");
  });

  test("keeps escape sequences of a model or a tool from the terminal", async () => {
    const turns: TurnScript[] = [
      { text: "\u001b]0;owned\u0007Look", ...callTurn("look", { path: "\u001b[2Jgone" }) },
      { text: "a\u001b[31mb" },
    ];
    for (const port of [{ outIsTerminal: true }, { outIsTerminal: true, errIsTerminal: true }]) {
      const { out, err } = await print(turns, { port });
      assert.doesNotMatch(out() + err(), /\u001b|\u0007/);
      assert.match(out(), /ab\n$/);
    }
  });
});

describe("on one screen", () => {
  const port = { outIsTerminal: true, errIsTerminal: true };

  test("text is shown while it comes, once, and each line of a call stands alone", async () => {
    const order: string[] = [];
    const screen: Partial<OutputPort> = {
      ...port,
      out: (text) => void order.push(text),
      err: (text) => void order.push(text),
    };
    await print(
      dialogue.map((turn) => ({ ...turn, deltaSize: 6 })),
      { port: screen },
    );
    assert.equal(order.slice(0, -1).join("|"), "Let me| look.|\n|● look a.txt\n|All is| well.|\n");
  });

  test("text that is held back to its end is shown once", async () => {
    const { out } = await print([{ text: "\u001b[31mHeld back.", deltaSize: 2 }], { port });
    assert.equal(out(), "Held back.\n");
  });

  test("a failed attempt's text is ended before the retry is told", async () => {
    const manual = createManualClock();
    const half = { text: "Half a", error: { kind: "network", message: "reset" } } as const;
    const order: string[] = [];
    const write = (text: string): undefined => void order.push(text);
    const { clock, timers } = manual;
    const screen = { ...port, out: write, err: write };
    await passingTime(manual, print([half, { text: "Whole." }], { clock, timers, port: screen }));
    const [text, end, retry, ...rest] = order;
    assert.deepEqual([text, end], ["Half a", "\n"]);
    assert.match(retry ?? "", /^retrying in 1 s: reset/);
    assert.deepEqual(rest.slice(0, 2), ["Whole.", "\n"]);
  });
});
