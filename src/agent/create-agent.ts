// Plugs the rooms together: a workspace, its tools, a model, and the prompt that fits them.
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { Model } from "../core/messages.ts";
import { type AgentTool, toAgentTool } from "../core/tool.ts";
import { nearestNames } from "../lib/text/nearest-names.ts";
import { defaultModel, findModel, type FoundModel } from "../models/catalog.ts";
import { toolDefinitions, toolTable } from "../tools/index.ts";
import { stateOutputFolder } from "../tools/output-folder.ts";
import { codePageOf } from "../tools/output-text.ts";
import { createLocalWorkspace } from "../workspace/local.ts";
import { WorkspaceError, type Workspace } from "../workspace/workspace.ts";
import { Agent, type AgentOptions } from "./agent.ts";
import { BadOptionError } from "./bad-option-error.ts";
import { createToolRedaction } from "./redact-tool.ts";
import { secretsIn, SecretStore } from "./secrets.ts";
import { buildSystemPrompt } from "./system-prompt.ts";
import { systemClock } from "./system-ports.ts";

type Environment = Readonly<Record<string, string | undefined>>;

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
  /** Tools of the caller's own, beside the built-in ones; one with a built-in's name takes its place. */
  customTools?: readonly AgentTool[];
  /** In place of our guidance. */
  systemPrompt?: string;
  appendSystemPrompt?: string;
  /** Where keys and addresses are found, and the environment of commands; the process's if left out. */
  env?: Environment;
}

/** An agent ready for its first prompt. Throws a BadOptionError with one line that says what to do. */
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
  if (!found.ok) throw new BadOptionError(found.message);
  const names = chooseTools({ tools, excludeTools, readOnly });
  const place = workspace ?? localWorkspace(cwd, env);
  const own = new Set(customTools.map(({ name }) => name));
  if (own.size < customTools.length) throw new BadOptionError("Two custom tools have one name.");
  const codePage = codePageOf(env);
  const secrets = new SecretStore(secretsIn(env));
  secrets.learn("API_KEY", found.apiKey);
  secrets.learn("API_KEY", agentOptions.options?.apiKey);
  const definitions = toolDefinitions(
    place,
    names.filter((name) => !own.has(name)),
    {
      redact: () => secrets.redactor(),
      spillFolder: () => stateOutputFolder(env),
      ...(codePage === undefined ? {} : { codePage }),
    },
  );
  const active = definitions.map((definition) =>
    toAgentTool(definition, () => ({ cwd: place.cwd })),
  );
  const prompt = buildSystemPrompt({
    tools: definitions,
    cwd: place.cwd,
    date: localDate((agentOptions.clock ?? systemClock).now()),
    platform: process.platform,
    ...(systemPrompt === undefined ? {} : { custom: systemPrompt }),
    ...(appendSystemPrompt === undefined ? {} : { append: appendSystemPrompt }),
  });
  const { getApiKey, wrapTool = (tool) => tool, options: streamOptions } = agentOptions;
  const redactTool = createToolRedaction(() => secrets.redactor());
  return new Agent({
    ...(streamOptions?.apiKey === undefined
      ? { getApiKey: (provider) => keyFor(provider, { found, env }) }
      : {}),
    ...agentOptions,
    ...(getApiKey
      ? { getApiKey: async (provider) => secrets.learn("API_KEY", await getApiKey(provider)) }
      : {}),
    wrapTool: (tool) => redactTool(wrapTool(tool)),
    initialState: {
      model: found.model,
      systemPrompt: prompt,
      tools: [...active, ...customTools],
      ...(found.thinking === undefined ? {} : { thinkingLevel: found.thinking }),
      ...agentOptions.initialState,
    },
  });
}

/** `YYYY-MM-DD` where the user is. */
function localDate(now: number): string {
  const date = new Date(now);
  const twoDigits = (number: number): string => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}

/** A key goes only to its own provider, also after the model was changed. */
function keyFor(
  provider: string,
  { found, env }: { found: Found; env: Environment },
): string | undefined {
  if (provider === found.model.provider) return found.apiKey;
  // The id does not matter: a provider has one key.
  const other = findModel(`${provider}/any`, env);
  return other.ok ? other.apiKey : undefined;
}

type Found = Extract<FoundModel, { ok: true }>;

function chooseModel(
  model: string | Model | undefined,
  env: Environment,
  baseUrl: string | undefined,
): FoundModel {
  const options = baseUrl === undefined ? {} : { baseUrl };
  if (model === undefined) return defaultModel(env, options);
  return typeof model === "string" ? findModel(model, env, options) : { ok: true, model };
}

function localWorkspace(cwd: string, env: Environment): Workspace {
  const set = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  try {
    return createLocalWorkspace({
      cwd: resolve(cwd),
      home: homedir(),
      env: Object.fromEntries(set),
    });
  } catch (error) {
    if (error instanceof WorkspaceError) throw new BadOptionError(error.message, { cause: error });
    throw error;
  }
}

/** The names of the tools to activate. */
function chooseTools({
  tools,
  excludeTools = [],
  readOnly = false,
}: {
  tools: readonly string[] | undefined;
  excludeTools: readonly string[] | undefined;
  readOnly: boolean | undefined;
}): string[] {
  for (const name of [...(tools ?? []), ...excludeTools]) refuseUnknown(name);
  const chosen = toolTable.filter(
    ({ name, defaultActive }) =>
      !excludeTools.includes(name) && (tools?.includes(name) ?? (readOnly || defaultActive)),
  );
  const writing = chosen.find((tool) => !tool.readOnly);
  if (readOnly && tools && writing) {
    throw new BadOptionError(
      `The tool ${writing.name} can change things: it is not for read-only.`,
    );
  }
  return chosen.filter((tool) => !readOnly || tool.readOnly).map(({ name }) => name);
}

function refuseUnknown(name: string): void {
  const known = toolTable.map((tool) => tool.name);
  if (known.includes(name)) return;
  const [nearest] = nearestNames(name, known, 1);
  const hint = nearest ? `did you mean ${nearest}?` : `known are ${known.join(", ")}.`;
  throw new BadOptionError(`Unknown tool ${JSON.stringify(name)}: ${hint}`);
}
