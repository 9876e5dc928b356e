// The body of a request. Each message is turned into text once and kept by identity, so that a turn costs what it adds;
// the cache marks, which move, are set into the finished texts. https://docs.anthropic.com/en/api/messages
import type { StreamContext, StreamOptions } from "../../core/events.ts";
import type { Message, Model } from "../../core/messages.ts";
import { repairHistory } from "../history.ts";
import { type SentMessage, sendMessages } from "./send-messages.ts";
import { toolText } from "./tool-text.ts";

/** Tokens of thinking by level. */
const BUDGETS: Readonly<Record<NonNullable<StreamOptions["reasoning"]>, number>> = {
  minimal: 1024,
  low: 4096,
  medium: 10_240,
  high: 20_480,
  xhigh: 32_768,
};
/** The API refuses less. */
const SMALLEST_BUDGET = 1024;

const MARK = ',"cache_control":{"type":"ephemeral"}';

/**
 * The request's JSON. The text up to the last message is that of the request before, cache marks and scalar options
 * left out. `reasoning` sets a thinking budget below `max_tokens`, and takes `temperature` out.
 */
export function buildRequest(
  model: Model,
  context: StreamContext,
  options: StreamOptions = {},
): string {
  const history: Message[] = repairHistory(context.messages);
  const sent = sendMessages(model, history);
  const maxTokens = Math.max(1, Math.floor(options.maxTokens ?? model.maxTokens));
  const budget = sent.mayThink ? thinkingBudget(model, options, maxTokens) : undefined;
  const fields = [
    `"model":${JSON.stringify(model.id)}`,
    `"max_tokens":${maxTokens}`,
    `"stream":true`,
  ];
  if (budget !== undefined) {
    fields.push(`"thinking":{"type":"enabled","budget_tokens":${budget}}`);
  } else if (options.temperature !== undefined && Number.isFinite(options.temperature)) {
    fields.push(`"temperature":${options.temperature}`);
  }
  const system = context.systemPrompt?.toWellFormed() ?? "";
  if (system.trim() !== "") {
    fields.push(`"system":[${marked(JSON.stringify({ type: "text", text: system }))}]`);
  }
  const tools = context.tools ?? [];
  if (tools.length > 0) {
    const texts = tools.map(toolText);
    texts.push(marked(texts.pop() ?? "{}"));
    fields.push(`"tools":[${texts.join(",")}]`);
  }
  fields.push(`"messages":[${messageTexts(sent.messages).join(",")}]`);
  return `{${fields.join(",")}}`;
}

function thinkingBudget(
  model: Model,
  { reasoning }: StreamOptions,
  maxTokens: number,
): number | undefined {
  if (!reasoning || !model.reasoning || !Object.hasOwn(BUDGETS, reasoning)) return undefined;
  // As much as it thinks is left for the answer, where the maximum is small.
  const most = Math.max(SMALLEST_BUDGET, Math.floor(maxTokens / 2));
  const budget = Math.min(BUDGETS[reasoning], most);
  return budget < maxTokens ? budget : undefined;
}

/**
 * The last two user messages are marked: the newest so that the next request finds it, the one before because the
 * API looks back only 20 blocks, and a batch may have more.
 */
function messageTexts(messages: readonly SentMessage[]): string[] {
  const users = messages.flatMap(({ role }, index) => (role === "user" ? [index] : []));
  const marks = new Set(users.slice(-2));
  return messages.map(({ role, blocks }, index) => {
    const last = blocks.length - 1;
    const texts = marks.has(index) ? blocks.with(last, marked(blocks[last] ?? "{}")) : blocks;
    return `{"role":"${role}","content":[${texts.join(",")}]}`;
  });
}

/** A JSON object's text with a cache mark as its last member. */
function marked(text: string): string {
  return `${text.slice(0, -1)}${MARK}}`;
}
