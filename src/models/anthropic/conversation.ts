// A conversation's messages as bytes that grow with it, so that a turn costs what it adds. What may still change (the
// last message, and the cache marks of the last two user messages) is written behind the finished part each time.
import type { Message, Model } from "../../core/messages.ts";
import { repairHistory } from "../history.ts";
import { listed } from "./sent-block.ts";
import { SentHistory, type SentMessage } from "./send-messages.ts";
import type { ToolNames } from "./tool-names.ts";

/** A body that is lent: its bytes hold until it is released. */
export interface RequestBody {
  bytes: Uint8Array;
  /** It was sent, or will not be. */
  release(): void;
}

/** The messages of the current request as they are to be sent. */
export interface RequestMessages {
  /** See `SentHistory`. */
  readonly mayThink: boolean;
  /** The whole body: `head`, the messages, and the end. Lent until it is released. */
  body(head: Uint8Array): RequestBody;
}

// By the first message, which every request of a conversation begins with.
const kept = new WeakMap<Message, Conversation>();

/** The conversation that these messages go on, or a new one. */
export function conversationOf(
  messages: readonly Message[],
  model: Model,
  names: ToolNames,
): RequestMessages {
  const [first] = messages;
  const variant = [model.api, model.provider, model.id, ...model.input, names.key].join("\n");
  const known = first && kept.get(first);
  if (known?.variant === variant && known.goOn(messages)) return known;
  const made = new Conversation(variant, new SentHistory(model, names));
  made.start(messages);
  if (first) kept.set(first, made);
  return made;
}

const encoder = new TextEncoder();
const COMMA = encoder.encode(",");
const END = encoder.encode("]}");
const HEADS = {
  user: encoder.encode('{"role":"user","content":['),
  assistant: encoder.encode('{"role":"assistant","content":['),
};

class Conversation implements RequestMessages {
  readonly variant: string;
  readonly #sent: SentHistory;
  #body = new GrowingBytes();
  /** How many requests still send from it. */
  #lent = 0;
  /** The messages that were added, by identity. */
  #history: Message[] = [];
  #head: Uint8Array = new Uint8Array(0);
  /** Of the sent messages, those whose bytes are final. */
  #finished = 0;
  /** Where the final bytes end. */
  #finishedAt = 0;

  constructor(variant: string, sent: SentHistory) {
    this.variant = variant;
    this.#sent = sent;
  }

  get mayThink(): boolean {
    return this.#sent.mayThink;
  }

  /** For a first request, whose history may need repair; one that was repaired is not gone on with. */
  start(messages: readonly Message[]): void {
    const repaired = repairHistory(messages);
    const isWhole =
      repaired.length === messages.length && repaired.every((one, at) => one === messages[at]);
    if (isWhole) this.#history = repaired;
    for (const message of repaired) this.#sent.add(message);
  }

  /** Adds what is new; false if the messages do not begin with those of before, or what is new needs repair. */
  goOn(messages: readonly Message[]): boolean {
    const history = this.#history;
    if (history.length === 0 || messages.length < history.length) return false;
    for (let at = 0; at < history.length; at++) if (history[at] !== messages[at]) return false;
    const added = messages.slice(history.length);
    const repaired = repairHistory(added);
    if (repaired.length !== added.length || repaired.some((one, at) => one !== added[at]))
      return false;
    for (const message of added) {
      history.push(message);
      this.#sent.add(message);
    }
    return true;
  }

  body(head: Uint8Array): RequestBody {
    // What another request still sends is left as it is.
    if (this.#lent > 0) this.#body = this.#body.copy();
    const body = this.#body;
    if (!isEqual(head, this.#head)) {
      // Another head moves everything: the finished part is copied behind it once.
      const finished = body.slice(this.#head.length, this.#finishedAt);
      body.cut(0);
      body.add(head);
      body.add(finished);
      this.#head = head.slice();
      this.#finishedAt = body.length;
    }
    body.cut(this.#finishedAt);
    const { closed, last } = this.#sent;
    // The user message before the last carries a mark; all before it are final.
    const beforeLast = closed.length - 2;
    for (; this.#finished < beforeLast; this.#finished++) {
      this.#add(closed[this.#finished], "no mark", this.#finished);
    }
    this.#finishedAt = body.length;
    for (let at = this.#finished; at < closed.length; at++) {
      this.#add(closed[at], at === beforeLast ? "mark the last" : "no mark", at);
    }
    this.#add(last, "mark the last", closed.length);
    body.add(END);
    return this.#lend(body);
  }

  #lend(body: GrowingBytes): RequestBody {
    this.#lent++;
    let isLent = true;
    return {
      bytes: body.view(),
      release: () => {
        if (isLent) this.#lent--;
        isLent = false;
      },
    };
  }

  #add(message: SentMessage | undefined, marks: "mark the last" | "no mark", at: number): void {
    if (!message) return;
    const body = this.#body;
    if (at > 0) body.add(COMMA);
    body.add(HEADS[message.role]);
    for (const part of listed(message.blocks, marks)) body.add(part);
    body.add(END);
  }
}

/** Bytes that are added to at the end, with room to spare so that each is copied a few times at most. */
class GrowingBytes {
  #bytes: Uint8Array = new Uint8Array(16_384);
  length = 0;

  add(part: Uint8Array): void {
    const end = this.length + part.length;
    if (end > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(end, Math.ceil(this.#bytes.length * 1.5)));
      larger.set(this.#bytes.subarray(0, this.length));
      this.#bytes = larger;
    }
    this.#bytes.set(part, this.length);
    this.length = end;
  }

  cut(length: number): void {
    this.length = length;
  }

  slice(from: number, to: number): Uint8Array {
    return this.#bytes.slice(from, to);
  }

  copy(): GrowingBytes {
    const copy = new GrowingBytes();
    copy.add(this.view());
    return copy;
  }

  view(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0;
}
