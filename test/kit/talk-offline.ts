// Dialogues with the offline model, with results as a test gives them.
import assert from "node:assert/strict";
import type { AssistantMessageEvent, StreamOptions } from "../../src/core/events.ts";
import {
  type AssistantMessage,
  type Message,
  textOf,
  type ToolCall,
  type ToolResultMessage,
} from "../../src/core/messages.ts";
import { offlineModel } from "../../src/models/offline/offline-model.ts";
import { streamOffline } from "../../src/models/offline/stream-offline.ts";

/** All tools of the house. */
export const SEVEN: readonly string[] = ["read", "bash", "edit", "write", "grep", "find", "ls"];
/** Those that are active by themselves. */
export const FOUR: readonly string[] = ["read", "bash", "edit", "write"];

/** A result's text, or an error's. */
export type FakeResult = string | { error: string };

/** What was said in a dialogue. */
export interface Dialogue {
  /** Each message's calls as `name {args}`. */
  calls: string[][];
  answer: string;
  messages: Message[];
}

/** A user message. */
export function user(text: string): Message {
  return { role: "user", content: text, timestamp: 0 };
}

/** The message that answers a call. */
export function resultOf(call: ToolCall, result: FakeResult): ToolResultMessage {
  const failed = typeof result !== "string";
  return {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content: [{ type: "text", text: failed ? result.error : result }],
    isError: failed,
    timestamp: 0,
  };
}

/** One request: its events and its message. */
export async function ask(
  messages: Message[],
  tools: readonly string[] = SEVEN,
  options: StreamOptions = {},
): Promise<{ events: AssistantMessageEvent[]; message: AssistantMessage }> {
  const declared = tools.map((name) => ({ name, description: name, parameters: {} }));
  const stream = await streamOffline(offlineModel, { messages, tools: declared }, options);
  const events: AssistantMessageEvent[] = [];
  for await (const event of stream) events.push(event);
  return { events, message: await stream.result() };
}

/** The calls of a message. */
export function callsOf(message: AssistantMessage): ToolCall[] {
  return message.content.filter((block) => block.type === "toolCall");
}

/** Goes on until the model asks for nothing more; results are taken in the order of the calls. */
export async function talk(
  before: string | Message[],
  results: FakeResult[],
  tools: readonly string[] = SEVEN,
): Promise<Dialogue> {
  const messages = typeof before === "string" ? [user(before)] : before.slice();
  const calls: string[][] = [];
  const left = results.slice();
  for (;;) {
    const { message } = await ask(messages, tools);
    messages.push(message);
    const asked = callsOf(message);
    assert.equal(message.stopReason, asked.length > 0 ? "toolUse" : "stop");
    if (asked.length === 0) {
      assert.deepEqual(left, [], "every result was asked for");
      return { calls, answer: textOf(message.content), messages };
    }
    calls.push(asked.map((call) => `${call.name} ${JSON.stringify(call.arguments)}`));
    for (const call of asked) messages.push(resultOf(call, left.shift() ?? "(no output)"));
  }
}

/** How every English answer ends. */
export const ENGLISH_END: string =
  "\n\n(I am Errand's offline model, a rule-based stand-in. For a real model set ANTHROPIC_API_KEY, or choose one with --model.)";
/** How every Chinese answer ends. */
export const CHINESE_END: string =
  "\n\n（我是 Errand 的离线模型，一个按固定规则工作的替身。要用真正的模型，请设置 ANTHROPIC_API_KEY，或用 --model 指定。）";
