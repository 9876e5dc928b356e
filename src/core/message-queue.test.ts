import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageQueue } from "./message-queue.ts";
import type { AgentMessage } from "./messages.ts";

function queue(modes?: ConstructorParameters<typeof MessageQueue>[1]): MessageQueue {
  let next = 0;
  return new MessageQueue(() => `q${++next}`, modes);
}

const say = (text: string): AgentMessage => ({ role: "user", content: text, timestamp: 0 });
const texts = (messages: readonly AgentMessage[]): unknown[] =>
  messages.map((message) => ("content" in message ? message.content : undefined));

test("one-at-a-time delivers the oldest of its kind and keeps the rest", () => {
  const waiting = queue();
  waiting.add("steer", say("a"));
  waiting.add("followUp", say("b"));
  waiting.add("steer", say("c"));
  assert.deepEqual(texts(waiting.drain("steer")), ["a"]);
  assert.deepEqual(texts(waiting.drain("followUp")), ["b"]);
  assert.deepEqual(texts(waiting.drain("steer")), ["c"]);
  assert.deepEqual(waiting.drain("steer"), []);
});

test("all delivers everything of its kind at once", () => {
  const waiting = queue({ steer: "all" });
  for (const text of ["a", "b"]) waiting.add("steer", say(text));
  waiting.add("followUp", say("c"));
  assert.deepEqual(texts(waiting.drain("steer")), ["a", "b"]);
  assert.equal(waiting.size, 1);
});

test("the mode can change while messages wait", () => {
  const waiting = queue();
  for (const text of ["a", "b"]) waiting.add("followUp", say(text));
  assert.equal(waiting.mode("followUp"), "one-at-a-time");
  waiting.setMode("followUp", "all");
  assert.deepEqual(texts(waiting.drain("followUp")), ["a", "b"]);
});

test("looking changes nothing, and what was seen is a copy of the list", () => {
  const waiting = queue();
  waiting.add("steer", say("a"));
  waiting.peek().length = 0;
  assert.deepEqual(
    waiting.peek().map(({ id, kind }) => [id, kind]),
    [["q1", "steer"]],
  );
  assert.deepEqual(waiting.peek("followUp"), []);
});

test("the newest is taken back, of one kind or of any", () => {
  const waiting = queue();
  waiting.add("steer", say("a"));
  waiting.add("followUp", say("b"));
  assert.equal(waiting.takeBack("steer")?.id, "q1");
  assert.equal(waiting.takeBack()?.id, "q2");
  assert.equal(waiting.takeBack(), undefined);
});

test("a message is removed by its id exactly once", () => {
  const waiting = queue();
  const { id } = waiting.add("steer", say("a"));
  waiting.add("steer", say("b"));
  assert.equal(waiting.remove(id)?.id, id);
  assert.equal(waiting.remove(id), undefined);
  assert.deepEqual(texts(waiting.drain("steer")), ["b"]);
});

test("clearing gives back what was removed", () => {
  const waiting = queue();
  waiting.add("steer", say("a"));
  waiting.add("followUp", say("b"));
  assert.equal(waiting.clear("steer").length, 1);
  assert.equal(waiting.size, 1);
  assert.equal(waiting.clear().length, 1);
  assert.equal(waiting.size, 0);
});
