import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createEventReader, EventTooLong } from "./event-reader.ts";

function read(pieces: readonly Uint8Array[], maxEventChars = 1000): string[] {
  const seen: string[] = [];
  const reader = createEventReader({ maxEventChars, onData: (data) => seen.push(data) });
  for (const piece of pieces) reader.push(piece);
  return seen;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("events are the same wherever the bytes are cut", () => {
  const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 20 }), { maxLength: 6 });
  const ends = fc.constantFrom("\n", "\r\n", "\r");
  fc.assert(
    fc.property(texts, ends, fc.array(fc.nat(), { maxLength: 12 }), (datas, end, cuts) => {
      const payloads = datas.map((data) => JSON.stringify(data));
      const stream = bytes(
        `: hello${end}${payloads.map((data) => `event: x${end}data: ${data}${end}${end}`).join("")}`,
      );
      const at = cuts.map((cut) => cut % (stream.length + 1)).toSorted((a, b) => a - b);
      const pieces = [...at, stream.length].map((to, n) => stream.subarray(at[n - 1] ?? 0, to));
      // A lone CR at the very end may still become CRLF, so that the last event waits for more.
      const seen = read([...pieces, bytes(": end\n\n")]);
      assert.deepEqual(seen, payloads);
    }),
    { numRuns: 300 },
  );
});

test("an event without its closing empty line is told at the end", () => {
  const seen: string[] = [];
  const reader = createEventReader({ maxEventChars: 10, onData: (data) => seen.push(data) });
  reader.push(bytes("data: a\n\ndata: b"));
  assert.deepEqual(seen, ["a"]);
  reader.end();
  assert.deepEqual(seen, ["a", "b"]);
});

test("an event over the bound is refused, also when its line never ends", () => {
  assert.throws(() => read([bytes(`data: ${"x".repeat(2000)}\n`)]), EventTooLong);
  const pieces = Array.from({ length: 30 }, () => bytes("x".repeat(100)));
  assert.throws(() => read([bytes("data: "), ...pieces]), EventTooLong);
  assert.deepEqual(read([bytes(`data: ${"x".repeat(900)}\n\n`)]), ["x".repeat(900)]);
});
