// What the loop's tests share: a run of a script with its events, history, requests and records.
import type { AgentLoopConfig, RecordEntry } from "../../src/core/config.ts";
import type { AgentEvent, AgentEventStream } from "../../src/core/events.ts";
import type { AgentMessage, ToolResultMessage } from "../../src/core/messages.ts";
import type { AgentTool, ToolResult } from "../../src/core/tool.ts";
import { agentLoop, agentLoopContinue } from "../../src/core/agent-loop.ts";
import { textOf } from "../../src/core/messages.ts";
import { describeEvents } from "../../src/testing/event-recorder.ts";
import { createIds, createManualClock } from "../../src/testing/manual-clock.ts";
import { createMemoryJournal } from "../../src/testing/memory-journal.ts";
import { createScriptedModel, type TurnScript } from "../../src/testing/scripted-model.ts";

export interface LoopSetup {
  turns: TurnScript[];
  tools?: AgentTool[];
  config?: Partial<AgentLoopConfig>;
  signal?: AbortSignal;
  /** "go" if left out. */
  prompt?: string;
  /** What came before the prompt. */
  history?: AgentMessage[];
  /** Continue the history instead of prompting. */
  goOn?: boolean;
  journal?: Parameters<typeof createMemoryJournal>[0];
}

export interface LoopRun {
  stream: AgentEventStream;
  events: AgentEvent[];
  /** Resolves when the run has ended and every event was read. */
  ended: Promise<void>;
  manual: ReturnType<typeof createManualClock>;
  script: ReturnType<typeof createScriptedModel>;
  records: readonly RecordEntry[];
  /** The run's new messages, after its end. */
  messages(): AgentMessage[];
  /** The run's tool results, after its end. */
  results(): ToolResultMessage[];
  end(): Extract<AgentEvent, { type: "agent_end" }>;
  lines(): string[];
}

/** A user message. */
export function user(text: string): AgentMessage {
  return { role: "user", content: text, timestamp: 0 };
}

/** Starts a run; its time stands still unless the test moves it. */
export function startLoop(setup: LoopSetup): LoopRun {
  const manual = createManualClock();
  const script = createScriptedModel(setup.turns);
  const journal = createMemoryJournal(setup.journal);
  const config: AgentLoopConfig = {
    model: script.model,
    clock: manual.clock,
    timers: manual.timers,
    ids: createIds(),
    record: journal.record,
    ...setup.config,
  };
  const context = {
    systemPrompt: "be useful",
    messages: setup.history ?? [],
    tools: setup.tools ?? [],
  };
  const stream = setup.goOn
    ? agentLoopContinue(context, config, setup.signal, script.streamFn)
    : agentLoop([user(setup.prompt ?? "go")], context, config, setup.signal, script.streamFn);
  const events: AgentEvent[] = [];
  const ended = (async () => {
    for await (const event of stream) events.push(event);
    await stream.result();
  })();
  const end = (): Extract<AgentEvent, { type: "agent_end" }> => {
    const last = events.at(-1);
    if (last?.type !== "agent_end") throw new Error("the run has not ended");
    return last;
  };
  return {
    stream,
    events,
    ended,
    manual,
    script,
    records: journal.entries,
    messages: () => end().messages,
    results: () => end().messages.filter((message) => message.role === "toolResult"),
    end,
    lines: () => describeEvents(events),
  };
}

/** A whole run. */
export async function runLoop(setup: LoopSetup): Promise<LoopRun> {
  const run = startLoop(setup);
  await run.ended;
  return run;
}

/** A tool that takes anything. */
export function tool(
  name: string,
  execute: (args: Record<string, unknown>, signal: AbortSignal) => unknown,
  more: Partial<AgentTool> = {},
): AgentTool {
  return {
    name,
    description: name,
    parameters: { type: "object" },
    execute: async (_id, args, signal) => {
      const made = await execute(
        args as Record<string, unknown>,
        signal ?? new AbortController().signal,
      );
      return typeof made === "string" ? ok(made) : (made as ToolResult);
    },
    ...more,
  };
}

/** A result of one text. */
export function ok(text: string, more: Partial<ToolResult> = {}): ToolResult {
  return { content: [{ type: "text", text }], ...more };
}

/** The text of a result. */
export function textOfResult(message: ToolResultMessage | undefined): string {
  return message ? textOf(message.content) : "(no result)";
}

/** Lets everything that can go on without time go on. */
export function tick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
