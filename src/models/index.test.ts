import assert from "node:assert/strict";
import { test } from "node:test";
import { anthropicModel } from "../../test/kit/anthropic-model.ts";
import { startModelServer } from "../testing/loopback-server.ts";
import { offlineModel } from "./offline/offline-model.ts";
import { streamByApi } from "./index.ts";

const context = { messages: [{ role: "user" as const, content: "hello", timestamp: 0 }] };

test("a model is asked over the wire that its api names", async () => {
  const server = await startModelServer({ turns: [{ text: "by wire" }] });
  const stream = await streamByApi(anthropicModel(server.url), context, { apiKey: "k" });
  const { content } = await stream.result();
  await server.close();
  assert.deepEqual(content, [{ type: "text", text: "by wire" }]);
  const offline = await (await streamByApi(offlineModel, context)).result();
  assert.equal(offline.provider, "offline");
  assert.equal(offline.stopReason, "stop");
});

test("an unknown api is an error event that names the known ones, also one named as an object's own members are", async () => {
  for (const api of ["carrier-pigeon", "constructor", "__proto__", ""]) {
    const stream = await streamByApi({ ...offlineModel, api }, context);
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    const message = await stream.result();
    assert.deepEqual(types, ["error"]);
    assert.equal(message.errorKind, "bad_request");
    assert.match(message.errorMessage ?? "", /anthropic-messages, offline/);
  }
});
