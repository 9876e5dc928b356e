// Histories as every provider wants them: each call has exactly one result, right behind its message, in its order.
import type { AssistantMessage, Message, ToolCall, ToolResultMessage } from "../core/messages.ts";

const MISSING = "No result: the call was interrupted, and what it did is unknown.";

/**
 * The same conversation with calls and results paired; messages that need no repair are the same objects. Results that
 * are missing become error results, results without a call and second ones are dropped, results elsewhere move to their
 * call. A failed or aborted message is left out with its calls if none of them has a result. Total: never throws.
 */
export function repairHistory(messages: readonly Message[]): Message[] {
  if (isPaired(messages)) return messages.slice();
  const results = matchResults(messages);
  const repaired: Message[] = [];
  for (const message of messages) {
    switch (message.role) {
      case "user":
        repaired.push(message);
        break;
      case "assistant":
        addAssistant(repaired, message, results.get(message));
        break;
      default:
        // Results come with their calls; roles that nobody knows do not come at all.
        break;
    }
  }
  return repaired;
}

/** Whether nothing needs repair: looked at first, and without making anything, since a session asks this each turn. */
function isPaired(messages: readonly Message[]): boolean {
  let calls: readonly AssistantMessage["content"][number][] = [];
  let at = 0;
  const skipToCall = (): void => {
    while (at < calls.length && calls[at]?.type !== "toolCall") at++;
  };
  for (const message of messages) {
    if (message.role === "toolResult") {
      const call = calls[at];
      if (call?.type !== "toolCall" || call.id !== message.toolCallId) return false;
      at++;
    } else if (at < calls.length) return false;
    else if (message.role === "user") continue;
    else if (message.role !== "assistant" || !Array.isArray(message.content)) return false;
    else [calls, at] = [message.content, 0];
    skipToCall();
  }
  return at >= calls.length;
}

/** By position among the message's calls. */
type Results = (ToolResultMessage | undefined)[];

/**
 * Ids may recur, in one message and over the session: a result belongs to the newest message before it that has a call
 * of its id, and there to the first such call without a result.
 */
function matchResults(messages: readonly Message[]): Map<AssistantMessage, Results> {
  const results = new Map<AssistantMessage, Results>();
  const open = new Map<string, { results: Results; indexes: number[] }>();
  for (const message of messages) {
    if (message.role === "assistant" && !results.has(message)) {
      const calls = callsOf(message);
      const own: Results = calls.map(() => undefined);
      results.set(message, own);
      const byId = Map.groupBy(calls.keys(), (index) => calls[index]?.id ?? "");
      for (const [id, indexes] of byId) {
        open.set(id, { results: own, indexes: indexes.toReversed() });
      }
    } else if (message.role === "toolResult") {
      const newest = open.get(message.toolCallId);
      const index = newest?.indexes.pop();
      if (newest && index !== undefined) newest.results[index] = message;
    }
  }
  return results;
}

function addAssistant(
  repaired: Message[],
  message: AssistantMessage,
  results: Results | undefined,
): void {
  const calls = callsOf(message);
  const failed = message.stopReason === "error" || message.stopReason === "aborted";
  if (failed && calls.length > 0 && !results?.some((result) => result !== undefined)) {
    const rest = withoutCalls(message);
    if (rest.content.length > 0) repaired.push(rest);
    return;
  }
  repaired.push(message);
  for (const [index, call] of calls.entries()) {
    repaired.push(results?.[index] ?? missingResult(call, message));
  }
}

/** The calls of a message, in its order; none where the content is no list. */
export function callsOf(message: AssistantMessage): ToolCall[] {
  if (!Array.isArray(message.content)) return [];
  return message.content.filter((block) => block?.type === "toolCall");
}

// By identity, so that what a wire keeps for a message holds for its repaired form too.
const stripped = new WeakMap<AssistantMessage, AssistantMessage>();
const missing = new WeakMap<ToolCall, ToolResultMessage>();

function withoutCalls(message: AssistantMessage): AssistantMessage {
  const kept = stripped.get(message);
  if (kept) return kept;
  const content = message.content.filter((block) => block?.type !== "toolCall");
  const made = { ...message, content };
  stripped.set(message, made);
  return made;
}

function missingResult(call: ToolCall, message: AssistantMessage): ToolResultMessage {
  const kept = missing.get(call);
  if (kept) return kept;
  const made: ToolResultMessage = {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content: [{ type: "text", text: MISSING }],
    isError: true,
    timestamp: message.timestamp,
  };
  missing.set(call, made);
  return made;
}
