// The gates of one call that come in the model's order: find the tool, shim and check its arguments, the caller's hook.
// What does not pass is an error result that the model can act on, never an exception.
import { jsonEqual } from "../lib/json/json-equal.ts";
import { describeError } from "../lib/text/describe-error.ts";
import type { Call } from "./call.ts";
import type { AssistantMessage } from "./messages.ts";
import { HOOK_DEADLINE_MS, type Run } from "./run.ts";
import { BARRIER } from "./scheduler.ts";
import { describeUnknownTool, resolveToolName } from "./tool-names.ts";
import type { AgentTool, Claim } from "./tool.ts";

type Args = Record<string, unknown>;

/** A call that may go on to permission, or the text that says why not. */
export type Gated =
  | { ok: true; tool: AgentTool; args: Args }
  | { ok: false; text: string; terminate?: boolean; denied?: "hook" };

/** Finds the tool and makes the arguments valid: the gates that do not ask anybody. */
export async function checkCall(run: Run, call: Call): Promise<Gated> {
  if (call.refusal !== undefined) return refuse(call.refusal);
  const { tools } = run.context;
  const names = tools.map((tool) => tool.name);
  const name = resolveToolName(call.toolCall.name, names);
  const tool = tools.find((candidate) => candidate.name === name);
  if (!tool) return refuse(describeUnknownTool(call.toolCall.name, names));
  let args: unknown;
  try {
    args = structuredClone(call.toolCall.arguments);
    if (tool.prepareArguments) args = tool.prepareArguments(args);
  } catch (error) {
    return refuse(`The arguments of ${tool.name} could not be read: ${describeError(error)}`);
  }
  return validate(tool, args);
}

/** The caller's hook, which may block the call or change its arguments; what it changed is validated again. */
export async function askBeforeHook(
  run: Run,
  call: Call,
  asked: { tool: AgentTool; args: Args; assistantMessage: AssistantMessage },
): Promise<Gated> {
  const { tool, args, assistantMessage } = asked;
  const { beforeToolCall } = run.config;
  if (!beforeToolCall) return { ok: true, tool, args };
  const copy = structuredClone(args);
  const { toolCall } = call;
  const waited = await run.wait(
    () =>
      beforeToolCall.call(
        run.config,
        { assistantMessage, toolCall, args: copy, context: run.context },
        call.stop.signal,
      ),
    call.stop,
  );
  if (waited.status !== "done") {
    const why =
      waited.status === "failed"
        ? describeError(waited.error)
        : `it did not answer within ${HOOK_DEADLINE_MS / 1000} s`;
    return { ...refuse(`Blocked: the hook before this call failed: ${why}`), denied: "hook" };
  }
  const { value } = waited;
  if (value?.block) {
    const reason = value.reason || "Blocked by a hook: this call was not run.";
    return { ...refuse(reason), denied: "hook", ...(value.terminate ? { terminate: true } : {}) };
  }
  const changed = value?.args ?? copy;
  return jsonEqual(changed, args) ? { ok: true, tool, args } : validate(tool, changed);
}

function refuse(text: string): Extract<Gated, { ok: false }> {
  return { ok: false, text };
}

/** Loaded with the first call: a run that only talks needs no validator. */
let validator: typeof import("../lib/schema/check-arguments.ts") | undefined;

async function validate(tool: AgentTool, args: unknown): Promise<Gated> {
  try {
    validator ??= await import("../lib/schema/check-arguments.ts");
    const { checkArguments } = validator;
    const checked = await checkArguments(tool, args);
    return checked.ok ? { ok: true, tool, args: checked.args } : refuse(checked.text);
  } catch (error) {
    return refuse(`The arguments of ${tool.name} could not be checked: ${describeError(error)}`);
  }
}

/** What the call will touch; a tool that cannot say counts as touching everything. */
export async function claimsOf(run: Run, call: Call): Promise<readonly Claim[]> {
  const { tool, args } = call;
  if (!tool?.claims || !args) return [];
  const waited = await run.wait(() => tool.claims?.(structuredClone(args)) ?? [], call.stop);
  return waited.status === "done" && Array.isArray(waited.value) ? waited.value : BARRIER;
}

/** Whether the call only reads; a tool that fails to say so does not. */
export async function isPure(run: Run, call: Call): Promise<boolean> {
  const { tool, args } = call;
  const pure = tool?.pure;
  if (typeof pure !== "function" || !args) return pure === true;
  const waited = await run.wait(() => pure.call(tool, structuredClone(args)), call.stop);
  return waited.status === "done" && waited.value === true;
}

/** Freezes plain data through and through. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
  return value;
}
