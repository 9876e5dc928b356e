// The lines that print mode writes beside the answer. All that comes from outside is cleaned and shortened here.
import type { RunEnd } from "../agent/agent.ts";
import type { AgentEvent, EndReason } from "../core/events.ts";
import { type ErrorKind, textOf } from "../core/messages.ts";
import { sanitizeText } from "../lib/text/sanitize.ts";
import type { RunTotals } from "./output.ts";

/** Characters of an argument, or of an error's first line, in the line of a call. */
const MAX_SHOWN = 100;
/** Characters of what ended a run. */
const MAX_CAUSE = 1000;

type CallEnd = Extract<AgentEvent, { type: "tool_execution_end" }>;
type Retry = Extract<AgentEvent, { type: "request_retry" }>;

/** A call that ended, without its mark: name, main argument, time, and why it failed. */
export function callLine(event: CallEnd, args: Record<string, unknown>): string {
  const { toolName, result, isError, durationMs } = event;
  const what = mainArgument(args);
  const shown = what === undefined ? "" : ` ${firstLine(what)}`;
  const time = durationMs >= 100 ? ` (${duration(durationMs)})` : "";
  const failure = isError ? `: ${firstLine(textOf(result.content)) || "failed"}` : "";
  return `${firstLine(toolName)}${shown}${time}${failure}`;
}

/** The argument that says most. */
function mainArgument(args: Record<string, unknown>): string | undefined {
  const textAt = (key: string): string | undefined => {
    const value = Object.hasOwn(args, key) ? args[key] : undefined;
    return typeof value === "string" ? value : undefined;
  };
  const pattern = textAt("pattern");
  const path = textAt("path");
  if (pattern !== undefined) return path === undefined ? pattern : `${pattern} in ${path}`;
  const first = Object.values(args).find((value) => typeof value === "string");
  return textAt("command") ?? path ?? first;
}

/** A request that is asked again. */
export function retryLine({ attempt, delayMs, reason }: Retry): string {
  const why = oneLine(reason, MAX_CAUSE);
  if (delayMs <= 0) return `asking again: ${why}`;
  return `retrying in ${Math.ceil(delayMs / 1000)} s: ${why} (attempt ${attempt} failed)`;
}

/** Why a run ended otherwise than by the model, and what to do; nothing for an ordinary end. */
export function endLine({ reason, cause }: RunEnd): string | undefined {
  const end = ENDS[reason];
  if (end === undefined) return undefined;
  const why = cause ? oneLine(cause.message, MAX_CAUSE) : "";
  const said = [end.title, ...(why && why !== end.title ? [why] : [])].join(": ");
  const advice = end.advice ?? (cause?.errorKind && ADVICE[cause.errorKind]);
  if (!advice) return said;
  return `${/[.!?]$/.test(said) ? said : `${said}.`} ${advice}`;
}

interface Ending {
  title: string;
  advice?: string;
}

const ENDS: Readonly<Record<EndReason, Ending | undefined>> = {
  done: undefined,
  terminated: undefined,
  hook_stop: undefined,
  error: { title: "the run failed" },
  refused: { title: "the model refused", advice: "Say it in other words, or ask another model." },
  journal_failed: { title: "the run could not be recorded, so it was ended" },
  max_turns: { title: "stopped", advice: "--max-turns allows more." },
  max_time: { title: "stopped", advice: "--max-time allows more." },
  max_tokens: { title: "stopped", advice: "--max-tokens allows more." },
  max_cost: { title: "stopped", advice: "--max-cost allows more." },
  repeated_calls: { title: "stopped" },
  truncated_repeatedly: { title: "stopped", advice: "Ask for smaller pieces." },
  length: {
    title: "the answer was cut at the model's output limit",
    advice: "Ask for it in smaller pieces.",
  },
  aborted: { title: "aborted" },
};

/** For failures whose own words seldom say it. */
const ADVICE: Readonly<Partial<Record<ErrorKind, string>>> = {
  rate_limit: "Try again later.",
  overloaded: "Try again later.",
  server: "Try again later.",
  truncated: "Try again.",
  idle_timeout: "Try again.",
  quota: "Look at the account's plan and credit.",
  context_overflow: "Start anew with less text.",
};

/** What the run took. */
export function totalsLine(model: string, totals: RunTotals, ms: number): string {
  const { input, cacheRead, cacheWrite, output, totalTokens, costUsd } = totals;
  const tokens = `${totalTokens} tokens (${input + cacheRead + cacheWrite} in, ${output} out)`;
  const money = costUsd > 0 ? [`$${costUsd.toFixed(4)}`] : [];
  return [oneLine(model, MAX_SHOWN), tokens, ...money, duration(ms)].join(" · ");
}

function duration(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** The first line with something on it; `…` where there is more. */
function firstLine(text: string): string {
  // A text of megabytes need not be looked through.
  const clean = sanitizeText(text.slice(0, MAX_CAUSE * 4)).trim();
  const end = clean.indexOf("\n");
  const line = (end < 0 ? clean : clean.slice(0, end)).trim().replaceAll("\t", " ");
  return shortened(line, MAX_SHOWN, end >= 0);
}

function oneLine(text: string, most: number): string {
  const clean = sanitizeText(text.slice(0, most * 4)).replaceAll(/\s+/g, " ");
  return shortened(clean.trim(), most, false);
}

function shortened(line: string, most: number, hasMore: boolean): string {
  if (line.length <= most) return hasMore ? `${line} …` : line;
  const last = line.charCodeAt(most - 1);
  return `${line.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most)}…`;
}
