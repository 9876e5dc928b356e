import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  byteOrderMark,
  checkUtf8,
  cutTail,
  decodeUtf16,
  decodeWindows1252,
  encodeWindows1252,
} from "./text-encoding.ts";

describe("windows-1252", () => {
  test("gives every byte a character, and takes it back", () => {
    const all = Uint8Array.from({ length: 256 }, (_, index) => index);
    const text = decodeWindows1252(all);
    assert.equal(text.length, 256);
    assert.equal(text.slice(0x80, 0x86), "€\u0081‚ƒ„…");
    assert.equal(text.slice(0xe9, 0xea), "é");
    assert.deepEqual(encodeWindows1252(text), all);
  });

  test("names the first character that it does not have", () => {
    assert.deepEqual(encodeWindows1252("é漢😀"), { without: "漢" });
    assert.deepEqual(encodeWindows1252("a😀"), { without: "😀" });
    assert.deepEqual(encodeWindows1252("\u0080"), { without: "\u0080" });
  });
});

describe("the check for UTF-8", () => {
  test("agrees with a strict decoder on any bytes", () => {
    const strict = new TextDecoder("utf-8", { fatal: true });
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 12 }),
      fc.string({ unit: "binary", maxLength: 6 }).map((text) => new TextEncoder().encode(text)),
    );
    fc.assert(
      fc.property(bytes, (some) => {
        // A blank behind, so that nothing counts as cut off.
        const closed = Uint8Array.from([...some, 0x20]);
        let valid = true;
        try {
          strict.decode(closed);
        } catch {
          valid = false;
        }
        const check = checkUtf8(closed);
        assert.equal(check.valid, valid);
        assert.equal(check.stray === 0, valid);
      }),
      { numRuns: 1000 },
    );
  });

  test("takes a character cut off at the end for one in order", () => {
    const text = Buffer.from("aé漢😀");
    for (let length = 0; length <= text.length; length++) {
      assert.ok(checkUtf8(text.subarray(0, length)).valid, `${length}`);
    }
    assert.equal(cutTail(text.subarray(0, 8)), 2);
    assert.equal(cutTail(text), 0);
  });

  test("counts characters in order and bytes astray", () => {
    const bytes = Buffer.concat([
      Buffer.from("é漢a"),
      Buffer.from([0xff, 0xc3, 0x28]),
      Buffer.from("ü."),
    ]);
    assert.deepEqual(checkUtf8(bytes), { valid: false, multibyte: 3, stray: 2 });
  });
});

test("byte order marks are told apart, and UTF-16 is read in both orders", () => {
  assert.deepEqual(byteOrderMark(Buffer.from("\ufeffa")), { encoding: "utf-8", length: 3 });
  const little = Buffer.from("\ufeffaé😀", "utf16le");
  const big = Buffer.from(little).swap16();
  assert.equal(byteOrderMark(little)?.encoding, "utf-16le");
  assert.equal(byteOrderMark(big)?.encoding, "utf-16be");
  assert.equal(byteOrderMark(Buffer.from("a")), undefined);
  assert.equal(byteOrderMark(Buffer.alloc(0)), undefined);
  assert.equal(decodeUtf16(little.subarray(2), "utf-16le"), "aé😀");
  assert.equal(decodeUtf16(big.subarray(2), "utf-16be"), "aé😀");
  assert.equal(decodeUtf16(big.subarray(2, 7), "utf-16be"), "aé");
});
