// From a repaired history to the API's messages, as content blocks that are kept by the identity of their message.
import type {
  AssistantMessage,
  ImageContent,
  Message,
  Model,
  TextContent,
  ToolCall,
  ToolResultMessage,
  UserMessage,
} from "../../core/messages.ts";
import { callsOf } from "../history.ts";
import { jsonText, sentBlock, type SentBlock } from "./sent-block.ts";
import type { ToolNames } from "./tool-names.ts";

/** One message of the API. */
export interface SentMessage {
  role: "user" | "assistant";
  blocks: readonly SentBlock[];
}

/** Stands where the API wants a user message and the history has none. */
const GO_ON = sentBlock("text", '{"type":"text","text":"(continue)"}');

/**
 * The API's messages of a repaired history, which can be added to. They alternate user and assistant, begin and end with
 * user; all results of a batch lie first in the one message behind it. Expects each call's result behind its message, in
 * order.
 */
export class SentHistory {
  readonly #model: Model;
  readonly #names: ToolNames;
  readonly #ids = new CallIds();
  readonly #closed: SentMessage[] = [];
  #user: SentBlock[] = [];
  #callIds: string[] = [];
  #nextResult = 0;
  #thought = false;

  constructor(model: Model, names: ToolNames) {
    this.#model = model;
    this.#names = names;
  }

  /** All but the last message: what is added later leaves them as they are. */
  get closed(): readonly SentMessage[] {
    return this.#closed;
  }

  /** The last message, which what is added next may join. */
  get last(): SentMessage {
    return { role: "user", blocks: this.#user.length > 0 ? this.#user : [GO_ON] };
  }

  /** False inside a run of calls that was begun without thinking: the API refuses to start there. */
  get mayThink(): boolean {
    return this.#nextResult === 0 || this.#thought;
  }

  add(message: Message): void {
    const model = this.#model;
    if (message.role === "assistant") this.#addAssistant(message);
    else if (message.role === "toolResult") {
      const id = this.#callIds[this.#nextResult] ?? "";
      const { result, images } = resultBlocks(message, model, id);
      // Results stand first; images that cannot lie in one follow behind them all.
      this.#user.splice(this.#nextResult, 0, result);
      this.#nextResult++;
      this.#user.push(...images);
    } else this.#user.push(...userBlocks(message, model));
  }

  #addAssistant(message: AssistantMessage): void {
    const ids = this.#ids.of(message);
    const blocks = assistantBlocks(message, { model: this.#model, names: this.#names, ids });
    if (blocks.length === 0) return;
    this.#closed.push(this.last, { role: "assistant", blocks });
    // Behind results the run of calls goes on, and its first message decides.
    this.#thought = isThinking(blocks[0]) || (this.#nextResult > 0 && this.#thought);
    this.#user = [];
    this.#callIds = ids;
    this.#nextResult = 0;
  }
}

function isThinking(block: SentBlock | undefined): boolean {
  return block?.kind === "thinking" || block?.kind === "redacted_thinking";
}

/** Ids as the API takes them, `^[a-zA-Z0-9_-]{1,64}$`, each once in a request. */
class CallIds {
  readonly #used = new Set<string>();
  /** Where to go on looking for a free suffix: many calls may share one id. */
  readonly #next = new Map<string, number>();

  of(message: AssistantMessage): string[] {
    return callsOf(message).map((call) => this.#free(legalId(call.id)));
  }

  #free(id: string): string {
    let free = id;
    let number = this.#next.get(id) ?? 2;
    for (; this.#used.has(free); number++) {
      const suffix = `_${number}`;
      free = `${id.slice(0, MAX_ID - suffix.length)}${suffix}`;
    }
    if (free !== id) this.#next.set(id, number);
    this.#used.add(free);
    return free;
  }
}

const MAX_ID = 64;

function legalId(id: unknown): string {
  return (
    (typeof id === "string" ? id : "").replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, MAX_ID) || "call"
  );
}

// By identity: a message does not change after its end. `variant` says what else the texts depend on.
interface Kept<T> {
  variant: string;
  value: T;
}
const keptAssistants = new WeakMap<AssistantMessage, Kept<SentBlock[]>>();
const keptResults = new WeakMap<
  ToolResultMessage,
  Kept<{ result: SentBlock; images: SentBlock[] }>
>();
const keptUsers = new WeakMap<UserMessage, Kept<SentBlock[]>>();

function keep<K extends object, T>(
  store: WeakMap<K, Kept<T>>,
  key: K,
  { variant, make }: { variant: string; make: () => T },
): T {
  const found = store.get(key);
  if (found?.variant === variant) return found.value;
  const value = make();
  store.set(key, { variant, value });
  return value;
}

function assistantBlocks(
  message: AssistantMessage,
  { model, names, ids }: { model: Model; names: ToolNames; ids: readonly string[] },
): readonly SentBlock[] {
  // Signatures hold for the model that made them alone.
  const own =
    message.api === model.api && message.provider === model.provider && message.model === model.id;
  return keep(keptAssistants, message, {
    variant: `${own ? "own" : "other"} ${ids.join(" ")}${names.key}`,
    make: () =>
      makeAssistantBlocks(message, {
        ids,
        names,
        thinking: own ? "keep thinking" : "drop thinking",
      }),
  });
}

function makeAssistantBlocks(
  message: AssistantMessage,
  {
    ids,
    names,
    thinking,
  }: {
    ids: readonly string[];
    names: ToolNames;
    thinking: "keep thinking" | "drop thinking";
  },
): SentBlock[] {
  const blocks: SentBlock[] = [];
  let calls = 0;
  for (const block of Array.isArray(message.content) ? message.content : []) {
    if (block?.type === "text" && !isBlank(block.text)) blocks.push(textBlock(block.text));
    else if (block?.type === "toolCall") {
      blocks.push(callBlock(block, ids[calls++] ?? "", names.toWire(block.name)));
    } else if (
      block?.type === "thinking" &&
      block.thinkingSignature &&
      thinking === "keep thinking"
    ) {
      const { thinking: text, thinkingSignature: signature } = block;
      blocks.push(
        block.redacted
          ? made({ type: "redacted_thinking", data: signature })
          : made({ type: "thinking", thinking: text, signature }),
      );
    }
  }
  // A message may not end with thinking: it was broken off there.
  while (isThinking(blocks.at(-1))) blocks.pop();
  return blocks;
}

function made(block: { type: string; [member: string]: unknown }): SentBlock {
  return sentBlock(block.type, jsonText(block));
}

function callBlock(call: ToolCall, id: string, name: string): SentBlock {
  const block = { type: "tool_use", id, name };
  try {
    return made({ ...block, input: inputOf(call.arguments) });
  } catch {
    // Arguments that are no JSON were made by a program, not by a model.
    return made({ ...block, input: {} });
  }
}

function inputOf(value: unknown): unknown {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

function userBlocks(message: UserMessage, model: Model): readonly SentBlock[] {
  return keep(keptUsers, message, {
    variant: imagesOf(model),
    make: () =>
      typeof message.content === "string"
        ? isBlank(message.content)
          ? []
          : [textBlock(message.content)]
        : contentBlocks(message.content, model),
  });
}

function resultBlocks(
  message: ToolResultMessage,
  model: Model,
  id: string,
): { result: SentBlock; images: SentBlock[] } {
  return keep(keptResults, message, {
    variant: `${imagesOf(model)} ${id}`,
    make: () => {
      const blocks = contentBlocks(message.content, model);
      // The API refuses images in a result that is an error.
      const outside = message.isError ? blocks.filter(isImage) : [];
      const inside = message.isError ? blocks.filter((block) => !isImage(block)) : blocks;
      const content = inside.length > 0 ? inside : [textBlock("(no output)")];
      const failed = message.isError ? ',"is_error":true' : "";
      const start = `{"type":"tool_result","tool_use_id":${JSON.stringify(id)}`;
      const parts = content.map(({ bytes }) => Buffer.from(bytes).toString());
      const text = `${start},"content":[${parts.join(",")}]${failed}}`;
      return { result: sentBlock("tool_result", text), images: outside };
    },
  });
}

function contentBlocks(content: (TextContent | ImageContent)[], model: Model): SentBlock[] {
  const blocks: SentBlock[] = [];
  for (const block of Array.isArray(content) ? content : []) {
    if (block?.type === "image") blocks.push(imageBlock(block, model));
    else if (block?.type === "text" && !isBlank(block.text)) blocks.push(textBlock(block.text));
  }
  return blocks;
}

/** The API refuses text blocks of nothing but white space. */
function isBlank(text: unknown): boolean {
  return typeof text !== "string" || !/\S/.test(text);
}

function textBlock(text: string): SentBlock {
  return made({ type: "text", text });
}

const MEDIA_TYPES: ReadonlySet<string> = new Set([
  "image/jpeg",
  "image/png",
  "image/gif",
  "image/webp",
]);

/** The API's bound on one image, in characters of base64; it refuses the whole request for a larger one. */
const MAX_IMAGE_CHARS = 5 * 1024 * 1024;

function imagesOf(model: Model): string {
  return model.input.includes("image") ? "images" : "no images";
}

function imageBlock({ data, mimeType }: ImageContent, model: Model): SentBlock {
  if (imagesOf(model) === "no images") return textBlock("(an image, which this model cannot see)");
  const type = mimeType === "image/jpg" ? "image/jpeg" : mimeType;
  if (typeof data === "string" && data.length > MAX_IMAGE_CHARS) {
    return textBlock("(an image of more than 5 MB, which is too large to be sent)");
  }
  if (!MEDIA_TYPES.has(type) || typeof data !== "string" || data === "") {
    return textBlock(`(an image of type ${mimeType}, which this model cannot read)`);
  }
  return made({ type: "image", source: { type: "base64", media_type: type, data } });
}

function isImage({ kind }: SentBlock): boolean {
  return kind === "image";
}
