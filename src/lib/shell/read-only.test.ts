import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { isProvedReadOnly, simpleWords } from "./read-only.ts";

const port = {
  findProgram: async (name: string) => `/usr/bin/${name}`,
  isInside: () => false,
};

describe("a command line as the words of one simple command", () => {
  const words: Readonly<Record<string, string[]>> = {
    "": [],
    "  ls\t-la  x ": ["ls", "-la", "x"],
    "cat 'a  b' \"c d\"e": ["cat", "a  b", "c de"],
    "echo ''": ["echo", ""],
    "echo 'a\nb' \"it's\"": ["echo", "a\nb", "it's"],
    "cat 日本/é.txt": ["cat", "日本/é.txt"],
  };
  for (const [line, expected] of Object.entries(words)) {
    test(JSON.stringify(line), () => assert.deepEqual(simpleWords(line), expected));
  }

  const MORE = "|&;<>()$`\\*?[]{}~!#=%^\n\r\0\u00a0\u2028\ud800";
  for (const character of MORE) {
    test(`is more than that with ${JSON.stringify(character)}`, () => {
      assert.equal(simpleWords(`ls a${character}b`), undefined);
      assert.equal(simpleWords(`ls ${character}`), undefined);
    });
  }
  for (const line of ["echo 'a", 'echo "a', 'echo "$x"', 'echo "`x`"', 'echo "\\"', 'echo "!x"']) {
    test(`is more than that: ${JSON.stringify(line)}`, () =>
      assert.equal(simpleWords(line), undefined));
  }

  test("holds the words that were quoted, whatever they are", () => {
    const word = fc.string({ unit: "binary" }).filter((text) => !/['\0]/.test(text));
    fc.assert(
      fc.property(fc.array(word), (texts) => {
        assert.deepEqual(simpleWords(texts.map((text) => `'${text}'`).join(" ")), texts);
      }),
    );
  });
});

describe("the proof that a command only reads", () => {
  test("asks for a known program by its bare name", async () => {
    assert.equal(await isProvedReadOnly("cat a", port), true);
    for (const line of ["rm a", "./cat a", "/bin/cat a", "Cat a", "", "'' a", "constructor"]) {
      assert.equal(await isProvedReadOnly(line, port), false, line);
    }
  });

  test("asks that the program lies outside the workspace", async () => {
    assert.equal(await isProvedReadOnly("cat a", { ...port, isInside: () => true }), false);
    assert.equal(await isProvedReadOnly("cat a", { ...port, isInside: async () => true }), false);
    const findProgram = async (): Promise<undefined> => undefined;
    assert.equal(await isProvedReadOnly("cat a", { ...port, findProgram }), false);
  });
});
