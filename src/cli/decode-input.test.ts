import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { decodeInput } from "./decode-input.ts";

describe("what is handed in as bytes", () => {
  const texts: [string, Buffer, string][] = [
    ["UTF-8", Buffer.from("naïve 笔记 😀\n"), "naïve 笔记 😀\n"],
    ["UTF-8 with a mark", Buffer.from("\ufeffa\r\nb"), "a\r\nb"],
    ["UTF-16 little-endian", Buffer.from("\ufeffhé\n", "utf16le"), "hé\n"],
    ["UTF-16 big-endian", Buffer.from("\ufeffhé\n", "utf16le").swap16(), "hé\n"],
    ["an old western encoding", Buffer.from("caf\xe9 \x80 5", "latin1"), "café € 5"],
    ["nothing", Buffer.alloc(0), ""],
  ];
  for (const [title, bytes, text] of texts) {
    test(`is text: ${title}`, () => assert.deepEqual(decodeInput(bytes), { kind: "text", text }));
  }

  test("stays UTF-8 if a few bytes of it are broken", () => {
    const bytes = Buffer.concat([Buffer.from("笔记本".repeat(10)), Buffer.from([0xff])]);
    assert.deepEqual(decodeInput(bytes), { kind: "text", text: `${"笔记本".repeat(10)}\ufffd` });
  });

  const images: [string, string][] = [
    ["\x89PNG\r\n\x1a\n\0\0", "image/png"],
    ["\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg"],
    ["GIF89a\x01\0\x01\0", "image/gif"],
    ["RIFF\0\0\0\0WEBPVP8 ", "image/webp"],
  ];
  for (const [bytes, mimeType] of images) {
    test(`is an image by its first bytes: ${mimeType}`, () =>
      assert.deepEqual(decodeInput(Buffer.from(bytes, "latin1")), { kind: "image", mimeType }));
  }

  test("is neither, and says what it is", () => {
    const { kind, ...rest } = decodeInput(Buffer.from("\x1f\x8b\x08\0\0\0", "latin1"));
    assert.deepEqual([kind, rest], ["binary", { name: "gzip archive" }]);
  });
});
