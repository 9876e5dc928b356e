// What of a text and of a stream is hidden, whatever pieces it comes in.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { createRedactor, MAX_SECRETS } from "./redact.ts";
import type { Redactor, Secret } from "./redact.ts";

const KEY = "sk-test-000";
const one = createRedactor([{ name: "API_KEY", value: KEY }]);

function streamed(redactor: Redactor, pieces: readonly Uint8Array[]): string {
  const written: Buffer[] = [];
  const stream = redactor.stream((bytes) => written.push(Buffer.from(bytes)));
  for (const piece of pieces) {
    // A chunk is valid during the call only.
    const chunk = Buffer.from(piece);
    stream.push(chunk);
    chunk.fill(0x21);
  }
  stream.end();
  return Buffer.concat(written).toString("latin1");
}

describe("a secret", () => {
  const odd = 'pa"ss/w\\ö rd+&';
  const redactor = createRedactor([
    { name: "API_KEY", value: KEY },
    { name: "ODD", value: odd },
  ]);
  const bytes = Buffer.from(odd);
  const cases: Record<string, [string, string]> = {
    "as it is": [`OPENAI=${KEY}\n`, "OPENAI=[redacted:API_KEY]\n"],
    "twice, side by side, once": [`<${KEY}${KEY}>`, "<[redacted:API_KEY]>"],
    "of characters that encodings change": [`<${odd}>`, "<[redacted:ODD]>"],
    "URL-encoded": [`?k=${encodeURIComponent(odd)}&b`, "?k=[redacted:ODD]&b"],
    "in a form": [new URLSearchParams({ k: odd }).toString(), "k=[redacted:ODD]"],
    "in JSON": [JSON.stringify({ k: odd }), '{"k":"[redacted:ODD]"}'],
    "in JSON of ASCII": [
      JSON.stringify({ k: odd }).replace("ö", "\\u00f6"),
      '{"k":"[redacted:ODD]"}',
    ],
    "in base64": [bytes.toString("base64"), "[redacted:ODD]"],
    "in base64 for addresses": [bytes.toString("base64url"), "[redacted:ODD]"],
  };
  for (const [title, [text, clean]] of Object.entries(cases)) {
    test(`is hidden ${title}`, () => assert.equal(redactor.text(text), clean));
  }

  test("is hidden URL-encoded with small letters", () => {
    const small = encodeURIComponent(odd).replaceAll(/%../g, (code) => code.toLowerCase());
    assert.equal(redactor.text(`<${small}>`), "<[redacted:ODD]>");
  });

  test("is hidden in base64 of longer data, but for the characters that its neighbours decide too", () => {
    for (const before of ["", "u", "us", "user:"]) {
      for (const after of ["", "!", "!!", "!!!"]) {
        const text = Buffer.from(`${before}${odd}${after}`).toString("base64");
        const clean = redactor.text(text);
        assert.match(clean, /\[redacted:ODD\]/);
        const left = clean.replace("[redacted:ODD]", "").length;
        assert.ok(left <= Math.ceil(((before.length + after.length) * 4) / 3) + 8, clean);
      }
    }
  });

  test("is hidden in base64 that is wrapped", () => {
    const long = createRedactor([{ name: "LONG", value: "0123456789abcdef".repeat(12) }]);
    for (const width of [64, 76]) {
      const text = Buffer.from("0123456789abcdef".repeat(12)).toString("base64");
      const clean = long.text(text.replaceAll(new RegExp(`.{${width}}`, "g"), "$&\n"));
      assert.equal(clean.replaceAll("\n", "").replaceAll("[redacted:LONG]", ""), "");
    }
  });

  test("that is very long is hidden whole, under one mark", () => {
    const value = Array.from({ length: 3000 }, (_, n) => n.toString(36)).join("");
    const long = createRedactor([{ name: "LONG", value }]);
    assert.equal(long.text(`<${value}>`), "<[redacted:LONG]>");
    assert.ok(long.longest <= 4096);
  });

  test("that is short is an ordinary word, and is not looked for", () => {
    const short = createRedactor([
      { name: "N", value: "1" },
      { name: "M", value: "7654321" },
    ]);
    assert.equal(short.text("1 7654321"), "1 7654321");
    assert.equal(short.longest, 0);
  });

  test("within a longer one leaves nothing of the longer one", () => {
    const both = createRedactor([
      { name: "INNER", value: "abcdefgh" },
      { name: "OUTER", value: "123abcdefgh456" },
      { name: "NEXT", value: "456456789" },
    ]);
    assert.equal(both.text("<123abcdefgh456456789>"), "<[redacted:OUTER]>");
    assert.equal(both.text("<abcdefgh456456789>"), "<[redacted:INNER][redacted:NEXT]>");
  });

  test("beyond the most that are looked for is not", () => {
    const many = Array.from({ length: MAX_SECRETS + 1 }, (_, n) => ({
      name: `S${n}`,
      value: `secret-number-${n}!`,
    }));
    const redactor = createRedactor(many);
    assert.equal(redactor.text("secret-number-199!"), "[redacted:S199]");
    assert.equal(redactor.text("secret-number-200!"), "secret-number-200!");
  });
});

describe("an open end", () => {
  test("that may begin a secret is left out until more is known", () => {
    assert.equal(one.text("a sk-te", { isOpen: true }), "a ");
    assert.equal(one.text("a sk-tf", { isOpen: true }), "a sk-tf");
    assert.equal(one.text("a sk-te"), "a sk-te");
    assert.equal(Buffer.from(one.bytes(Buffer.from("as"), { isOpen: true })).toString(), "a");
  });

  test("is held back in a stream no further than the longest form", () => {
    let written = 0;
    const stream = one.stream((bytes) => (written += bytes.length));
    const chunk = Buffer.from("sk-test-00".repeat(10));
    for (let n = 1; n <= 1000; n++) {
      stream.push(chunk);
      assert.ok(n * chunk.length - written < one.longest);
    }
  });

  test("of a secret that overlaps itself for ever is not held back at all", () => {
    const tiles = createRedactor([{ name: "A", value: "aaaaaaaa" }]);
    assert.equal(
      streamed(
        tiles,
        Array.from({ length: 5000 }, () => Buffer.from("aaa")),
      ),
      "[redacted:A]",
    );
  });
});

test("text without a secret is the same text, broken characters and marks too", () => {
  const text = "\uFEFF a \ud800 b";
  assert.equal(one.text(text), text);
  assert.equal(one.text(`\uFEFF${KEY}`), "\uFEFF[redacted:API_KEY]");
});

const letters = fc.array(fc.constantFrom(..."ab"), { minLength: 8, maxLength: 12 });

test("any text in any pieces is what its parts that are secrets leave, as one mark each", () => {
  fc.assert(
    fc.property(
      fc.array(letters, { minLength: 1, maxLength: 3 }),
      fc.array(fc.oneof(letters, fc.array(fc.constantFrom(..."abcd"))), { maxLength: 8 }),
      fc.array(fc.nat({ max: 20 }), { maxLength: 30 }),
      (values, parts, cuts) => {
        const secrets = values.map((value, n): Secret => ({ name: `${n}`, value: value.join("") }));
        const redactor = createRedactor(secrets);
        const text = parts.flat().join("");
        const pieces: Buffer[] = [];
        let at = 0;
        for (const cut of cuts) {
          pieces.push(Buffer.from(text.slice(at, at + cut)));
          at += cut;
        }
        pieces.push(Buffer.from(text.slice(at)));
        const clean = streamed(redactor, pieces);
        assert.equal(clean, redactor.text(text));
        assert.equal(clean.replaceAll(/\[redacted:\d\]/g, ""), withoutSecrets(text, secrets));
      },
    ),
  );
});

/** Every place that lies in a secret is left out. */
function withoutSecrets(text: string, secrets: readonly Secret[]): string {
  const hidden = new Set<number>();
  for (const { value } of secrets) {
    for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1))
      for (let n = 0; n < value.length; n++) hidden.add(at + n);
  }
  return [...text].filter((_, at) => !hidden.has(at)).join("");
}

test("near misses without end take linear time", () => {
  const tiles = createRedactor([{ name: "A", value: `${"a".repeat(3000)}b` }]);
  const text = "a".repeat(3_000_000);
  assert.equal(tiles.text(text), text);
});
