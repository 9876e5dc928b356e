// Asks the model until there is a message to go on with: attempts, retries, and recovery by the caller.
import { sleep } from "../lib/async/wait-for.ts";
import { fingerprint } from "../lib/text/fingerprint.ts";
import { Batch } from "./batch.ts";
import type { RecordEntry } from "./config.ts";
import type { StreamContext } from "./events.ts";
import type { AgentMessage, AssistantMessage, Message } from "./messages.ts";
import { type Response, streamResponse } from "./response.ts";
import { decideRetry, failureText } from "./retry.ts";
import { requireList, type Run } from "./run.ts";

/** A message, and the batch in which its calls may already run. */
export interface Answer extends Response {
  batch: Batch;
}

/** The state of one turn's request over its attempts. */
interface Asking {
  attempt: number;
  /** Attempts since the caller last changed something. */
  tries: number;
  firstFailedAt: number | undefined;
  askedEmptyAgain: boolean;
  recovered: Set<string>;
}

/** Gives the message of this turn: whole, aborted, or failed for good. Steering that arrives between attempts joins. */
export async function askModel(
  run: Run,
  pollSteering: () => Promise<AgentMessage[]>,
): Promise<Answer> {
  const asking: Asking = {
    attempt: 1,
    tries: 1,
    firstFailedAt: undefined,
    askedEmptyAgain: false,
    recovered: new Set(),
  };
  let context = await buildRequest(run);
  for (;;) {
    const batch = new Batch(run, run.turn);
    run.batch = batch;
    const response = await streamResponse(run, context, batch);
    const again = await judge(run, asking, response).catch((error: unknown) => {
      // A hook ended the run: what began early is told before its end.
      batch.discard("the run ends");
      throw error;
    });
    if (!again || run.stop.stopped) return { ...response, batch };
    const discardedCallIds = batch.discard("the request is repeated");
    await run.mustRecord([attemptFailed(run, asking, response.message)]);
    run.limits.countUsage(response.message.usage);
    const { delayMs, reason } = again;
    run.emit({
      type: "request_retry",
      attempt: asking.attempt,
      delayMs,
      reason,
      discardedCallIds,
    });
    asking.attempt++;
    asking.tries++;
    if (delayMs > 0) await sleep(delayMs, run.ports.timers, run.stop);
    run.throwIfStopped();
    const steering = await pollSteering();
    if (steering.length > 0 || again.changed) context = await buildRequest(run);
  }
}

interface Again {
  delayMs: number;
  reason: string;
  /** The context, the model or the options are no longer those of the attempt. */
  changed: boolean;
}

/** Whether the turn is asked for once more. */
async function judge(run: Run, asking: Asking, response: Response): Promise<Again | undefined> {
  const { message } = response;
  if (run.stop.stopped || message.stopReason === "aborted") return undefined;
  if (message.stopReason !== "error") {
    if (!isEmpty(response) || asking.askedEmptyAgain) return undefined;
    asking.askedEmptyAgain = true;
    return { delayMs: 0, reason: "the model answered nothing", changed: false };
  }
  const { clock } = run.ports;
  asking.firstFailedAt ??= clock.monotonic();
  const decision = decideRetry(message, run.config.retry, {
    attempt: asking.tries,
    elapsedMs: clock.monotonic() - asking.firstFailedAt,
    jitter: jitter(run, asking.attempt),
  });
  if (decision.action === "repeat") return { ...decision, changed: false };
  const recovered = await recover(run, asking, message);
  if (recovered) return recovered;
  if (decision.why) message.errorMessage = `${failureText(message)} (${decision.why})`;
  return undefined;
}

/** Neither text nor calls, in a message that claims to be complete. */
function isEmpty({ message, calls }: Response): boolean {
  if (calls.length > 0 || message.stopReason === "length") return false;
  return !message.content.some((block) => block.type === "text" && block.text.trim() !== "");
}

/** Asks the caller once per kind of error for another context, model or options. */
async function recover(
  run: Run,
  asking: Asking,
  message: AssistantMessage,
): Promise<Again | undefined> {
  const { config } = run;
  const kind = message.errorKind ?? "unknown";
  if (!config.recover || asking.recovered.has(kind)) return undefined;
  asking.recovered.add(kind);
  const { errorKind } = message;
  const { attempt } = asking;
  const update = await run.hook("recover", () =>
    config.recover?.({ message, errorKind, attempt, context: run.context }, run.stop.signal),
  );
  if (!update) return undefined;
  run.replace(update);
  asking.tries = 0;
  asking.firstFailedAt = undefined;
  if (update.context) {
    run.repeats.clear();
    await run.mustRecord([{ type: "context_replaced", by: "recover" }]);
  }
  return { delayMs: 0, reason: failureText(message), changed: true };
}

function attemptFailed(run: Run, asking: Asking, message: AssistantMessage): RecordEntry {
  const { errorKind, usage } = message;
  return {
    type: "attempt_failed",
    turn: run.turn,
    attempt: asking.attempt,
    ...(errorKind === undefined ? {} : { errorKind }),
    usage,
  };
}

/** No dice in here: the clock's fine digits spread the clients well enough. */
function jitter(run: Run, attempt: number): number {
  const mark = fingerprint(`${run.ports.clock.monotonic()} ${run.ports.clock.now()} ${attempt}`);
  const digits = Number.parseInt(mark.split("-")[1] ?? "0", 36);
  return (digits % 1000) / 1000;
}

/** What is sent: the history as hooks shape it, at this one place. */
async function buildRequest(run: Run): Promise<StreamContext> {
  const { transformContext, convertToLlm } = run.config;
  const { systemPrompt, tools } = run.context;
  const messages = transformContext
    ? requireList(
        "transformContext",
        await run.hook("transformContext", () =>
          transformContext.call(run.config, [...run.context.messages], run.stop.signal),
        ),
      )
    : undefined;
  let sent: Message[];
  if (convertToLlm) {
    const whole = messages ?? run.context.messages;
    const converted = await run.hook("convertToLlm", () =>
      convertToLlm.call(run.config, [...whole]),
    );
    sent = requireList("convertToLlm", converted);
  } else sent = messages ? messages.filter(isForModels) : run.sendable(isForModels);
  return {
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    messages: sent,
    ...(tools.length > 0 ? { tools } : {}),
  };
}

/** Roles of the caller's own are left out, and so are failed answers without content. */
function isForModels(message: AgentMessage): message is Message {
  if (message.role === "assistant") return message.content.length > 0;
  return message.role === "user" || message.role === "toolResult";
}
