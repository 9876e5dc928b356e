// The body of a request. Each message is turned into text once and kept by identity, so that a turn costs what it adds;
// the cache marks, which move, are set into the finished texts. https://docs.anthropic.com/en/api/messages
import type { StreamContext, StreamOptions } from "../../core/events.ts";
import type { Message, Model } from "../../core/messages.ts";
import { repairHistory } from "../history.ts";
import { type SentMessage, sendMessages } from "./send-messages.ts";
import { thinkingConfig } from "./thinking.ts";
import { ToolNames } from "./tool-names.ts";
import { toolText } from "./tool-text.ts";

const MARK = ',"cache_control":{"type":"ephemeral"}';

/**
 * The request's JSON. The text up to the last message is that of the request before, cache marks and scalar options
 * left out. With thinking there is no `temperature`.
 */
export function buildRequest(
  model: Model,
  context: StreamContext,
  options: StreamOptions = {},
): string {
  const history: Message[] = repairHistory(context.messages);
  const names = toolNamesOf(context);
  const sent = sendMessages(history, { model, names });
  const maxTokens = Math.max(1, Math.floor(options.maxTokens ?? model.maxTokens));
  const reasoning = model.reasoning ? options.reasoning : undefined;
  const { mayThink } = sent;
  const config = thinkingConfig(model.id, { reasoning, maxTokens, mayThink });
  const fields = [
    `"model":${JSON.stringify(model.id)}`,
    `"max_tokens":${maxTokens}`,
    `"stream":true`,
  ];
  if (config.thinking) fields.push(`"thinking":${JSON.stringify(config.thinking)}`);
  if (config.output_config) fields.push(`"output_config":${JSON.stringify(config.output_config)}`);
  const { temperature } = options;
  if (config.takesTemperature && temperature !== undefined && Number.isFinite(temperature)) {
    fields.push(`"temperature":${temperature}`);
  }
  const system = context.systemPrompt?.toWellFormed() ?? "";
  if (system.trim() !== "") {
    fields.push(`"system":[${marked(JSON.stringify({ type: "text", text: system }))}]`);
  }
  const tools = context.tools ?? [];
  if (tools.length > 0) {
    const texts = tools.map((tool) => toolText(tool, names.toWire(tool.name)));
    texts.push(marked(texts.pop() ?? "{}"));
    fields.push(`"tools":[${texts.join(",")}]`);
  }
  fields.push(`"messages":[${messageTexts(sent.messages).join(",")}]`);
  return `{${fields.join(",")}}`;
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

/** How the tools of a request are called on the wire. */
export function toolNamesOf({ tools = [] }: StreamContext): ToolNames {
  return new ToolNames(tools.map(({ name }) => name));
}
