import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ok, tick, tool, user } from "../../test/kit/run-loop.ts";
import {
  callTurn,
  createScriptedModel,
  textTurn,
  type TurnScript,
} from "../testing/scripted-model.ts";
import { textOf, type AgentMessage } from "../core/messages.ts";
import { Agent, type AgentOptions } from "./agent.ts";

function agentOf(turns: TurnScript[], options: AgentOptions = {}) {
  const script = createScriptedModel(turns);
  const { initialState, ...rest } = options;
  const agent = new Agent({
    streamFn: script.streamFn,
    ...rest,
    initialState: { model: script.model, ...initialState },
  });
  return { agent, script };
}

const roles = (messages: readonly AgentMessage[]): string[] => messages.map(({ role }) => role);

const said = (message: AgentMessage | undefined): string =>
  message && "content" in message ? textOf(message.content) : "";

describe("a prompt", () => {
  test("adds to the conversation and tells how the run ended", async () => {
    const { agent, script } = agentOf([textTurn("one"), textTurn("two")]);
    const first = await agent.prompt("hello");
    assert.equal(first.reason, "done");
    assert.deepEqual(roles(first.messages), ["user", "assistant"]);
    await agent.prompt("again");
    assert.deepEqual(roles(agent.state.messages), ["user", "assistant", "user", "assistant"]);
    assert.equal(script.requests[1]?.context.messages.length, 3);
    assert.deepEqual(said(script.requests[1]?.context.messages[2]), "again");
  });

  test("takes images, one message, or several", async () => {
    const { agent, script } = agentOf([textTurn("a"), textTurn("b"), textTurn("c")]);
    const image = { type: "image" as const, data: "AAAA", mimeType: "image/png" };
    await agent.prompt("look", [image]);
    await agent.prompt(user("whole message"));
    await agent.prompt([user("one"), user("two")]);
    assert.deepEqual(script.requests[0]?.context.messages[0]?.content, [
      { type: "text", text: "look" },
      image,
    ]);
    assert.equal(script.requests[2]?.context.messages.length, 6);
  });

  test("while another runs is refused with what to do instead", async () => {
    const { agent } = agentOf([{ text: "x", neverEnd: true }]);
    const running = agent.prompt("first");
    await assert.rejects(agent.prompt("second"), /already running\. Use steer\(\) or followUp\(\)/);
    await assert.rejects(agent.continue(), /already running/);
    assert.throws(() => agent.reset(), /already running/);
    assert.equal(agent.state.isStreaming, true);
    agent.abort();
    await running;
    assert.equal(agent.state.isStreaming, false);
  });

  test("after a failure may be given again", async () => {
    const { agent } = agentOf([
      { error: { kind: "auth", message: "wrong key" } },
      textTurn("now it works"),
    ]);
    const failed = await agent.prompt("hello");
    assert.deepEqual([failed.reason, failed.cause?.message], ["error", "wrong key"]);
    assert.equal(agent.state.errorMessage, "wrong key");
    assert.equal((await agent.prompt("hello")).reason, "done");
    assert.equal(agent.state.errorMessage, undefined);
  });
});

describe("queues", () => {
  test("steering joins before the next request, a follow-up when the agent would stop", async () => {
    const gate = Promise.withResolvers<string>();
    const { agent } = agentOf([callTurn("wait", {}), textTurn("b"), textTurn("c")], {
      initialState: { tools: [tool("wait", () => gate.promise)] },
    });
    const running = agent.prompt("go");
    await tick();
    agent.followUp("later");
    agent.steer("now");
    gate.resolve("waited");
    await running;
    assert.deepEqual(
      agent.state.messages.map((message) =>
        message.role === "user" ? said(message) : message.role,
      ),
      ["go", "assistant", "toolResult", "now", "assistant", "later", "assistant"],
    );
  });

  test("can be looked at, taken back, and removed from by id", async () => {
    const { agent } = agentOf([textTurn("x")]);
    const id = agent.steer("a");
    agent.followUp("b");
    assert.deepEqual(
      agent.queue.peek().map(({ kind, message }) => [kind, said(message)]),
      [
        ["steer", "a"],
        ["followUp", "b"],
      ],
    );
    assert.equal(said(agent.queue.remove(id)?.message), "a");
    assert.equal(said(agent.queue.takeBack()?.message), "b");
    assert.equal(agent.queue.size, 0);
  });

  test("are delivered one at a time, or all together", async () => {
    for (const [steeringMode, requests] of [
      ["one-at-a-time", 3],
      ["all", 1],
    ] as const) {
      const { agent, script } = agentOf([textTurn("a"), textTurn("b"), textTurn("c")], {
        steeringMode,
      });
      for (const text of ["x", "y", "z"]) agent.steer(text);
      await agent.prompt("go");
      assert.equal(script.requests.length, requests);
    }
  });

  test("stay when a run is aborted", async () => {
    const { agent } = agentOf([{ text: "x", neverEnd: true }]);
    const running = agent.prompt("go");
    await tick();
    agent.followUp("later");
    agent.abort();
    assert.equal((await running).reason, "aborted");
    assert.equal(agent.queue.size, 1);
  });
});

describe("continue", () => {
  test("goes on from a user message", async () => {
    const { agent } = agentOf([textTurn("x")], { initialState: { messages: [user("a")] } });
    assert.equal((await agent.continue()).reason, "done");
    assert.deepEqual(roles(agent.state.messages), ["user", "assistant"]);
  });

  test("after an answer takes what is queued, steering first", async () => {
    const { agent } = agentOf([textTurn("a"), textTurn("b"), textTurn("c")]);
    await agent.prompt("go");
    agent.followUp("follow");
    agent.steer("steer");
    await agent.continue();
    const texts = agent.state.messages.filter(({ role }) => role === "user").map(said);
    assert.deepEqual(texts, ["go", "steer", "follow"]);
  });

  test("settles open calls, whose results stand where they belong", async () => {
    const { agent } = agentOf([callTurn("look", {}), textTurn("x")], {
      initialState: { tools: [tool("look", () => "seen", { pure: true })] },
    });
    await agent.prompt("go");
    const [prompt, asked] = agent.state.messages;
    agent.state.messages = [prompt as AgentMessage, asked as AgentMessage, user("and now?")];
    const { agent: second } = agentOf([textTurn("y")], {
      initialState: { tools: agent.state.tools, messages: agent.state.messages },
    });
    await second.continue();
    assert.deepEqual(roles(second.state.messages), [
      "user",
      "assistant",
      "toolResult",
      "user",
      "assistant",
    ]);
  });

  test("with nothing to go on from is refused", async () => {
    const { agent } = agentOf([textTurn("x")]);
    await assert.rejects(agent.continue(), /no messages yet/);
    await agent.prompt("go");
    await assert.rejects(agent.continue(), /last answer is complete/);
  });
});

describe("listeners", () => {
  test("hear every event with the run's signal until they leave", async () => {
    const { agent } = agentOf([textTurn("x"), textTurn("y")]);
    const types: string[] = [];
    const signals = new Set<AbortSignal>();
    const leave = agent.subscribe((event, signal) => {
      types.push(event.type);
      signals.add(signal);
    });
    await agent.prompt("go");
    assert.equal(types[0], "agent_start");
    assert.equal(types.at(-1), "agent_end");
    assert.equal(signals.size, 1);
    const before = types.length;
    leave();
    await agent.prompt("go");
    assert.equal(types.length, before);
  });

  test("that throw are reported and change nothing", async () => {
    const reported: unknown[] = [];
    const { agent } = agentOf([textTurn("x")], {
      onListenerError: (error) => reported.push(error),
    });
    let heard = 0;
    agent.subscribe(() => {
      throw new Error("bad listener");
    });
    agent.subscribe(() => heard++);
    assert.equal((await agent.prompt("go")).reason, "done");
    assert.equal(reported.length, heard);
  });
});

describe("the state", () => {
  test("follows the run: streaming message, running calls, idle", async () => {
    const gate = Promise.withResolvers<string>();
    const { agent } = agentOf([callTurn("wait", {}, "c1"), textTurn("x")], {
      initialState: { tools: [tool("wait", () => gate.promise)] },
    });
    const streamed: boolean[] = [];
    agent.subscribe((event) => {
      if (event.type === "message_update")
        streamed.push(agent.state.streamingMessage !== undefined);
    });
    assert.equal(agent.signal, undefined);
    const running = agent.prompt("go");
    assert.ok(agent.signal);
    await tick();
    assert.deepEqual([...agent.state.pendingToolCalls], ["c1"]);
    let idle = false;
    void agent.waitForIdle().then(() => (idle = true));
    await tick();
    assert.equal(idle, false);
    gate.resolve("done");
    await running;
    await agent.waitForIdle();
    assert.equal(agent.state.pendingToolCalls.size, 0);
    assert.equal(agent.state.streamingMessage, undefined);
    assert.ok(streamed.length > 0 && streamed.every(Boolean));
  });

  test("that changes while the run goes on counts from the next request", async () => {
    const gate = Promise.withResolvers<string>();
    const wait = tool("wait", () => gate.promise);
    const { agent, script } = agentOf([callTurn("wait", {}), textTurn("x")], {
      initialState: { tools: [wait], systemPrompt: "old" },
    });
    const running = agent.prompt("go");
    await tick();
    agent.state.model = { ...agent.state.model, id: "other" };
    agent.state.thinkingLevel = "high";
    agent.state.systemPrompt = "new";
    agent.state.tools = [wait, tool("more", () => "x")];
    gate.resolve("x");
    await running;
    const [first, second] = script.requests;
    assert.deepEqual(
      [first, second].map((request) => [
        request?.model.id === "other",
        request?.options?.reasoning,
        request?.context.systemPrompt,
        request?.context.tools?.length,
      ]),
      [
        [false, undefined, "old", 1],
        [true, "high", "new", 2],
      ],
    );
    assert.equal(second?.context.messages.length, 3);
  });

  test("takes over what a hook gives the run", async () => {
    const { agent } = agentOf([callTurn("act", {}), textTurn("x")], {
      initialState: { tools: [tool("act", () => "x")] },
      prepareNextTurn: ({ message, context }) =>
        message.stopReason === "toolUse"
          ? { context: { ...context, messages: [user("summary")] } }
          : undefined,
    });
    await agent.prompt("go");
    assert.deepEqual(agent.state.messages.map(said), ["summary", "x"]);
  });

  test("holds each message once, though its prompt changes turn by turn", async () => {
    const turns = Array.from({ length: 6 }, (_, n) => callTurn("act", { n }, `c${n}`));
    const { agent } = agentOf([...turns, textTurn("x")], {
      initialState: { tools: [tool("act", () => "x")] },
    });
    agent.subscribe((event) => {
      if (event.type === "tool_execution_end") agent.state.systemPrompt += ".";
    });
    const { messages } = await agent.prompt("go");
    assert.deepEqual(agent.state.messages, messages);
  });

  test("lists are copied when they are set", () => {
    const { agent } = agentOf([]);
    const messages = [user("a")];
    agent.state.messages = messages;
    messages.push(user("b"));
    assert.equal(agent.state.messages.length, 1);
  });

  test("is empty after a reset", async () => {
    const { agent } = agentOf([textTurn("x")]);
    await agent.prompt("go");
    agent.steer("later");
    agent.reset();
    assert.equal(agent.state.messages.length, 0);
    assert.equal(agent.queue.size, 0);
  });
});

test("one call can be cancelled alone", async () => {
  const { agent } = agentOf([callTurn("wait", {}, "c1"), textTurn("x")], {
    initialState: {
      tools: [
        tool(
          "wait",
          (_args, signal) =>
            new Promise((resolve) => signal.addEventListener("abort", () => resolve(ok("part")))),
        ),
      ],
    },
  });
  assert.equal(agent.abortCall("c1"), "unknown");
  const running = agent.prompt("go");
  await tick();
  assert.equal(agent.abortCall("c1"), "aborted");
  assert.equal((await running).reason, "done");
  assert.match(said(agent.state.messages[2]), /^part\nAborted \(cancelled by the user\)/);
});

test("an abort's reason reaches the results", async () => {
  const { agent } = agentOf([{ text: "x", neverEnd: true }]);
  const running = agent.prompt("go");
  await tick();
  agent.abort("the window was closed");
  const end = await running;
  assert.equal(end.cause?.message, "the window was closed");
});
