// Runs a call that passed its gates: the one place where `tool.execute` is called.
import { abortError } from "../lib/async/stopper.ts";
import { type Waited, waitFor } from "../lib/async/wait-for.ts";
import { describeError } from "../lib/text/describe-error.ts";
import { boundResult, type BoundedResult } from "./bound-result.ts";
import { abortedText, type Call, type Executed } from "./call.ts";
import type { AssistantMessage } from "./messages.ts";
import { copyArguments } from "./prepare-call.ts";
import { ABORT_GRACE_MS, HOOK_DEADLINE_MS, type Run } from "./run.ts";
import type { AgentTool, ToolResult } from "./tool.ts";

/** A tool's deadline, if it names none. */
export const DEFAULT_TOOL_TIMEOUT_MS = 600_000;

/** Tells the start and runs the tool until it settles, or is left behind after a stop or its deadline. */
export async function executeCall(run: Run, call: Call): Promise<Executed> {
  const tool = call.tool as AgentTool;
  const args = call.args as Record<string, unknown>;
  const { id, name } = call.toolCall;
  const { clock, timers } = run.ports;
  const timeoutMs = tool.timeoutMs ?? DEFAULT_TOOL_TIMEOUT_MS;
  let open = true;
  let timedOut = false;
  const onUpdate = (partialResult: ToolResult): void => {
    // A call whose end was told says nothing more.
    if (!open || call.endTold) return;
    run.emit({
      type: "tool_execution_update",
      toolCallId: id,
      toolName: name,
      args,
      partialResult,
    });
  };
  call.startTold = true;
  run.emit({ type: "tool_execution_start", toolCallId: id, toolName: name, args });
  const startedAt = clock.monotonic();
  const cancelDeadline =
    timeoutMs > 0
      ? timers.set(timeoutMs, () => {
          timedOut = !call.stop.stopped;
          call.stop.stop(abortError(`timed out after ${timeoutMs / 1000} s`));
        })
      : undefined;
  const waited = await waitFor(
    () => tool.execute(id, copyArguments(args), call.stop.signal, onUpdate),
    { timers, stop: call.stop, graceMs: ABORT_GRACE_MS },
  );
  open = false;
  cancelDeadline?.();
  const durationMs = clock.monotonic() - startedAt;
  const stopText = timedOut ? timeoutText(name, timeoutMs) : abortedText(call.stop, "stopped");
  return { ...outcomeOf(waited, call.stop.stopped ? stopText : undefined), durationMs };
}

function timeoutText(name: string, timeoutMs: number): string {
  return `${name} timed out after ${timeoutMs / 1000} s and was stopped.`;
}

/** A stopped tool's own words are kept beside the reason of the stop. */
function outcomeOf(
  waited: Waited<ToolResult>,
  stopText: string | undefined,
): Omit<Executed, "durationMs"> {
  if (waited.status === "left") {
    const left = `${stopText ?? ""} It did not end within ${ABORT_GRACE_MS} ms and was left behind: it may still be running.`;
    return failure(left.trim());
  }
  if (waited.status === "failed") {
    const said = describeError(waited.error);
    return failure(stopText === undefined ? said : joinTexts(stopText, said));
  }
  const { value } = waited;
  if (stopText === undefined) return { returned: value, isError: value?.isError === true };
  const content = Array.isArray(value?.content) ? value.content : [];
  const returned = { ...value, isError: true, content: [...content, textBlock(stopText)] };
  return { returned, isError: true };
}

function joinTexts(stopText: string, said: string): string {
  return /abort/i.test(said) && said.length < 60 ? stopText : `${stopText}\n${said}`;
}

function failure(text: string): Omit<Executed, "durationMs"> {
  return { returned: { content: [textBlock(text)], isError: true }, isError: true };
}

function textBlock(text: string): { type: "text"; text: string } {
  return { type: "text", text };
}

/** The after-hook and the bounds: what a call that ran gives the model. */
export async function finishResult(
  run: Run,
  call: Call,
  ended: { executed: Executed; assistantMessage: AssistantMessage },
): Promise<BoundedResult> {
  const returned = await askAfterHook(run, call, ended);
  return boundResult(returned, async (text) => {
    const { spill } = run.config;
    if (!spill) return undefined;
    const { id, name } = call.toolCall;
    const kept = await run.wait(() =>
      spill.call(run.config, text, { toolCallId: id, toolName: name }),
    );
    return kept.status === "done" ? kept.value : undefined;
  });
}

async function askAfterHook(
  run: Run,
  call: Call,
  ended: { executed: Executed; assistantMessage: AssistantMessage },
): Promise<unknown> {
  const { executed, assistantMessage } = ended;
  const { afterToolCall } = run.config;
  const { returned, isError } = executed;
  if (!afterToolCall) return returned;
  const result = asToolResult(returned);
  const { toolCall } = call;
  const args = call.args as Record<string, unknown>;
  const seen = { assistantMessage, toolCall, args, result, isError, context: run.context };
  const waited = await run.wait(() => afterToolCall.call(run.config, seen, run.stop.signal));
  if (waited.status === "done")
    return waited.value ? replaceFields(result, waited.value) : returned;
  if (run.stop.stopped) return returned;
  const why =
    waited.status === "failed"
      ? `failed: ${describeError(waited.error)}`
      : `did not answer within ${HOOK_DEADLINE_MS / 1000} s`;
  const note = textBlock(`The hook after this call ${why}`);
  return { ...result, isError: true, content: [...result.content, note] };
}

function asToolResult(returned: unknown): ToolResult {
  const result = (typeof returned === "object" && returned !== null ? returned : {}) as ToolResult;
  return Array.isArray(result.content) ? result : { ...result, content: [] };
}

/** Each field whole; what the hook leaves out stays. */
function replaceFields(result: ToolResult, update: Partial<ToolResult>): ToolResult {
  const replaced = { ...result };
  for (const field of ["content", "details", "usage", "terminate", "isError"] as const) {
    if (update[field] !== undefined) Object.assign(replaced, { [field]: update[field] });
  }
  return replaced;
}
