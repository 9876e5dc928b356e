// Early start: a pure call may run while the model still streams, if all before it in the message are pure and have
// ended, and permission is given without a question. Everything it does is provisional until the message is whole.
import { waitFor } from "../lib/async/wait-for.ts";
import { jsonEqual } from "../lib/json/json-equal.ts";
import { abortError, type Stopper } from "../lib/async/stopper.ts";
import { textResult } from "./bound-result.ts";
import type { Call, RequestedCall } from "./call.ts";
import { executeCall } from "./execute-call.ts";
import type { ToolCall } from "./messages.ts";
import {
  checkCall,
  claimsOf,
  copyArguments,
  deepFreeze,
  type Gated,
  isPure,
} from "./prepare-call.ts";
import type { Run } from "./run.ts";
import type { Scheduler } from "./scheduler.ts";

interface EarlyCall {
  call: Call;
  contentIndex: number;
  checked?: Gated;
  discarded?: boolean;
}

/** The calls of one message attempt that were looked at before its end. */
export class EarlyCalls {
  readonly #run: Run;
  readonly #scheduler: Scheduler;
  readonly #open: (toolCall: ToolCall, index: number) => Call;
  readonly #calls: EarlyCall[] = [];
  // Comes when the message ends, so that no early question holds it up.
  readonly #closing: Stopper;
  #goOn: boolean;
  #working: Promise<void> = Promise.resolve();

  constructor(run: Run, scheduler: Scheduler, open: (toolCall: ToolCall, index: number) => Call) {
    this.#run = run;
    this.#scheduler = scheduler;
    this.#open = open;
    this.#closing = run.stop.child();
    const { beforeToolCall, toolExecution } = run.config;
    this.#goOn =
      !beforeToolCall &&
      toolExecution !== "sequential" &&
      !run.context.tools.some((tool) => tool.executionMode === "sequential");
  }

  /** A call has ended in the stream. `inOrder`: every call before it in the message has ended too. */
  offer(toolCall: ToolCall, contentIndex: number, inOrder: boolean): void {
    if (!inOrder) this.#goOn = false;
    if (!this.#goOn || this.#closing.stopped) return;
    this.#working = this.#working.then(() => this.#consider(toolCall, contentIndex));
  }

  /** The message is whole: nothing more starts early; what the message no longer holds so is discarded. */
  async close(requested: readonly RequestedCall[]): Promise<void> {
    this.#closing.stop(CLOSED);
    this.#closing.release();
    await this.#working;
    for (const [index, early] of this.#calls.entries()) {
      const request = requested[index];
      if (request && request.refusal === undefined && isSame(early, request)) continue;
      this.#discardOne(early, request?.refusal ?? "the message changed");
    }
  }

  /** The call at this place of the message, if it was looked at and still counts. */
  take(index: number): Call | undefined {
    const early = this.#calls[index];
    return early?.discarded ? undefined : early?.call;
  }

  /** Whether the call at this place started, was discarded, and has had its one pair of start and end. */
  wasTold(index: number): boolean {
    const early = this.#calls[index];
    return early?.discarded === true && early.call.endTold === true;
  }

  /** What the first gates said of a call that was looked at and did not start. */
  checked(call: Call): Gated | undefined {
    const early = this.#calls[call.ref.index];
    return early?.call === call ? early.checked : undefined;
  }

  /** The message is thrown away. Gives the ids of the calls that had started. */
  discard(why: string): string[] {
    this.#goOn = false;
    this.#closing.stop(abortError(why));
    this.#closing.release();
    const started = this.#calls.filter((early) => early.call.startTold);
    for (const early of started) this.#discardOne(early, why);
    return started.map((early) => early.call.toolCall.id);
  }

  async #consider(toolCall: ToolCall, contentIndex: number): Promise<void> {
    if (!this.#goOn || this.#closing.stopped) return;
    const index = this.#calls.length;
    const early: EarlyCall = { call: this.#open(toolCall, index), contentIndex };
    this.#calls.push(early);
    this.#goOn = await this.#tryStart(early);
  }

  /** Whether the next call may be looked at. */
  async #tryStart(early: EarlyCall): Promise<boolean> {
    const { call } = early;
    if (call.toolCall.argumentsError !== undefined) return false;
    early.checked = await checkCall(this.#run, call);
    if (!early.checked.ok || this.#closing.stopped) return false;
    call.tool = early.checked.tool;
    call.args = deepFreeze(copyArguments(early.checked.args));
    call.pure = await isPure(this.#run, call);
    if (!call.pure || this.#closing.stopped) return false;
    if (this.#run.config.authorize) call.claims = await claimsOf(this.#run, call);
    if (!(await this.#isAllowed(call)) || this.#closing.stopped || call.stop.stopped) return false;
    // Pure calls do not hold each other up; what this one reads is asked once there is another kind of call.
    this.#scheduler.claim(call.ref.index, call.claims ?? []);
    call.early = this.#scheduler
      .turn(call.ref.index, call.stop.signal)
      .then(() => (call.stop.stopped ? undefined : executeCall(this.#run, call)));
    return true;
  }

  async #isAllowed(call: Call): Promise<boolean> {
    const { config, ports } = this.#run;
    const { authorize } = config;
    const { tool, args, claims = [], toolCall } = call;
    if (!authorize) return true;
    if (!tool || !args) return false;
    const waited = await waitFor(
      () => authorize.call(config, { toolCall, tool, args, claims, early: true }, call.stop.signal),
      { timers: ports.timers, stop: this.#closing, graceMs: 0 },
    );
    return waited.status === "done" && waited.value?.decision === "allow";
  }

  #discardOne(early: EarlyCall, why: string): void {
    const { call } = early;
    if (early.discarded) return;
    early.discarded = true;
    call.stop.stop(abortError(`discarded: ${why}`));
    call.stop.release();
    if (call.early) this.#scheduler.finish(call.ref.index, false);
    if (!call.startTold) return;
    call.endTold = true;
    const { id: toolCallId, name: toolName } = call.toolCall;
    const result = textResult(`discarded: ${why}`, true);
    const end = { toolCallId, toolName, result, isError: true, durationMs: 0 };
    this.#run.emit({ type: "tool_execution_end", ...end });
  }
}

/** One for all: making an error costs more than all else here. */
const CLOSED = abortError("the message has ended");

function isSame(early: EarlyCall, request: RequestedCall): boolean {
  const { toolCall } = early.call;
  return (
    early.contentIndex === request.contentIndex &&
    toolCall.name === request.toolCall.name &&
    jsonEqual(toolCall.arguments, request.toolCall.arguments)
  );
}
