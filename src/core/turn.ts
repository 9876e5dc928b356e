// One turn: the model's message, its batch of calls, and the results behind it.
import type { AgentMessage, AssistantMessage, ToolResultMessage } from "./messages.ts";
import { type Answer, askModel } from "./request.ts";
import { abortedText, type RequestedCall } from "./call.ts";
import type { Run } from "./run.ts";

/** How a turn left the conversation. */
export interface Turn {
  message: AssistantMessage;
  toolResults: ToolResultMessage[];
  /** The model waits for these results. */
  goesOn: boolean;
  /** Every result said "no more calls". */
  terminated: boolean;
  /** The message was cut while it held calls. */
  cut: boolean;
}

/** Runs one turn. `cutBefore` says how many messages in a row were cut before this one. */
export async function runTurn(
  run: Run,
  pollSteering: () => Promise<AgentMessage[]>,
  cutBefore: number,
): Promise<Turn> {
  const answer = await askModel(run, pollSteering);
  const { message } = answer;
  run.limits.countTurn();
  run.limits.countUsage(message.usage);
  if (!answer.startTold) run.emit({ type: "message_start", message });
  run.appendMessage(message);
  // If this fails the run is stopping, and the batch gives every call its aborted result.
  await run.record([{ type: "message", message, turn: run.turn }]);
  const cut = isCut(run, message) && answer.calls.length > 0;
  const settled = await answer.batch.settle(
    message,
    requestedCalls(run, answer, cut ? cutBefore + 1 : 0),
  );
  const toolResults = settled.map((call) => call.message);
  for (const result of toolResults) run.addMessage(result);
  run.emit({ type: "turn_end", message, toolResults });
  run.turn++;
  const terminated = settled.length > 0 && settled.every((call) => call.terminate);
  return { message, toolResults, goesOn: settled.length > 0 && !terminated, terminated, cut };
}

/** The output ended where the limit was, whatever the server claims. */
function isCut(run: Run, message: AssistantMessage): boolean {
  if (message.stopReason === "length") return true;
  if (message.stopReason === "error" || message.stopReason === "aborted") return false;
  const most = run.options.maxTokens ?? run.model.maxTokens;
  return most > 0 && message.usage.output >= most;
}

function requestedCalls(run: Run, { message, calls }: Answer, cutInARow: number): RequestedCall[] {
  const whole = wholeMessageRefusal(run, message, cutInARow);
  return calls.map(({ toolCall, contentIndex, ended }) => {
    const refusal = whole ?? callRefusal(toolCall.argumentsError, ended);
    return { toolCall, contentIndex, ...(refusal === undefined ? {} : { refusal }) };
  });
}

/** Why none of a message's calls may run. */
export function wholeMessageRefusal(
  run: Run,
  message: AssistantMessage,
  cutInARow: number,
): string | undefined {
  if (message.stopReason === "aborted") return abortedText(run.stop, "not started");
  if (message.stopReason === "error") {
    const why = message.errorMessage ?? "the request failed";
    return `Not run: the message that holds this call failed before it was complete (${why}). Send the call again, complete.`;
  }
  return cutInARow > 0 ? cutText(run, cutInARow) : undefined;
}

function cutText(run: Run, cutInARow: number): string {
  const most = run.options.maxTokens ?? run.model.maxTokens;
  const limit = most > 0 ? ` (${most} tokens)` : "";
  const cut = `Not run: your message reached its output limit${limit}, so this call may be incomplete. Send it again, complete and smaller.`;
  if (cutInARow < 2) return cut;
  return `${cut} This is message ${cutInARow} in a row that was cut, and the run ends at the third. Change the approach: make one call a message, split long content (write the first part, then add the rest with further calls), and leave out long explanations.`;
}

/** Why this one call may not run, while its siblings may. */
export function callRefusal(
  argumentsError: string | undefined,
  ended: boolean,
): string | undefined {
  if (!ended) {
    return "Not run: the stream ended before this call was complete. Send it again, complete and smaller.";
  }
  if (argumentsError === undefined) return undefined;
  return `Not run: the arguments are not valid JSON. ${argumentsError}\nSend the call again with complete, valid JSON.`;
}
