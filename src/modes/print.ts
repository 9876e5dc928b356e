// Print mode: the answer to stdout, one line per call to stderr, and a line on what it took.
import { styleText } from "node:util";
import type { Agent, RunEnd } from "../agent/agent.ts";
import type { AgentEvent } from "../core/events.ts";
import { type AssistantMessage, textOf, type UserMessage } from "../core/messages.ts";
import { sanitizeText } from "../lib/text/sanitize.ts";
import { noTotals, type OutputPort, type RunTotals } from "./output.ts";

/** Characters of a call's argument that its line shows. */
const MAX_SHOWN = 100;

export interface PrintOptions {
  quiet: boolean;
  /** stdout is a terminal: what it gets is cleaned of escape sequences. */
  toTerminal: boolean;
}

type Style = Parameters<typeof styleText>[0];

/** Runs one prompt and prints it. */
export async function runPrint(
  agent: Agent,
  prompt: UserMessage,
  { port, options }: { port: OutputPort; options: PrintOptions },
): Promise<RunEnd> {
  const startedAt = performance.now();
  const printer = new Printer(port, options);
  const stop = agent.subscribe((event) => printer.show(event));
  try {
    const end = await agent.prompt(prompt);
    printer.showEnd(end, performance.now() - startedAt);
    return end;
  } finally {
    stop();
  }
}

class Printer {
  readonly #port: OutputPort;
  readonly #options: PrintOptions;
  readonly #totals: RunTotals = noTotals();
  readonly #args = new Map<string, Record<string, unknown>>();
  #model = "";

  constructor(port: OutputPort, options: PrintOptions) {
    this.#port = port;
    this.#options = options;
  }

  show(event: AgentEvent): void {
    switch (event.type) {
      case "message_end":
        if (event.message.role === "assistant") this.#showMessage(event.message);
        return;
      case "tool_execution_start":
        this.#args.set(event.toolCallId, event.args);
        return;
      case "tool_execution_end":
        this.#showCall(event);
        return;
      case "request_retry":
        this.#note(
          event.delayMs > 0
            ? `waiting ${Math.ceil(event.delayMs / 1000)} s to ask again (attempt ${event.attempt} failed: ${event.reason})`
            : `asking again: ${event.reason}`,
        );
        return;
      default:
        return;
    }
  }

  showEnd({ reason, cause }: RunEnd, ms: number): void {
    if (reason !== "done" && reason !== "terminated" && reason !== "hook_stop") {
      const text = firstLine(cause?.message ?? reason);
      this.#port.err(`${this.#style("red", `errand: ${ENDS[reason] ?? "stopped"}: ${text}`)}\n`);
    }
    if (this.#options.quiet) return;
    const { totalTokens, input, output, costUsd } = this.#totals;
    const money = costUsd > 0 ? ` · $${costUsd.toFixed(4)}` : "";
    const tokens = `${totalTokens} tokens (${input} in, ${output} out)`;
    const line = `${this.#model} · ${tokens}${money} · ${(ms / 1000).toFixed(1)} s`;
    this.#port.err(`${this.#style("dim", line)}\n`);
  }

  /** Only the last message is the answer; what is said before a call goes beside it. */
  #showMessage(message: AssistantMessage): void {
    this.#count(message);
    const text = textOf(message.content).trim();
    if (text === "") return;
    const isAnswer = !message.content.some((block) => block.type === "toolCall");
    if (isAnswer) {
      this.#port.out(`${this.#options.toTerminal ? sanitizeText(text) : text}\n`);
    } else if (!this.#options.quiet) {
      this.#port.err(`${this.#style("dim", sanitizeText(text))}\n`);
    }
  }

  #showCall(event: Extract<AgentEvent, { type: "tool_execution_end" }>): void {
    if (this.#options.quiet) return;
    const { toolCallId, toolName, result, isError, durationMs } = event;
    const what = shownArguments(this.#args.get(toolCallId) ?? {});
    this.#args.delete(toolCallId);
    const time = durationMs >= 100 ? ` (${(durationMs / 1000).toFixed(1)} s)` : "";
    const mark = this.#style(isError ? "red" : "green", isError ? "✗" : "●");
    const failure = isError ? `: ${firstLine(textOf(result.content))}` : "";
    this.#port.err(`${mark} ${sanitizeText(toolName)}${what}${time}${failure}\n`);
  }

  #note(text: string): void {
    if (!this.#options.quiet) this.#port.err(`${this.#style("yellow", firstLine(text))}\n`);
  }

  #count({ usage, provider, model }: AssistantMessage): void {
    this.#model = provider === model ? model : `${provider}/${model}`;
    this.#totals.input += usage.input + usage.cacheRead + usage.cacheWrite;
    this.#totals.output += usage.output;
    this.#totals.totalTokens += usage.totalTokens;
    this.#totals.costUsd += usage.cost.total;
  }

  #style(style: Style, text: string): string {
    return this.#port.colours ? styleText(style, text, { validateStream: false }) : text;
  }
}

const ENDS: Readonly<Record<string, string>> = {
  error: "the run failed",
  refused: "the model refused",
  journal_failed: "the journal failed",
  aborted: "aborted",
  length: "the answer was cut at its limit",
};

/** The one argument that says most: a path, a command, a pattern. */
function shownArguments(args: Record<string, unknown>): string {
  const main = ["path", "command", "pattern"]
    .map((key) => args[key])
    .find((value) => typeof value === "string");
  const value = main ?? Object.values(args).find((other) => typeof other === "string");
  return typeof value === "string" ? ` ${firstLine(value)}` : "";
}

function firstLine(text: string): string {
  const line = sanitizeText(text).trim().split("\n")[0] ?? "";
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
}
