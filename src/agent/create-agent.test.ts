import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { tool } from "../../test/kit/run-loop.ts";
import { type AgentTool, defineTool } from "../core/tool.ts";
import { createManualClock } from "../testing/manual-clock.ts";
import { callTurn, createScriptedModel, textTurn } from "../testing/scripted-model.ts";
import { createMemoryWorkspace } from "../workspace/memory.ts";
import type { Agent } from "./agent.ts";
import { createAgent, type CreateAgentOptions } from "./create-agent.ts";

const workspace = createMemoryWorkspace();

function toolNames(options: CreateAgentOptions): string[] {
  const agent = createAgent({ workspace, env: {}, ...options });
  return agent.state.tools.map(({ name }) => name);
}

describe("the active tools", () => {
  const cases: [string, CreateAgentOptions, string[]][] = [
    ["are four by default", {}, ["read", "bash", "edit", "write"]],
    ["are those that were asked for", { tools: ["ls", "read"] }, ["read", "ls"]],
    ["may be none", { tools: [] }, []],
    ["leave out what is excluded", { excludeTools: ["bash"] }, ["read", "edit", "write"]],
    ["only read in read-only mode", { readOnly: true }, ["read", "grep", "find", "ls"]],
    ["of read-only mode can be chosen", { readOnly: true, tools: ["grep"] }, ["grep"]],
  ];
  for (const [title, options, names] of cases) {
    test(title, () => assert.deepEqual(toolNames(options), names));
  }

  test("of the caller's own stand beside ours, or in place of them", () => {
    const own = (name: string) =>
      defineTool({
        name,
        description: "Mine.",
        parameters: { type: "object" },
        execute: async () => ({ content: [] }),
      });
    const agent = createAgent({ workspace, env: {}, customTools: [own("roll"), own("read")] });
    const { tools, systemPrompt } = agent.state;
    assert.deepEqual(
      tools.map(({ name, description }) => (description === "Mine." ? `own ${name}` : name)),
      ["bash", "edit", "write", "own roll", "own read"],
    );
    assert.doesNotMatch(systemPrompt, /^- read:/m);
    assert.throws(
      () => createAgent({ workspace, env: {}, customTools: [own("roll"), own("roll")] }),
      /one name/,
    );
  });
});

describe("options that make no sense are refused with what to do", () => {
  const cases: [string, CreateAgentOptions, RegExp][] = [
    ["an unknown tool", { tools: ["reed"] }, /Unknown tool "reed": did you mean read\?/],
    ["an unknown excluded tool", { excludeTools: ["xyz"] }, /known are read, bash/],
    [
      "a tool that writes, in read-only mode",
      { readOnly: true, tools: ["bash"] },
      /bash can change/,
    ],
    ["an unknown model", { model: "nobody/x" }, /nobody/],
    ["a model without its key", { model: "anthropic/claude-sonnet-4-5" }, /ANTHROPIC_API_KEY/],
  ];
  for (const [title, options, message] of cases) {
    test(title, () =>
      assert.throws(() => createAgent({ workspace, env: {}, ...options }), {
        name: "BadOptionError",
        message,
      }),
    );
  }

  test("a folder that is not there", () => {
    assert.throws(() => createAgent({ cwd: "/no/such/folder", env: {} }), {
      name: "BadOptionError",
      message: /\/no\/such\/folder/,
    });
  });
});

test("without a model and a key the offline model answers, by real tools on the given folder", async () => {
  const folder = mkdtempSync(join(tmpdir(), "errand-agent-"));
  try {
    const agent = createAgent({ cwd: folder, env: { PATH: process.env["PATH"] } });
    assert.equal(agent.state.model.provider, "offline");
    const { reason, messages } = await agent.prompt("run pwd");
    assert.equal(reason, "done");
    assert.match(JSON.stringify(messages), new RegExp(folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the first key decides the model, and a thinking level comes with the name", () => {
  const env = { ANTHROPIC_API_KEY: "k" };
  assert.equal(createAgent({ workspace, env }).state.model.provider, "anthropic");
  const { state } = createAgent({ workspace, env, model: "anthropic/claude-sonnet-4-5:high" });
  assert.deepEqual([state.model.id, state.thinkingLevel], ["claude-sonnet-4-5", "high"]);
});

test("the prompt holds the tools' guidance, the folder, and the day it is where the user is", () => {
  const noon = new Date(2026, 0, 5, 12).getTime();
  const { clock } = createManualClock(noon);
  const { systemPrompt } = createAgent({ workspace, env: {}, clock }).state;
  assert.match(systemPrompt, /^- read: /m);
  assert.match(systemPrompt, new RegExp(`Working folder: ${workspace.cwd}\n`));
  assert.match(systemPrompt, /Date: 2026-01-05$/);
});

describe("a key", () => {
  const env = { ANTHROPIC_API_KEY: "anthropic-key" };

  async function keysSent(options: CreateAgentOptions, provider?: string): Promise<unknown[]> {
    const script = createScriptedModel([textTurn("one"), textTurn("two")]);
    const agent = createAgent({ workspace, env, streamFn: script.streamFn, ...options });
    await agent.prompt("go");
    if (provider) agent.state.model = { ...agent.state.model, provider };
    await agent.prompt("go on");
    return script.requests.map((request) => request.options.apiKey);
  }

  test("goes to its own provider, and to no other after the model was changed", async () => {
    assert.deepEqual(await keysSent({}, "somebody"), ["anthropic-key", undefined]);
  });

  test("is found for the provider that the model was changed to", async () => {
    assert.deepEqual(await keysSent({ model: "offline" }, "anthropic"), [
      undefined,
      "anthropic-key",
    ]);
  });

  test("of the caller's own goes first", async () => {
    const own = await keysSent({ options: { apiKey: "own" } });
    assert.deepEqual(own, ["own", "own"]);
    const asked = await keysSent({ getApiKey: () => "asked" });
    assert.deepEqual(asked, ["asked", "asked"]);
  });
});

test("an output that is too long lies in the state folder, without the secrets in it", async () => {
  const state = mkdtempSync(join(tmpdir(), "errand-state-"));
  try {
    const agent = createAgent({
      cwd: state,
      env: { PATH: process.env["PATH"], XDG_STATE_HOME: state, SOME_TOKEN: "sk-test-000" },
      model: "offline",
    });
    await agent.prompt("run printenv SOME_TOKEN; seq 1 90000");
    const [name = ""] = readdirSync(join(state, "errand/output"));
    const path = join(state, "errand/output", name);
    assert.match(readFileSync(path, "utf8"), /^\[redacted:SOME_TOKEN\]\n1\n2\n/);
    assert.ok(JSON.stringify(agent.state.messages).includes(`Full output: ${path}]`));
  } finally {
    rmSync(state, { recursive: true });
  }
});

describe("a secret of the environment", () => {
  const env = { PATH: process.env["PATH"], SOME_API_KEY: "sk-test-000" };
  const told = async (agent: Agent, prompt: string): Promise<string> => {
    const events: unknown[] = [];
    agent.subscribe((event) => events.push(structuredClone(event)));
    await agent.prompt(prompt);
    return JSON.stringify([events, agent.state.messages]);
  };

  test("that a command prints reaches no event and no message", async () => {
    const agent = createAgent({ cwd: tmpdir(), env, model: "offline" });
    const all = await told(
      agent,
      "run env | grep -i api_key; sleep 0.2; printenv SOME_API_KEY | base64",
    );
    assert.doesNotMatch(all, /sk-test-000|c2stdGVzdC0wMD/);
    assert.match(all, /SOME_API_KEY=\[redacted:SOME_API_KEY\]/);
  });

  test("is hidden in results of tools that come later, by the caller or by a hook", async () => {
    const leak = (name: string): AgentTool => tool(name, () => `${name}: sk-test-000`);
    const turns = ["first", "second", "third"].map((name) => callTurn(name, {}));
    const model = createScriptedModel([...turns, textTurn("done")]);
    const agent = createAgent({
      workspace,
      env,
      model: model.model,
      streamFn: model.streamFn,
      tools: [],
      customTools: [leak("first")],
      prepareNextTurn: ({ context }) =>
        context.tools?.some(({ name }) => name === "second") === true
          ? { context: { ...context, tools: [leak("third")] } }
          : undefined,
    });
    agent.subscribe(({ type }) => {
      if (type === "message_end" && agent.state.tools.length === 1) {
        const [only] = agent.state.tools;
        if (only?.name === "first") agent.state.tools = [only, leak("second")];
      }
    });
    const all = await told(agent, "go");
    assert.doesNotMatch(all, /sk-test-000/);
    for (const name of ["first", "second", "third"])
      assert.match(all, new RegExp(`${name}: \\[redacted:SOME_API_KEY\\]`));
  });

  test("that the caller hands in at the last moment is hidden too", async () => {
    const model = createScriptedModel([callTurn("leak", {}), textTurn("done")]);
    const agent = createAgent({
      workspace,
      env: {},
      model: model.model,
      streamFn: model.streamFn,
      getApiKey: async () => "late-key-1",
      customTools: [tool("leak", () => "late-key-1")],
    });
    assert.doesNotMatch(await told(agent, "go"), /late-key-1/);
  });
});
