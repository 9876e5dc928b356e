// Which model a user means: `provider/id[:thinking]`, or the first provider that has a key, or the offline model.
import type { StreamOptions } from "../core/events.ts";
import type { Model } from "../core/messages.ts";
import { nearestNames } from "../lib/text/nearest-names.ts";
import { offlineModel } from "./offline/offline-model.ts";

export type ThinkingLevel = "off" | NonNullable<StreamOptions["reasoning"]>;

export type Environment = Readonly<Record<string, string | undefined>>;

/** A model to use, or one line that says what to do. */
export type FoundModel =
  | { ok: true; model: Model; thinking?: ThinkingLevel; apiKey?: string }
  | { ok: false; message: string };

export interface FindOptions {
  /** In place of the provider's own address. */
  baseUrl?: string;
}

/** A line of the list of models. */
export interface ListedModel {
  /** What `--model` takes. */
  spec: string;
  name: string;
  /** It could be used now. */
  hasKey: boolean;
}

interface KnownModel {
  id: string;
  name: string;
  /** USD per million tokens; a cache write costs a quarter more than input. */
  input: number;
  output: number;
  /** A tenth of the input if left out. */
  cacheRead?: number;
  /** Tokens. */
  contextWindow: number;
  maxTokens: number;
}

interface Provider {
  name: string;
  api: string;
  baseUrl: string;
  /** Environment names of the address, and of the keys, the first that is set wins. */
  baseUrlName: string;
  keyNames: readonly string[];
  defaultModel: string;
  models: readonly KnownModel[];
}

const LEVELS: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh"];

const MILLION_WINDOW = { contextWindow: 1_000_000, maxTokens: 128_000 };

/** Prices and limits as the provider publishes them: https://platform.claude.com/docs/en/models */
const PROVIDERS: readonly Provider[] = [
  {
    name: "anthropic",
    api: "anthropic-messages",
    baseUrl: "https://api.anthropic.com",
    baseUrlName: "ANTHROPIC_BASE_URL",
    keyNames: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
    defaultModel: "claude-sonnet-5-5",
    models: [
      {
        id: "claude-opus-5-5",
        name: "Claude Opus 5.5",
        input: 4,
        output: 20,
        cacheRead: 0.2,
        ...MILLION_WINDOW,
      },
      {
        id: "claude-sonnet-5-5",
        name: "Claude Sonnet 5.5",
        input: 2,
        output: 10,
        ...MILLION_WINDOW,
      },
      { id: "claude-opus-5", name: "Claude Opus 5", input: 5, output: 25, ...MILLION_WINDOW },
      { id: "claude-sonnet-5", name: "Claude Sonnet 5", input: 2, output: 10, ...MILLION_WINDOW },
      { id: "claude-opus-4-8", name: "Claude Opus 4.8", input: 5, output: 25, ...MILLION_WINDOW },
      { id: "claude-opus-4-7", name: "Claude Opus 4.7", input: 5, output: 25, ...MILLION_WINDOW },
      { id: "claude-opus-4-6", name: "Claude Opus 4.6", input: 5, output: 25, ...MILLION_WINDOW },
      {
        id: "claude-sonnet-4-6",
        name: "Claude Sonnet 4.6",
        input: 3,
        output: 15,
        ...MILLION_WINDOW,
      },
      {
        id: "claude-opus-4-5",
        name: "Claude Opus 4.5",
        input: 5,
        output: 25,
        contextWindow: 200_000,
        maxTokens: 64_000,
      },
      {
        id: "claude-sonnet-4-5",
        name: "Claude Sonnet 4.5",
        input: 3,
        output: 15,
        contextWindow: 200_000,
        maxTokens: 64_000,
      },
      {
        id: "claude-haiku-4-5",
        name: "Claude Haiku 4.5",
        input: 1,
        output: 5,
        contextWindow: 200_000,
        maxTokens: 64_000,
      },
      {
        id: "claude-opus-4-1",
        name: "Claude Opus 4.1",
        input: 15,
        output: 75,
        contextWindow: 200_000,
        maxTokens: 32_000,
      },
      {
        id: "claude-sonnet-4-0",
        name: "Claude Sonnet 4",
        input: 3,
        output: 15,
        contextWindow: 200_000,
        maxTokens: 64_000,
      },
      {
        id: "claude-opus-4-0",
        name: "Claude Opus 4",
        input: 15,
        output: 75,
        contextWindow: 200_000,
        maxTokens: 32_000,
      },
      {
        id: "claude-3-5-haiku-latest",
        name: "Claude Haiku 3.5",
        input: 0.8,
        output: 4,
        contextWindow: 200_000,
        maxTokens: 8192,
      },
    ],
  },
];

/** What an id that is not listed gets: limits that every model in use takes. */
const UNLISTED: Omit<KnownModel, "id" | "name"> = {
  input: 0,
  output: 0,
  contextWindow: 200_000,
  maxTokens: 32_000,
};

/** The model that `provider/id[:thinking]` or `offline` names. Ids that are not listed are taken as they are. */
export function findModel(spec: string, env: Environment, options: FindOptions = {}): FoundModel {
  const { name, thinking } = splitLevel(spec.trim());
  const level = thinking === undefined ? {} : { thinking };
  if (name === "offline") return { ok: true, model: offlineModel, ...level };
  const slash = name.indexOf("/");
  const providerName = slash < 0 ? name : name.slice(0, slash);
  const id = slash < 0 ? "" : name.slice(slash + 1);
  const provider = PROVIDERS.find((known) => known.name === providerName.toLowerCase());
  if (!provider) return { ok: false, message: unknownText(spec, providerName, slash < 0) };
  if (id === "") {
    return { ok: false, message: `--model ${spec} names no model: write ${example(provider)}.` };
  }
  const apiKey = keyOf(provider, env);
  if (apiKey === undefined) {
    const [key] = provider.keyNames;
    return {
      ok: false,
      message: `${spec} needs a key: set ${key}, or use --model offline.`,
    };
  }
  const baseUrl = baseUrlOf(provider, env, options);
  if (!isHttpUrl(baseUrl)) {
    const from = options.baseUrl === undefined ? provider.baseUrlName : "The base URL";
    return {
      ok: false,
      message: `${from} is no http address: write one such as ${provider.baseUrl}.`,
    };
  }
  return { ok: true, model: modelOf(provider, id, baseUrl), apiKey, ...level };
}

/** The first provider that has a key, else the offline model. */
export function defaultModel(env: Environment, options: FindOptions = {}): FoundModel {
  const provider = PROVIDERS.find((known) => keyOf(known, env) !== undefined);
  if (!provider) return { ok: true, model: offlineModel };
  return findModel(example(provider), env, options);
}

/** Every listed model, with whether its key is there. */
export function listModels(env: Environment): ListedModel[] {
  const known = PROVIDERS.flatMap((provider) =>
    provider.models.map(({ id, name }) => ({
      spec: `${provider.name}/${id}`,
      name,
      hasKey: keyOf(provider, env) !== undefined,
    })),
  );
  return [...known, { spec: "offline", name: offlineModel.name, hasKey: true }];
}

/** Only a known level behind a colon is a suffix: ids may hold colons. */
function splitLevel(spec: string): { name: string; thinking?: ThinkingLevel } {
  const colon = spec.lastIndexOf(":");
  const level = LEVELS.find((known) => known === spec.slice(colon + 1));
  return colon < 0 || !level ? { name: spec } : { name: spec.slice(0, colon), thinking: level };
}

function unknownText(spec: string, provider: string, isBare: boolean): string {
  const listed = PROVIDERS.flatMap((known) => known.models.map(({ id }) => `${known.name}/${id}`));
  if (isBare) {
    const whole = listed.find((known) => known.endsWith(`/${provider}`));
    if (whole) return `Unknown model ${spec}: did you mean ${whole}?`;
  }
  const names = [...PROVIDERS.map(({ name }) => name), "offline"];
  const [nearest] = nearestNames(provider, names, 1);
  const hint = nearest ? ` Did you mean ${nearest}?` : "";
  return `Unknown model ${spec}: write provider/id. Known providers: ${names.join(", ")}.${hint}`;
}

function example(provider: Provider): string {
  return `${provider.name}/${provider.defaultModel}`;
}

/** A token that goes out as `Authorization: Bearer` says so itself, so that a wire needs to know no names. */
function keyOf(provider: Provider, env: Environment): string | undefined {
  for (const name of provider.keyNames) {
    const key = env[name]?.trim();
    if (key) return name.endsWith("_AUTH_TOKEN") ? `Bearer ${key}` : key;
  }
  return undefined;
}

function isHttpUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? "");
}

function baseUrlOf(provider: Provider, env: Environment, options: FindOptions): string {
  return options.baseUrl ?? (env[provider.baseUrlName]?.trim() || provider.baseUrl);
}

function modelOf(provider: Provider, id: string, baseUrl: string): Model {
  // A dated id is the listed model of that day: `claude-sonnet-4-20250514` is `claude-sonnet-4-0`.
  const undated = id.replace(/-(?:\d{8}|latest)$/, "");
  const names = [id, undated, `${undated}-0`, `${undated}-latest`];
  const known = provider.models.find((listed) => names.includes(listed.id));
  const { input, output, cacheRead = input * 0.1, contextWindow, maxTokens } = known ?? UNLISTED;
  return {
    id,
    name: known?.name ?? id,
    api: provider.api,
    provider: provider.name,
    baseUrl,
    reasoning: !id.startsWith("claude-3-5-"),
    input: ["text", "image"],
    cost: { input, output, cacheRead, cacheWrite: input * 1.25 },
    contextWindow,
    maxTokens,
  };
}
