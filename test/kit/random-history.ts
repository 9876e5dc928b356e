// Histories that no well-behaved program would make: cut, repeated, reordered, with ids that recur or are illegal.
import fc from "fast-check";
import { emptyUsage, type Message, type StopReason } from "../../src/core/messages.ts";

const id = fc.constantFrom(
  "a",
  "b",
  "call_0",
  "call_0",
  "",
  "x y|z",
  "é".repeat(70),
  "q".repeat(200),
);
const text = fc.constantFrom("", " \n", "hello", "漢字 😀", "half \ud83d", "</end>");
const image = fc.record({
  type: fc.constant("image" as const),
  data: fc.constantFrom("", "aGVsbG8="),
  mimeType: fc.constantFrom("image/png", "image/jpg", "image/svg+xml", ""),
});
const textBlock = fc.record({ type: fc.constant("text" as const), text });
const thinking = fc.record(
  {
    type: fc.constant("thinking" as const),
    thinking: text,
    thinkingSignature: fc.constantFrom("", "c2ln"),
    redacted: fc.boolean(),
  },
  { requiredKeys: ["type", "thinking"] },
);
const call = fc.record({
  type: fc.constant("toolCall" as const),
  id,
  name: fc.constantFrom("read", "functions.read", "", "ütf"),
  arguments: fc.dictionary(fc.string(), text),
});
const content = fc.array(fc.oneof(textBlock, image), { maxLength: 3 });

const user: fc.Arbitrary<Message> = fc.record({
  role: fc.constant("user" as const),
  content: fc.oneof(text, content),
  timestamp: fc.constant(1),
});

const assistant: fc.Arbitrary<Message> = fc
  .record({
    content: fc.array(fc.oneof(textBlock, thinking, call, call), { maxLength: 4 }),
    model: fc.constantFrom("claude-test", "claude-test", "other-model"),
    stopReason: fc.constantFrom<StopReason>("stop", "toolUse", "length", "error", "aborted"),
  })
  .map((fields) => ({
    role: "assistant" as const,
    api: "anthropic-messages",
    provider: "anthropic",
    usage: emptyUsage(),
    timestamp: 1,
    ...fields,
  }));

const result: fc.Arbitrary<Message> = fc.record({
  role: fc.constant("toolResult" as const),
  toolCallId: id,
  toolName: fc.constant("read"),
  content,
  isError: fc.boolean(),
  timestamp: fc.constant(1),
});

/** Any order of any messages. */
export const randomHistory: fc.Arbitrary<Message[]> = fc.array(
  fc.oneof(
    { arbitrary: user, weight: 1 },
    { arbitrary: assistant, weight: 2 },
    { arbitrary: result, weight: 3 },
  ),
  { maxLength: 16 },
);

/** A user's message, then turns that are whole: each call has its result. */
export const wholeHistory: fc.Arbitrary<Message[]> = fc
  .tuple(
    user,
    fc.array(fc.tuple(assistant, content, fc.boolean(), fc.option(user)), { maxLength: 6 }),
  )
  .map(([first, turns]) => [
    first,
    ...turns.flatMap(([message, resultContent, isError, next]): Message[] => {
      if (message.role !== "assistant") return [];
      // Thinking of one's own leads, as the API sends it.
      const blocks = message.content.filter(({ type }) => type !== "thinking");
      const calls = blocks.filter((block) => block.type === "toolCall");
      const results = calls.map((toolCall, index): Message => ({
        role: "toolResult",
        toolCallId: toolCall.id,
        toolName: toolCall.name,
        content: index === 0 ? resultContent : [{ type: "text", text: `result ${index}` }],
        isError,
        timestamp: 1,
      }));
      const stopReason = calls.length > 0 ? "toolUse" : "stop";
      return [{ ...message, content: blocks, stopReason }, ...results, ...(next ? [next] : [])];
    }),
  ]);
