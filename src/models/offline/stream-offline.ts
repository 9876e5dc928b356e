// Speaks for the offline model through the same streaming contract as every wire.
import type {
  AssistantMessageEvent,
  StreamContext,
  StreamFn,
  StreamOptions,
} from "../../core/events.ts";
import {
  type AssistantMessage,
  emptyUsage,
  type Message,
  type Model,
} from "../../core/messages.ts";
import { EventStream } from "../../lib/async/event-stream.ts";
import { describeError } from "../../lib/text/describe-error.ts";
import { type BlockStep, type StreamedBlock, stepsOf } from "./block-steps.ts";
import { planReply, type Reply } from "./plan-reply.ts";

/** Characters of one delta. */
const DELTA_CHARS = 24;
/** Tokens are estimated as characters by four: there is no tokenizer behind this model. */
const CHARS_PER_TOKEN = 4;

/** Answers by fixed rules, from the messages alone, without a network. Hears the signal between any two events. */
export const streamOffline: StreamFn = (model, context, options = {}) => {
  const stream = new EventStream<AssistantMessageEvent, AssistantMessage>(isLast, messageOf);
  void speak(stream, { model, context, options });
  return stream;
};

interface Request {
  model: Model;
  context: StreamContext;
  options: StreamOptions;
}

async function speak(
  stream: EventStream<AssistantMessageEvent, AssistantMessage>,
  request: Request,
): Promise<void> {
  const message = blankMessage(request.model);
  try {
    for (const step of steps(message, request)) {
      await Promise.resolve();
      if (request.options.signal?.aborted) {
        stream.push(failure(message, { reason: "aborted", text: "aborted" }));
        return;
      }
      stream.push(step.event());
    }
  } catch (error) {
    stream.push(failure(message, { reason: "error", text: describeError(error) }));
  }
}

function* steps(message: AssistantMessage, request: Request): Generator<BlockStep> {
  const { context, options } = request;
  const reply = planReply(context);
  const output = estimateOutput(reply);
  const most = options.maxTokens ?? request.model.maxTokens;
  // A reply past the limit is cut as a server cuts it, and the loop runs none of its calls.
  const cut = output > most;
  const text = cut ? reply.text.slice(0, most * CHARS_PER_TOKEN) : reply.text;
  const input = estimateInput(context);
  message.usage = {
    ...emptyUsage(),
    input,
    output: Math.min(output, most),
    totalTokens: input + Math.min(output, most),
  };
  const blocks: StreamedBlock[] = [{ type: "text", text }];
  for (const [index, { name, args }] of reply.calls.entries()) {
    // The place in the conversation makes ids that do not recur in it.
    const id = `offline_${context.messages.length}_${index + 1}`;
    blocks.push({ type: "toolCall", id, name, arguments: args });
  }
  yield* stepsOf(message, blocks, DELTA_CHARS);
  const reason = cut ? "length" : reply.calls.length > 0 ? "toolUse" : "stop";
  yield {
    name: "done",
    event: () => {
      message.stopReason = reason;
      return { type: "done", reason, message };
    },
  };
}

function isLast(event: AssistantMessageEvent): boolean {
  return event.type === "done" || event.type === "error";
}

function messageOf(event: AssistantMessageEvent): AssistantMessage {
  if (event.type === "done") return event.message;
  return event.type === "error" ? event.error : event.partial;
}

function blankMessage(model: Model): AssistantMessage {
  return {
    role: "assistant",
    content: [],
    api: "offline",
    provider: model.provider,
    model: model.id,
    usage: emptyUsage(),
    stopReason: "stop",
    timestamp: Date.now(),
  };
}

function failure(
  message: AssistantMessage,
  { reason, text }: { reason: "error" | "aborted"; text: string },
): AssistantMessageEvent {
  const error: AssistantMessage = { ...message, stopReason: reason, errorMessage: text };
  // A fault of the rules comes again with every repeat.
  error.errorKind = reason === "aborted" ? "aborted" : "bad_request";
  return { type: "error", reason, error };
}

function estimateOutput({ text, calls }: Reply): number {
  const chars = calls.reduce((sum, { args }) => sum + JSON.stringify(args).length, text.length);
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

function estimateInput({ systemPrompt = "", messages }: StreamContext): number {
  const chars = messages.reduce((sum, message) => sum + charsOf(message), systemPrompt.length);
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

// A message does not change once it is sent, so each is measured once and a turn costs what it adds.
const measured = new WeakMap<Message, number>();

function charsOf(message: Message): number {
  const known = measured.get(message);
  if (known !== undefined) return known;
  const chars =
    typeof message.content === "string"
      ? message.content.length
      : message.content.reduce((sum, block) => {
          if (block.type === "text") return sum + block.text.length;
          if (block.type === "thinking") return sum + block.thinking.length;
          return block.type === "toolCall" ? sum + JSON.stringify(block.arguments).length : sum;
        }, 0);
  measured.set(message, chars);
  return chars;
}
