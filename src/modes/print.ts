// Print mode: the answer to stdout, what goes on to stderr: one line per call, retries, and at the end what it took.
import { styleText } from "node:util";
import type { Agent, RunEnd } from "../agent/agent.ts";
import type { AgentEvent } from "../core/events.ts";
import { type AssistantMessage, textOf, type UserMessage } from "../core/messages.ts";
import { sanitizeText } from "../lib/text/sanitize.ts";
import { addUsage, noTotals, type OutputPort, type RunTotals } from "./output.ts";
import { callLine, endLine, retryLine, totalsLine } from "./print-lines.ts";
import { TerminalStream } from "./terminal-stream.ts";

export interface PrintOptions {
  port: OutputPort;
  /** Only the answer, and why a run failed. */
  quiet: boolean;
}

/**
 * Runs one prompt and prints it. The answer is the text of the last message; what the model says before its calls goes
 * beside it. A person at a terminal sees all of that as it comes.
 */
export async function runPrint(
  agent: Agent,
  prompt: UserMessage,
  options: PrintOptions,
): Promise<RunEnd> {
  const startedAt = performance.now();
  const { provider, id } = agent.state.model;
  const printer = new Printer(options, provider === id ? id : `${provider}/${id}`);
  const stop = agent.subscribe((event) => printer.show(event));
  try {
    const end = await agent.prompt(prompt);
    printer.showEnd(end, performance.now() - startedAt);
    return end;
  } finally {
    stop();
  }
}

type Style = Parameters<typeof styleText>[0];

class Printer {
  readonly #port: OutputPort;
  readonly #quiet: boolean;
  readonly #model: string;
  readonly #totals: RunTotals = noTotals();
  readonly #args = new Map<string, Record<string, unknown>>();
  /** Where both streams are one screen, text is shown while it comes. */
  readonly #live: TerminalStream | undefined;
  /** Text of the newest message that went beside the answer. */
  #aside = "";

  constructor({ port, quiet }: PrintOptions, model: string) {
    this.#port = port;
    this.#quiet = quiet;
    this.#model = model;
    const isScreen = port.outIsTerminal && port.errIsTerminal && !quiet;
    if (isScreen) this.#live = new TerminalStream((text) => void port.out(text));
  }

  show(event: AgentEvent): void {
    switch (event.type) {
      case "message_start":
        if (event.message.role === "assistant") this.#live?.begin();
        return;
      case "message_update": {
        const { assistantMessageEvent: step } = event;
        if (step.type === "text_start" && this.#live?.hasWritten) this.#live.push("\n");
        if (step.type === "text_delta") this.#live?.push(step.delta);
        return;
      }
      case "message_end":
        if (event.message.role === "toolResult") addUsage(this.#totals, event.message);
        if (event.message.role === "assistant") this.#showMessage(event.message);
        return;
      case "tool_execution_start":
        this.#args.set(event.toolCallId, event.args);
        return;
      case "tool_execution_end":
        this.#showCall(event);
        return;
      case "request_retry":
        this.#live?.end();
        this.#aside = "";
        this.#note("yellow", retryLine(event));
        return;
      default:
        return;
    }
  }

  showEnd(end: RunEnd, ms: number): void {
    this.#live?.end();
    const why = endLine(end);
    // A tool may end the run: then what was said before its call is the last word.
    if (why === undefined && this.#aside !== "" && !this.#live) this.#answer(this.#aside);
    if (why !== undefined) this.#port.err(`${this.#style("red", `errand: ${why}`)}\n`);
    this.#note("dim", totalsLine(this.#model, this.#totals, ms));
  }

  #showMessage(message: AssistantMessage): void {
    addUsage(this.#totals, message);
    // The end may show what was held back.
    this.#live?.end();
    const wasLive = this.#live?.hasWritten === true;
    const text = textOf(message.content).trim();
    const hasCalls = message.content.some(({ type }) => type === "toolCall");
    this.#aside = hasCalls ? text : "";
    if (text === "" || wasLive) return;
    if (hasCalls) this.#note("dim", sanitizeText(text));
    else this.#answer(text);
  }

  #answer(text: string): void {
    void this.#port.out(`${this.#port.outIsTerminal ? sanitizeText(text) : text}\n`);
  }

  #showCall(event: Extract<AgentEvent, { type: "tool_execution_end" }>): void {
    const line = callLine(event, this.#args.get(event.toolCallId) ?? {});
    this.#args.delete(event.toolCallId);
    if (this.#quiet) return;
    this.#live?.end();
    const mark = event.isError ? this.#style("red", "✗") : this.#style("green", "●");
    this.#port.err(`${mark} ${line}\n`);
  }

  #note(style: Style, text: string): void {
    if (!this.#quiet) this.#port.err(`${this.#style(style, text)}\n`);
  }

  #style(style: Style, text: string): string {
    return this.#port.colours ? styleText(style, text, { validateStream: false }) : text;
  }
}
