// Finds the user's own words in a prompt that may carry files, piped text and notes of the harness.
import type { Message, UserMessage } from "../../core/messages.ts";
import { languageOf, parsePhrase } from "./parse-phrase.ts";
import { hasEffect, type Phrase } from "./phrase.ts";

/** The newest prompt with words of the user's own, and what they ask for. */
export interface Prompt {
  /** Its place among the messages; -1 if there is none. */
  index: number;
  phrase: Phrase;
}

/** Looks from the end backwards; a message that holds only attachments is passed over. */
export function findPrompt(messages: readonly Message[]): Prompt {
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message?.role !== "user") continue;
    const phrase = phraseOf(message);
    if (phrase) return { index, phrase };
  }
  return { index: -1, phrase: { kind: "hello", language: "en" } };
}

/** What a user message asks for; `undefined` if nothing is left of it without its attachments. */
export function phraseOf({ content }: UserMessage): Phrase | undefined {
  const texts = typeof content === "string" ? [content] : textBlocks(content);
  const own = texts.map(withoutAttachments).filter((text) => text !== "");
  const [first] = own;
  if (first === undefined) return undefined;
  const whole = parsePhrase(first);
  if (whole.kind !== "unknown") return whole;
  // The rest may be somebody else's: only looking is done on its word.
  let unsure: Phrase | undefined;
  for (const candidate of candidates(own)) {
    const phrase = parsePhrase(candidate);
    if (phrase.kind !== "steps") continue;
    const actions = phrase.steps.flat().filter(hasEffect);
    if (actions.length === 0) return phrase;
    unsure ??= { kind: "unsure", language: phrase.language, actions };
  }
  return unsure ?? { kind: "unknown", language: languageOf(own.join("\n").slice(0, 2000)) };
}

function textBlocks(content: Exclude<UserMessage["content"], string>): string[] {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : []));
}

/** What stands between tags is an attachment: from the first opening tag at a line's start to the last closing one, so that a file cannot close its own tag. */
function withoutAttachments(text: string): string {
  let rest = text;
  for (let round = 0; ; round++) {
    const open = OPENING_TAG.exec(rest);
    if (!open) return rest.trim();
    const closing = `</${open[1]}>`;
    const end = rest.lastIndexOf(closing);
    if (end < open.index || round === MAX_TAGS) return rest.slice(0, open.index).trim();
    rest = `${rest.slice(0, open.index)}\n${rest.slice(end + closing.length)}`;
  }
}

/** The other blocks, and of each long one its first and last paragraph and line. */
function candidates(texts: readonly string[]): Set<string> {
  const found = new Set<string>();
  for (const text of [...texts.slice(0, MAX_TEXTS), ...texts.slice(-MAX_TEXTS)]) {
    const last = text.lastIndexOf("\n\n");
    const lastLine = text.lastIndexOf("\n");
    found.add(text);
    if (last >= 0) found.add(text.slice(0, text.indexOf("\n\n"))).add(text.slice(last));
    if (lastLine >= 0) found.add(text.slice(0, text.indexOf("\n"))).add(text.slice(lastLine));
  }
  return found;
}

// A quoted value may hold anything, escaped as in JSON.
const OPENING_TAG =
  /(?:^|\n)[ \t]*<([A-Za-z][\w-]{0,40})(?:\s(?:"(?:\\.|[^"\\\n])*"|'[^'\n]*'|[^<>"'\n])*)?>/;

const MAX_TEXTS = 8;
/** Kinds of attachments of one text; what is behind more is not looked at. */
const MAX_TAGS = 32;
