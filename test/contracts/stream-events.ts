// The grammar of a stream function's events, and a way to collect them.
import assert from "node:assert/strict";
import type { AssistantMessageEvent, AssistantMessageStream } from "../../src/core/events.ts";
import type { AssistantMessage } from "../../src/core/messages.ts";

export interface CollectedStream {
  events: AssistantMessageEvent[];
  message: AssistantMessage;
  /** Each event's type and block: `text_delta 0`, `done`; neighbouring deltas of one block once. */
  shape: string[];
}

/** Reads a stream to its end, checking its grammar. */
export async function collectStream(
  opened: AssistantMessageStream | Promise<AssistantMessageStream>,
): Promise<CollectedStream> {
  const stream = await opened;
  const events: AssistantMessageEvent[] = [];
  for await (const event of stream) events.push(event);
  const message = await stream.result();
  checkGrammar(events, message);
  const shape: string[] = [];
  for (const event of events) {
    const name = "contentIndex" in event ? `${event.type} ${event.contentIndex}` : event.type;
    if (shape.at(-1) !== name) shape.push(name);
  }
  return { events, message, shape };
}

/** One start first, one last event last, each block start, deltas, at most one end, and texts that add up. */
function checkGrammar(events: readonly AssistantMessageEvent[], message: AssistantMessage): void {
  const last = events.at(-1);
  assert.ok(last && (last.type === "done" || last.type === "error"), "a last event");
  assert.equal(
    last.type === "done" ? last.message : last.error,
    message,
    "result() is the last event's message",
  );
  assert.equal(last.reason, message.stopReason);
  const open = new Map<number, string>();
  const ended = new Set<number>();
  for (const [at, event] of events.entries()) {
    if (event.type === "done" || event.type === "error") {
      assert.equal(at, events.length - 1, "nothing behind the last event");
      continue;
    }
    assert.equal(event.type === "start", at === 0, "start is first and only first");
    assert.equal(event.partial.role, "assistant");
    if (event.type === "start") continue;
    const { contentIndex } = event;
    assert.ok(!ended.has(contentIndex), `block ${contentIndex} goes on after its end`);
    if (event.type.endsWith("_start")) {
      assert.ok(!open.has(contentIndex), `block ${contentIndex} starts twice`);
      open.set(contentIndex, "");
    } else {
      const soFar = open.get(contentIndex);
      assert.ok(soFar !== undefined, `block ${contentIndex} goes on before its start`);
      if ("delta" in event) open.set(contentIndex, soFar + event.delta);
      else {
        ended.add(contentIndex);
        if ("content" in event) assert.equal(event.content, soFar, "deltas add up");
        else if ("toolCall" in event) {
          assert.deepEqual(event.toolCall, message.content[contentIndex]);
        }
      }
    }
  }
  if (last.type === "done") assert.equal(open.size, message.content.length);
}
