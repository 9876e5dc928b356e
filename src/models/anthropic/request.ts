// The body of a request. Each message is turned into bytes once and kept by identity, so that a turn costs what it adds;
// the cache marks, which move, are set into the finished blocks. https://docs.anthropic.com/en/api/messages
import type { StreamContext, StreamOptions } from "../../core/events.ts";
import type { Message, Model } from "../../core/messages.ts";
import type { Tool } from "../../core/tool.ts";
import { repairHistory } from "../history.ts";
import { jsonText, marked, sentBlock, type SentBlock } from "./sent-block.ts";
import { type SentMessage, sendMessages } from "./send-messages.ts";
import { thinkingConfig } from "./thinking.ts";
import { ToolNames } from "./tool-names.ts";
import { toolText } from "./tool-text.ts";

/** The request's JSON as text. */
export function buildRequest(
  model: Model,
  context: StreamContext,
  options: StreamOptions = {},
): string {
  return Buffer.from(requestBytes(model, context, options)).toString();
}

/**
 * The request's JSON in UTF-8. The part up to the last message is that of the request before, cache marks and scalar options
 * left out. With thinking there is no `temperature`.
 */
export function requestBytes(
  model: Model,
  context: StreamContext,
  options: StreamOptions = {},
): Uint8Array<ArrayBuffer> {
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
  const parts: Uint8Array[] = [Buffer.from(`{${fields.join(",")}`)];
  const system = context.systemPrompt ?? "";
  if (/\S/.test(system)) {
    const block = sentBlock("text", jsonText({ type: "text", text: system }));
    parts.push(Buffer.from(',"system":['), marked(block), END_OF_LIST);
  }
  const tools = onePerName(context.tools ?? []);
  if (tools.length > 0) {
    const blocks = tools.map((tool) => sentBlock("tool", toolText(tool, names.toWire(tool.name))));
    parts.push(Buffer.from(',"tools":['), ...listed(blocks, "mark the last"), END_OF_LIST);
  }
  parts.push(Buffer.from(',"messages":['));
  addMessages(parts, sent.messages);
  parts.push(Buffer.from("]}"));
  return Buffer.concat(parts);
}

/** The API refuses every request that names two tools alike; the first one is the one that is called. */
function onePerName(tools: readonly Tool[]): Tool[] {
  const names = new Set<string>();
  return tools.filter(({ name }) => {
    if (names.has(name)) return false;
    names.add(name);
    return true;
  });
}

const COMMA = Buffer.from(",");
const END_OF_LIST = Buffer.from("]");
const END_OF_MESSAGE = Buffer.from("]}");
const HEADS = {
  user: Buffer.from('{"role":"user","content":['),
  assistant: Buffer.from('{"role":"assistant","content":['),
};

function* listed(
  blocks: readonly SentBlock[],
  marks: "mark the last" | "no mark",
): Generator<Uint8Array> {
  for (const [index, block] of blocks.entries()) {
    if (index > 0) yield COMMA;
    yield marks === "mark the last" && index === blocks.length - 1 ? marked(block) : block.bytes;
  }
}

/**
 * The last two user messages are marked: the newest so that the next request finds it, the one before because the
 * API looks back only 20 blocks, and a batch may have more.
 */
function addMessages(parts: Uint8Array[], messages: readonly SentMessage[]): void {
  const users = messages.flatMap(({ role }, index) => (role === "user" ? [index] : []));
  const marks = new Set(users.slice(-2));
  for (const [index, { role, blocks }] of messages.entries()) {
    if (index > 0) parts.push(COMMA);
    parts.push(HEADS[role], ...listed(blocks, marks.has(index) ? "mark the last" : "no mark"));
    parts.push(END_OF_MESSAGE);
  }
}

/** How the tools of a request are called on the wire. */
export function toolNamesOf({ tools = [] }: StreamContext): ToolNames {
  return new ToolNames(tools.map(({ name }) => name));
}
