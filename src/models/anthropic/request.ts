// The body of a request: what stands before the messages is made anew, the messages themselves are kept as bytes.
// https://docs.anthropic.com/en/api/messages
import type { StreamContext, StreamOptions } from "../../core/events.ts";
import type { Model } from "../../core/messages.ts";
import type { Tool } from "../../core/tool.ts";
import { conversationOf, type RequestBody } from "./conversation.ts";
import { jsonText, listed, marked, sentBlock } from "./sent-block.ts";
import { thinkingConfig } from "./thinking.ts";
import { ToolNames } from "./tool-names.ts";
import { toolText } from "./tool-text.ts";

/** The request's JSON as text. */
export function buildRequest(
  model: Model,
  context: StreamContext,
  options: StreamOptions = {},
): string {
  const body = requestBody(model, context, options);
  const text = Buffer.from(body.bytes).toString();
  body.release();
  return text;
}

/**
 * The request's JSON in UTF-8. The part up to the last message is that of the request before, cache marks and scalar
 * options left out. With thinking there is no `temperature`.
 */
export function requestBody(
  model: Model,
  context: StreamContext,
  options: StreamOptions = {},
): RequestBody {
  const names = toolNamesOf(context);
  const conversation = conversationOf(context.messages, model, names);
  const { mayThink } = conversation;
  return conversation.body(headOf(model, context, { options, names, mayThink }));
}

/** Everything before the messages. */
function headOf(
  model: Model,
  context: StreamContext,
  { options, names, mayThink }: { options: StreamOptions; names: ToolNames; mayThink: boolean },
): Uint8Array {
  const maxTokens = Math.max(1, Math.floor(options.maxTokens ?? model.maxTokens));
  const reasoning = model.reasoning ? options.reasoning : undefined;
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

const END_OF_LIST = Buffer.from("]");

/** How the tools of a request are called on the wire. */
export function toolNamesOf({ tools = [] }: StreamContext): ToolNames {
  return new ToolNames(tools.map(({ name }) => name));
}
