import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anthropicModel } from "../../../test/kit/anthropic-model.ts";
import { randomHistory, wholeHistory } from "../../../test/kit/random-history.ts";
import type { StreamOptions } from "../../core/events.ts";
import type { Message } from "../../core/messages.ts";
import { buildRequest } from "./request.ts";

const model = anthropicModel("http://host");

/** What the messages give when nothing is known of them. */
function fromScratch(messages: readonly Message[], options: StreamOptions): string {
  return buildRequest(model, { messages: structuredClone([...messages]) }, options);
}

const options: fc.Arbitrary<StreamOptions> = fc.constantFrom<StreamOptions>(
  {},
  {},
  { maxTokens: 100 },
  { temperature: 0.5 },
  { reasoning: "high" },
);

test("a request that goes on from the one before is the same as one made from scratch", () => {
  fc.assert(
    fc.property(
      fc.oneof(wholeHistory, randomHistory),
      fc.array(fc.tuple(fc.nat(), options), { minLength: 1, maxLength: 8 }),
      (messages, steps) => {
        const ends = steps.map(([end]) => end % (messages.length + 1)).toSorted((a, b) => a - b);
        for (const [at, end] of ends.entries()) {
          const sent = messages.slice(0, end);
          const own = steps[at]?.[1] ?? {};
          assert.equal(buildRequest(model, { messages: sent }, own), fromScratch(sent, own));
        }
      },
    ),
    { numRuns: 500 },
  );
});

test("two conversations that share their beginning do not disturb each other", () => {
  fc.assert(
    fc.property(wholeHistory, wholeHistory, wholeHistory, (shared, one, other) => {
      for (const more of [one, other, [...one, ...other], one]) {
        const messages = [...shared, ...more];
        assert.equal(buildRequest(model, { messages }), fromScratch(messages, {}));
      }
    }),
    { numRuns: 200 },
  );
});

test("a list that is changed in place is seen", () => {
  const first: Message = { role: "user", content: "a", timestamp: 0 };
  const messages: Message[] = [first, { role: "user", content: "b", timestamp: 0 }];
  buildRequest(model, { messages });
  messages[1] = { role: "user", content: "c", timestamp: 0 };
  assert.match(buildRequest(model, { messages }), /"text":"c"/);
  messages.length = 1;
  assert.doesNotMatch(buildRequest(model, { messages }), /"text":"c"/);
});
