// Plugs the rooms together: a workspace, its tools, a model, and the prompt that fits them.
import { homedir } from "node:os";
import type { Model } from "../core/messages.ts";
import { type AgentTool, toAgentTool } from "../core/tool.ts";
import { nearestNames } from "../lib/text/nearest-names.ts";
import { defaultModel, findModel, type FoundModel } from "../models/catalog.ts";
import { toolDefinitions, toolTable } from "../tools/index.ts";
import { createLocalWorkspace } from "../workspace/local.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { Agent, type AgentOptions } from "./agent.ts";
import { buildSystemPrompt } from "./system-prompt.ts";

export interface CreateAgentOptions extends AgentOptions {
  /** Where the agent works; the current folder if left out. */
  cwd?: string;
  /** In place of the local disk at `cwd`. */
  workspace?: Workspace;
  /** `provider/id[:thinking]`, or a model; the first provider with a key if left out, else the offline model. */
  model?: string | Model;
  /** In place of the provider's address. */
  baseUrl?: string;
  /** Names of built-in tools to activate. */
  tools?: readonly string[];
  excludeTools?: readonly string[];
  /** Only tools that read. */
  readOnly?: boolean;
  /** Tools of the caller's own, beside the built-in ones. */
  customTools?: readonly AgentTool[];
  /** In place of our guidance. */
  systemPrompt?: string;
  appendSystemPrompt?: string;
  /** Where keys and addresses are found, and the environment of commands; the process's if left out. */
  env?: Readonly<Record<string, string | undefined>>;
}

/** An agent ready for its first prompt. Throws an Error with one line that says what to do about bad options. */
export function createAgent(options: CreateAgentOptions = {}): Agent {
  const {
    cwd = process.cwd(),
    workspace,
    model,
    baseUrl,
    tools,
    excludeTools,
    readOnly,
    customTools = [],
    systemPrompt,
    appendSystemPrompt,
    env = process.env,
    ...agentOptions
  } = options;
  const found = chooseModel(model, env, baseUrl);
  if (!found.ok) throw new Error(found.message);
  const place = workspace ?? localWorkspace(cwd, env);
  const names = chooseTools({ tools, excludeTools, readOnly });
  const definitions = toolDefinitions(place, names);
  const active = definitions.map((definition) =>
    toAgentTool(definition, () => ({ cwd: place.cwd })),
  );
  const prompt = buildSystemPrompt({
    tools: definitions,
    cwd: place.cwd,
    date: new Date().toISOString().slice(0, 10),
    platform: process.platform,
    ...(systemPrompt === undefined ? {} : { custom: systemPrompt }),
    ...(appendSystemPrompt === undefined ? {} : { append: appendSystemPrompt }),
  });
  const { apiKey, thinking } = found;
  return new Agent({
    ...agentOptions,
    ...(apiKey === undefined ? {} : { options: { apiKey, ...agentOptions.options } }),
    initialState: {
      model: found.model,
      systemPrompt: prompt,
      tools: [...active, ...customTools],
      ...(thinking === undefined ? {} : { thinkingLevel: thinking }),
      ...agentOptions.initialState,
    },
  });
}

function chooseModel(
  model: string | Model | undefined,
  env: Readonly<Record<string, string | undefined>>,
  baseUrl: string | undefined,
): FoundModel {
  const options = baseUrl === undefined ? {} : { baseUrl };
  if (model === undefined) return defaultModel(env, options);
  return typeof model === "string" ? findModel(model, env, options) : { ok: true, model };
}

function localWorkspace(cwd: string, env: Readonly<Record<string, string | undefined>>): Workspace {
  const set = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return createLocalWorkspace({ cwd, home: homedir(), env: Object.fromEntries(set) });
}

/** The names of the tools to activate. Throws for a name that is no tool. */
function chooseTools({
  tools,
  excludeTools = [],
  readOnly,
}: {
  tools: readonly string[] | undefined;
  excludeTools: readonly string[] | undefined;
  readOnly: boolean | undefined;
}): string[] {
  const known = toolTable.map(({ name }) => name);
  for (const name of [...(tools ?? []), ...excludeTools]) {
    if (known.includes(name)) continue;
    const [nearest] = nearestNames(name, known, 1);
    const hint = nearest ? `did you mean ${nearest}?` : `known are ${known.join(", ")}.`;
    throw new Error(`Unknown tool ${JSON.stringify(name)}: ${hint}`);
  }
  return toolTable
    .filter((tool) => !excludeTools.includes(tool.name) && (!readOnly || tool.readOnly))
    .filter((tool) => tools?.includes(tool.name) ?? (readOnly === true || tool.defaultActive))
    .map(({ name }) => name);
}
