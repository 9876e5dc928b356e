// What the offline model says next. All it knows is in the messages: the newest prompt, and the calls and results behind it.
import { textOf } from "../../core/messages.ts";
import type { Message, ToolResultMessage } from "../../core/messages.ts";
import type { StreamContext } from "../../core/events.ts";
import { type ChosenCall, chooseCall } from "./choose-call.ts";
import { findPrompt } from "./find-phrase.ts";
import type { Action, PhraseStep } from "./phrase.ts";
import { showResult } from "./show-result.ts";
import type { Voice } from "./voice.ts";
import { chineseVoice } from "./voice-chinese.ts";
import { englishVoice } from "./voice-english.ts";

/** A text and the calls behind it; without calls it is the answer. */
export interface Reply {
  text: string;
  calls: readonly ChosenCall[];
}

/** The next reply to a conversation. The same conversation and tools give the same reply. */
export function planReply({ messages, tools = [] }: StreamContext): Reply {
  const { index, phrase } = findPrompt(messages);
  const voice = phrase.language === "zh" ? chineseVoice : englishVoice;
  switch (phrase.kind) {
    case "hello":
      return answer(voice, [voice.hello]);
    case "unknown":
      return answer(voice, [voice.unknown]);
    case "unsure":
      return answer(voice, [voice.unsure(phrase.actions)]);
    case "steps":
      return nextStep(voice, {
        steps: phrase.steps,
        outcomes: outcomesIn(messages.slice(index + 1), phrase.steps),
        active: new Set(tools.map((tool) => tool.name)),
      });
    default:
      return phrase satisfies never;
  }
}

/** An action that was asked for, and what came of it. */
interface Outcome {
  action: Action;
  tool: string;
  result: ToolResultMessage | undefined;
}

interface Progress {
  steps: readonly PhraseStep[];
  /** Of the steps that were asked for so far. */
  outcomes: readonly (readonly Outcome[])[];
  active: ReadonlySet<string>;
}

function nextStep(voice: Voice, { steps, outcomes, active }: Progress): Reply {
  const done = outcomes.flat();
  const rest = steps.slice(outcomes.length);
  const reports = done.map((outcome) => report(voice, outcome));
  if (done.some(({ result }) => !result || result.isError)) {
    const left = rest.flat();
    return answer(voice, left.length > 0 ? [...reports, voice.notDone(left)] : reports);
  }
  const [step] = rest;
  if (!step) return answer(voice, reports);
  // All of what is to come, so that nothing is begun that cannot be ended.
  const missing = rest.flat().flatMap((action) => {
    const call = chooseCall(action, active);
    return "missing" in call ? [call.missing] : [];
  });
  if (missing.length > 0) {
    return answer(voice, [...reports, voice.missing([...new Set(missing)])]);
  }
  const calls = step.flatMap((action) => {
    const call = chooseCall(action, active);
    return "missing" in call ? [] : [call];
  });
  return { text: voice.announce(step), calls };
}

function answer(voice: Voice, paragraphs: readonly string[]): Reply {
  return { text: [...paragraphs, voice.signature].join("\n\n"), calls: [] };
}

/** Step by step: the calls of the offline model's own messages behind the prompt, with their results. */
function outcomesIn(messages: readonly Message[], steps: readonly PhraseStep[]): Outcome[][] {
  const outcomes: Outcome[][] = [];
  for (const [index, message] of messages.entries()) {
    const step = steps[outcomes.length];
    if (!step) break;
    if (message.role !== "assistant" || message.api !== "offline") continue;
    const calls = message.content.filter((block) => block.type === "toolCall");
    if (calls.length === 0) continue;
    const results = resultsBehind(messages, index);
    outcomes.push(
      step.map((action, place) => {
        const call = calls[place];
        return {
          action,
          tool: call?.name ?? action.do,
          result: call && results.get(call.id),
        };
      }),
    );
  }
  return outcomes;
}

/** The results between an assistant message and the next one, by call: ids may recur later. */
function resultsBehind(
  messages: readonly Message[],
  index: number,
): Map<string, ToolResultMessage> {
  const results = new Map<string, ToolResultMessage>();
  for (const message of messages.slice(index + 1)) {
    if (message.role === "assistant") break;
    if (message.role === "toolResult") results.set(message.toolCallId, message);
  }
  return results;
}

/** Lines that are shown of a result. */
const SHOWN: Readonly<Record<Action["do"] | "failure", number>> = {
  read: 10,
  start: 40,
  list: 40,
  search: 20,
  findFiles: 40,
  run: 20,
  replace: 12,
  write: 4,
  failure: 12,
};

function report(voice: Voice, { action, tool, result }: Outcome): string {
  const failed = !result || result.isError;
  const text = result ? textOf(result.content) : "";
  const { quoted, more } = showResult(text, SHOWN[failed ? "failure" : action.do]);
  const hasImage = result?.content.some((block) => block.type === "image");
  const lines = quoted === "" && hasImage ? `> [${voice.image}]` : quoted;
  const head = failed ? voice.failed(action, tool) : voice.did(action, lines === "");
  return [head, lines, more > 0 ? voice.more(more) : ""].filter((part) => part !== "").join("\n");
}
