// The calls of one message, from the first that may start early to the last result.
// Gates run in the model's order, permission is asked without waiting for it, execution follows the claims, results
// are recorded as they settle, and the list of results is in the model's order again.
import { abortError, type Stopper } from "../lib/async/stopper.ts";
import { waitFor } from "../lib/async/wait-for.ts";
import { describeError } from "../lib/text/describe-error.ts";
import { type BoundedResult, textResult } from "./bound-result.ts";
import {
  abortedText,
  type Call,
  type Executed,
  type RequestedCall,
  resultMessage,
  type SettledCall,
} from "./call.ts";
import type { Decision, RecordEntry } from "./config.ts";
import { EarlyCalls } from "./early-calls.ts";
import { executeCall, finishResult } from "./execute-call.ts";
import type { AssistantMessage, ToolCall } from "./messages.ts";
import {
  askBeforeHook,
  checkCall,
  claimsOf,
  deepFreeze,
  isPure,
  plainArguments,
} from "./prepare-call.ts";
import type { Run } from "./run.ts";
import { BARRIER, sameClaims, Scheduler, writes } from "./scheduler.ts";

/** How often a call whose target moved is scheduled anew before it counts as touching everything. */
const MAX_RESCHEDULES = 3;

/** Runs one message's calls. `turn` counts assistant messages over the session. */
export class Batch {
  readonly #run: Run;
  readonly #turn: number;
  readonly #stop: Stopper;
  readonly #scheduler: Scheduler;
  readonly #calls = new Map<string, Call>();
  readonly early: EarlyCalls;

  constructor(run: Run, turn: number) {
    this.#run = run;
    this.#turn = turn;
    this.#stop = run.stop.child();
    this.#scheduler = new Scheduler(run.config.maxParallel);
    this.early = new EarlyCalls(run, this.#scheduler, (toolCall, index) =>
      this.#open(toolCall, index),
    );
  }

  /** Settles every call of the message; the results are in the model's order. Never rejects. */
  async settle(
    assistantMessage: AssistantMessage,
    requested: readonly RequestedCall[],
  ): Promise<SettledCall[]> {
    await this.early.close(requested);
    const calls = requested.map((request, index) => this.#adopt(request, index));
    await this.#claimEarly(calls);
    for (const [index, { settled }] of requested.entries()) {
      if (settled) this.#scheduler.finish(index, false);
    }
    if (this.#isSequential(calls)) {
      for (const call of calls) {
        const gated = await this.#passGates(call, assistantMessage);
        await this.#settleGated(call, gated, assistantMessage);
      }
    } else {
      const settling: Promise<void>[] = [];
      for (const call of calls) {
        const gated = await this.#passGates(call, assistantMessage);
        settling.push(this.#settleGated(call, gated, assistantMessage));
      }
      await Promise.all(settling);
    }
    this.#stop.release();
    return calls.map((call) => ({
      message: call.message as NonNullable<Call["message"]>,
      terminate: call.terminate === true,
    }));
  }

  /** The message is thrown away: what began early is stopped and told. Gives the ids of the started calls. */
  discard(why: string): string[] {
    const ids = this.early.discard(why);
    this.#stop.stop(abortError(why));
    this.#stop.release();
    return ids;
  }

  /** Ends one call, also one that still waits. */
  abortCall(toolCallId: string, reason?: string): "aborted" | "settled" | "unknown" {
    const call = this.#calls.get(toolCallId);
    if (!call) return "unknown";
    if (call.message || call.stop.stopped) return "settled";
    call.stop.stop(abortError(reason ? `cancelled: ${reason}` : "cancelled by the user"));
    return "aborted";
  }

  #open(toolCall: ToolCall, index: number, refusal?: string): Call {
    const call: Call = {
      ref: { turn: this.#turn, index, toolCallId: toolCall.id },
      toolCall,
      stop: this.#stop.child(),
      ...(refusal === undefined ? {} : { refusal }),
    };
    this.#calls.set(toolCall.id, call);
    return call;
  }

  #adopt(request: RequestedCall, index: number): Call {
    const begun = this.early.take(index);
    if (begun && request.refusal === undefined) return begun;
    const call = this.#open(request.toolCall, index, request.refusal);
    if (request.settled) call.message = request.settled;
    if (request.given) call.given = request.given;
    if (request.refusal !== undefined && this.early.wasTold(index)) {
      call.startTold = call.endTold = true;
    }
    return call;
  }

  /** What still runs since before the end of the message says what it reads, if others may have to wait for it. */
  async #claimEarly(calls: readonly Call[]): Promise<void> {
    if (calls.every((call) => call.early !== undefined)) return;
    for (const call of calls) {
      if (!call.early || call.claims) continue;
      call.claims = await claimsOf(this.#run, call);
      this.#scheduler.claim(call.ref.index, call.claims);
    }
  }

  /** Decided over the tools that are found, before any gate. */
  #isSequential(calls: readonly Call[]): boolean {
    if (this.#run.config.toolExecution === "sequential") return true;
    const { tools } = this.#run.context;
    return calls.some((call) =>
      tools.some((tool) => tool.name === call.toolCall.name && tool.executionMode === "sequential"),
    );
  }

  /** The gates that run strictly one call after the other; they end with the claims. */
  async #passGates(call: Call, assistantMessage: AssistantMessage): Promise<Gate> {
    if (call.early || call.message || call.given) return PASSED;
    if (call.stop.stopped) return { ok: false, text: abortedText(call.stop, "not started") };
    const checked = this.early.checked(call) ?? (await checkCall(this.#run, call));
    if (!checked.ok) return checked;
    const gated = await askBeforeHook(this.#run, call, { ...checked, assistantMessage });
    if (call.stop.stopped) return { ok: false, text: abortedText(call.stop, "not started") };
    if (!gated.ok) return gated;
    call.tool = gated.tool;
    call.args = deepFreeze(gated.args);
    call.claims = await claimsOf(this.#run, call);
    this.#scheduler.claim(call.ref.index, call.claims);
    return PASSED;
  }

  async #settleGated(call: Call, gated: Gate, assistantMessage: AssistantMessage): Promise<void> {
    if (call.message) return;
    if (call.given) return this.#conclude(call, call.given, {});
    const refusal = gated.ok ? await this.#clearToRun(call) : gated;
    if (refusal) return this.#refuse(call, refusal);
    if (!call.early && call.stop.stopped) return this.#refuse(call, notStarted(call));
    const executed = await (call.early ?? executeCall(this.#run, call));
    if (!executed) return this.#refuse(call, notStarted(call));
    const result = await finishResult(this.#run, call, { executed, assistantMessage });
    await this.#conclude(call, result, { executed });
  }

  /** Permission, turn and intent: what a call that passed the gates still waits for. */
  async #clearToRun(call: Call): Promise<Refusal | undefined> {
    if (call.early) return undefined;
    call.pure = await isPure(this.#run, call);
    for (let times = 0; ; times++) {
      const denied = await this.#authorize(call);
      if (denied) return denied;
      await this.#scheduler.turn(call.ref.index, call.stop.signal);
      if (call.stop.stopped) return notStarted(call);
      const moved = await this.#movedClaims(call);
      if (!moved) break;
      this.#scheduler.release(call.ref.index);
      call.claims = times < MAX_RESCHEDULES ? moved : BARRIER;
      this.#scheduler.claim(call.ref.index, call.claims);
    }
    if (!call.pure) await this.#recordIntent(call);
    return call.stop.stopped ? notStarted(call) : undefined;
  }

  /** Asks for permission on the final arguments; an abort wins over an open question. */
  async #authorize(call: Call): Promise<Refusal | undefined> {
    const { config, ports } = this.#run;
    const { authorize } = config;
    if (!authorize) return undefined;
    const { tool, args, claims = [], toolCall } = call;
    if (!tool || !args) return notStarted(call);
    const waited = await waitFor(
      () =>
        authorize.call(config, { toolCall, tool, args, claims, early: false }, call.stop.signal),
      { timers: ports.timers, stop: call.stop, graceMs: 0 },
    );
    if (call.stop.stopped || waited.status === "left") return notStarted(call);
    if (waited.status === "failed") {
      const reason = `Permission could not be decided: ${describeError(waited.error)}`;
      return { ok: false, text: reason, decision: { decision: "deny", reason } };
    }
    const decision = waited.value;
    if (decision?.decision === "allow") return undefined;
    const reason = decision?.reason || "This call is not permitted.";
    return { ok: false, text: reason, decision: { ...decision, decision: "deny", reason } };
  }

  /** The claims of now, if an earlier call wrote and they are no longer those that were scheduled and permitted. */
  async #movedClaims(call: Call): Promise<Call["claims"]> {
    if (call.claims === BARRIER || !this.#scheduler.wroteBefore(call.ref.index)) return undefined;
    const now = await claimsOf(this.#run, call);
    return sameClaims(now, call.claims ?? []) ? undefined : now;
  }

  async #recordIntent(call: Call): Promise<void> {
    const run = this.#run;
    if (!run.config.record) return;
    const { tool, args, claims = [] } = call;
    const evidence = tool?.evidence
      ? await run.wait(() => tool.evidence?.(structuredClone(args) as never), call.stop)
      : undefined;
    if (call.stop.stopped) return;
    await run.record([
      {
        type: "intent",
        call: call.ref,
        toolName: call.toolCall.name,
        args: plainArguments(args ?? {}),
        claims,
        ...(evidence?.status === "done" && evidence.value !== undefined
          ? { evidence: evidence.value }
          : {}),
      },
    ]);
  }

  /** An error result for a call that did not run. */
  async #refuse(call: Call, refusal: Refusal): Promise<void> {
    if (refusal.terminate) call.terminate = true;
    const denied = deniedEntry(call, refusal);
    await this.#conclude(call, textResult(refusal.text, true), { denied });
  }

  /** The result is noted, recorded and told; only then is the call finished and what waits for it may start. */
  async #conclude(
    call: Call,
    result: BoundedResult,
    { executed, denied = [] }: { executed?: Executed; denied?: RecordEntry[] },
  ): Promise<void> {
    const run = this.#run;
    const wrote = executed !== undefined && writes(call.claims ?? []);
    const note = this.#noteRepeat(call, result, wrote);
    const content = note
      ? [...result.content, { type: "text" as const, text: note }]
      : result.content;
    const told: BoundedResult = { ...result, content };
    const message = resultMessage(call, told, {
      timestamp: run.ports.clock.now(),
      ...(executed ? { durationMs: executed.durationMs } : {}),
    });
    if (result.terminate) call.terminate = true;
    run.limits.countToolUsage(result.usage);
    await run.record([
      ...denied,
      { type: "result", call: call.ref, message, executed: executed !== undefined },
    ]);
    call.message = message;
    run.settledCalls.add(call.toolCall.id);
    this.#tellEnd(call, told, executed?.durationMs ?? 0);
    call.stop.release();
    this.#scheduler.finish(call.ref.index, wrote);
  }

  #noteRepeat(call: Call, result: BoundedResult, wrote: boolean): string | undefined {
    if (call.stop.stopped) return undefined;
    const { name: toolName } = call.toolCall;
    const { content, isError } = result;
    const args = call.args ?? call.toolCall.arguments;
    return this.#run.repeats.count({ toolName, args, content, isError, wrote }, this.#turn);
  }

  #tellEnd(call: Call, result: BoundedResult, durationMs: number): void {
    const { id: toolCallId, name: toolName } = call.toolCall;
    if (!call.startTold) {
      const args = call.args ?? call.toolCall.arguments;
      this.#run.emit({ type: "tool_execution_start", toolCallId, toolName, args });
    }
    if (!call.endTold) {
      const { isError } = result;
      this.#run.emit({
        type: "tool_execution_end",
        toolCallId,
        toolName,
        result,
        isError,
        durationMs,
      });
    }
    call.startTold = call.endTold = true;
  }
}

type Gate = { ok: true } | Refusal;

const PASSED: Gate = { ok: true };

interface Refusal {
  ok: false;
  text: string;
  terminate?: boolean;
  denied?: "hook";
  decision?: Decision;
}

function notStarted(call: Call): Refusal {
  return { ok: false, text: abortedText(call.stop, "not started") };
}

function deniedEntry(call: Call, refusal: Refusal): RecordEntry[] {
  const { decision, denied, text } = refusal;
  if (!decision && !denied) return [];
  const rule = decision?.rule;
  const by = denied ?? decision?.by ?? "policy";
  return [
    { type: "denied", call: call.ref, by, ...(rule === undefined ? {} : { rule }), reason: text },
  ];
}
