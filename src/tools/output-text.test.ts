// What encoding an output is taken for.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { codePageOf, outputText } from "./output-text.ts";

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");

describe("an output is decoded", () => {
  const cases: Record<string, [Uint8Array, string, string?, string?]> = {
    "as UTF-8": [Buffer.from("日本 é 😀"), "日本 é 😀"],
    "as UTF-8, though it holds NULs": [Buffer.from("a\0b\0"), "ab"],
    "as UTF-8 in spite of a few other bytes": [
      Buffer.concat([Buffer.from("日本語\n"), latin1("\xff\n")]),
      "日本語\n\uFFFD\n",
      "utf-8",
    ],
    "as UTF-8 with a character that is cut off": [
      Buffer.from("日本").subarray(0, 5),
      "日\uFFFD",
      "utf-8",
    ],
    "as windows-1252 where it is none": [latin1("caf\xe9 \x80\n"), "café €\n", "windows-1252"],
    "by the code page that is told": [latin1("\xd6\xd0\xce\xc4\n"), "中文\n", "gbk", "gbk"],
    "not by a code page that it does not fit": [
      latin1("caf\xe9\n"),
      "café\n",
      "windows-1252",
      "euc-jp",
    ],
    "as text where the sequences are 8-bit ones": [latin1("\x9b31mred\x9b0m\x9d0;t\x07!"), "red!"],
    "as what is left of bytes that are no text": [
      latin1("ELF\0\x01\x02\x03\xff\xfe\0\0name\0\x01\xe9"),
      "ELF\uFFFDname\uFFFD",
      "binary",
    ],
  };
  for (const [title, [bytes, text, decodedAs, codePage]] of Object.entries(cases)) {
    test(title, () => {
      assert.deepEqual(
        outputText(bytes, codePage),
        decodedAs === undefined ? { text } : { text, decodedAs },
      );
    });
  }

  test("in linear time, whatever 8-bit characters begin a string", () => {
    for (const unit of ["\x9d1;", "\x90", "\x9b1", "\x9b1 "])
      outputText(latin1(unit.repeat(200_000)));
  });
});

describe("the code page of an environment", () => {
  const cases: [Record<string, string>, string | undefined][] = [
    [{}, undefined],
    [{ LANG: "C" }, undefined],
    [{ LANG: "en_GB.UTF-8" }, undefined],
    [{ LANG: "zh_CN.GB18030" }, "gb18030"],
    [{ LANG: "ja_JP.eucJP" }, "euc-jp"],
    [{ LANG: "ko_KR.euckr" }, "euc-kr"],
    [{ LANG: "de_DE.ISO-8859-15@euro" }, "iso-8859-15"],
    [{ LANG: "zh_CN.GBK", LC_ALL: "C.UTF-8" }, undefined],
    [{ LANG: "C.UTF-8", LC_CTYPE: "zh_CN.GBK", LC_ALL: "" }, "gbk"],
    [{ LANG: "xx_XX.no-such" }, undefined],
  ];
  for (const [env, codePage] of cases) {
    test(`${JSON.stringify(env)} is ${codePage ?? "none"}`, () => {
      assert.equal(codePageOf(env), codePage);
    });
  }
});
