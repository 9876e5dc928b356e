// The gates of one call that come in the model's order: find the tool, shim and check its arguments, the caller's hook.
// What does not pass is an error result that the model can act on, never an exception.
import { jsonEqual } from "../lib/json/json-equal.ts";
import { toJsonValue } from "../lib/json/to-json-value.ts";
import { describeError } from "../lib/text/describe-error.ts";
import type { Call } from "./call.ts";
import type { AssistantMessage, JsonValue } from "./messages.ts";
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
  return validate(run, call, { tool, args });
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
  const copy = copyArguments(args);
  // The history keeps what the model sent, whatever the hook does.
  const toolCall = structuredClone(call.toolCall);
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
  return jsonEqual(changed, args)
    ? { ok: true, tool, args }
    : validate(run, call, { tool, args: changed });
}

function refuse(text: string): Extract<Gated, { ok: false }> {
  return { ok: false, text };
}

/** Loaded with the first call: a run that only talks needs no validator. */
let validator: typeof import("../lib/schema/check-arguments.ts") | undefined;

async function validate(
  run: Run,
  call: Call,
  { tool, args }: { tool: AgentTool; args: unknown },
): Promise<Gated> {
  validator ??= await import("../lib/schema/check-arguments.ts");
  const { checkArguments } = validator;
  // A schema's own check may be anybody's code: it may throw, or never end.
  const waited = await run.wait(() => checkArguments(tool, args), call.stop);
  if (waited.status === "done") {
    const checked = waited.value;
    return checked.ok ? { ok: true, tool, args: checked.args } : refuse(checked.text);
  }
  const why = waited.status === "failed" ? describeError(waited.error) : "the check did not end";
  return refuse(`The arguments of ${tool.name} could not be checked: ${why}`);
}

/** What the call will touch; a tool that cannot say counts as touching everything. */
export async function claimsOf(run: Run, call: Call): Promise<readonly Claim[]> {
  const { tool, args } = call;
  if (!tool?.claims || !args) return [];
  const waited = await run.wait(() => tool.claims?.(copyArguments(args)) ?? [], call.stop);
  const said: unknown = waited.status === "done" ? waited.value : undefined;
  return Array.isArray(said) && said.every(isClaim) ? said : BARRIER;
}

function isClaim(claim: unknown): claim is Claim {
  if (typeof claim !== "object" || claim === null) return false;
  const { on, path, host, access } = claim as Record<string, unknown>;
  if (access !== "read" && access !== "write") return false;
  if (on === "path") return typeof path === "string";
  return on === "net" ? typeof host === "string" : on === "process" || on === "everything";
}

/** A copy of a call's arguments; of what a schema made that cannot be copied, one level. */
export function copyArguments(args: Args): Args {
  try {
    return structuredClone(args);
  } catch {
    return { ...args };
  }
}

/** A call's arguments as the journal can hold them. */
export function plainArguments(args: Args): JsonValue {
  try {
    return structuredClone(args) as JsonValue;
  } catch {
    const plain = toJsonValue(args, Number.POSITIVE_INFINITY);
    return plain.ok ? (plain.value as JsonValue) : {};
  }
}

/** Whether the call only reads; a tool that fails to say so does not. */
export async function isPure(run: Run, call: Call): Promise<boolean> {
  const { tool, args } = call;
  const pure = tool?.pure;
  if (typeof pure !== "function" || !args) return pure === true;
  const waited = await run.wait(() => pure.call(tool, copyArguments(args)), call.stop);
  return waited.status === "done" && waited.value === true;
}

/** Freezes plain data through and through. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
  return value;
}
