// What is kept of an output, whatever pieces it comes in.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import fc from "fast-check";
import { createRedactor } from "../lib/text/redact.ts";
import { ByteRing } from "./byte-ring.ts";
import { OutputTail } from "./output-tail.ts";
import type { ShownOutput } from "./output-tail.ts";
import { outputText } from "./output-text.ts";
import { createSpillStore } from "./spill-file.ts";

const folder = mkdtempSync(join(tmpdir(), "errand-tail-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const store = createSpillStore("out", () => folder);

async function shown(pieces: readonly (string | Uint8Array)[]): Promise<ShownOutput> {
  const output = new OutputTail(store);
  for (const piece of pieces) output.add(Buffer.from(piece), "stdout");
  return output.finish();
}

describe("the text of an output", () => {
  const cases: Readonly<Record<string, [string, string]>> = {
    "has no colours": ["\x1b[1;31mred\x1b[0m", "red"],
    "has no cursor moves": ["a\x1b[5A\x1b[?25l\x1b[1;5rb", "ab"],
    "has no titles and links": ["\x1b]0;title\x07x\x1b]8;;http://a\x1b\\y", "xy"],
    "keeps tabs": ["a\tb", "a\tb"],
    "has no bells": ["a\x07\x00b", "ab"],
    "is the last state of a progress line": ["10%\r50%\r100%\ndone", "100%\ndone"],
    "is empty where a line was cleared": ["10%\rready\r\x1b[K\n", "\n"],
    "is what lines that were drawn again show": [
      "a 1%\nb 1%\n\x1b[2A\x1b[Ka 2%\n\x1b[Kb 2%\n",
      "a 2%\nb 2%\n",
    ],
    "has plain line ends": ["a\r\nb\r\r\n", "a\nb\n"],
    "is not struck over": ["N\bNA\bA_\bB", "NAB"],
  };
  for (const [title, [raw, text]] of Object.entries(cases)) {
    test(title, () => assert.equal(outputText(Buffer.from(raw)).text, text));
  }

  test("of any bytes holds no control character, and takes linear time", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        // oxlint-disable-next-line no-control-regex
        assert.doesNotMatch(outputText(bytes).text, /[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
      }),
    );
    for (const part of ["\x1b]", "\x1b[", "\x1b[1;", "\r", "\b", "a\b", "\x1bP"]) {
      outputText(Buffer.from(part.repeat(100_000)));
    }
  });
});

test("characters that are cut between pieces and streams are whole", async () => {
  const output = new OutputTail(store);
  const [first, second] = [Buffer.from("日本"), Buffer.from("é😀")];
  for (let at = 0; at < Math.max(first.length, second.length); at++) {
    output.add(first.subarray(at, at + 1), "stdout");
    output.add(second.subarray(at, at + 1), "stderr");
  }
  assert.equal((await output.finish()).text, "é日本😀");
});

test("any bytes in any pieces read as the whole does", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 5 })), async (pieces) => {
      const whole = outputText(Buffer.concat(pieces)).text;
      assert.equal((await shown(pieces)).text, whole);
    }),
  );
});

test("a ring keeps the last bytes, whatever pieces they come in", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 70_000 }),
      fc.array(fc.nat({ max: 40_000 }), { maxLength: 8 }),
      (size, lengths) => {
        const ring = new ByteRing(size);
        const pieces = lengths.map((length, n) => Buffer.alloc(length, n + 1));
        for (const piece of pieces) ring.push(piece);
        const expected = Buffer.concat(pieces).subarray(-size);
        assert.ok(ring.last().equals(expected));
        assert.ok(ring.last(7).equals(expected.subarray(-7)));
      },
    ),
    { numRuns: 50 },
  );
});

describe("an output that is too long", () => {
  test("in a million pieces of one byte is in the file as it came", async () => {
    const pieces = Array.from({ length: 1_000_000 }, (_, n) => (n % 60 === 59 ? "\n" : "x"));
    const { text, fullOutputPath = "", totalBytes } = await shown(pieces);
    assert.equal(totalBytes, 1_000_000);
    assert.equal(readFileSync(fullOutputPath, "utf8"), pieces.join(""));
    assert.ok(Buffer.byteLength(text) < 56_000);
  });

  test("does not begin its end with a torn line or a torn character", async () => {
    const { text } = await shown([`${"é".repeat(59)}\n`.repeat(20_000)]);
    const [, , tail = ""] = text.split("\n\n");
    assert.ok(tail.split("\n").every((line) => line === "é".repeat(59)));
    const { text: unbroken } = await shown(["é".repeat(400_000)]);
    assert.doesNotMatch(unbroken, /\uFFFD/);
  });

  test("gets a new folder when the old one was cleaned away", async () => {
    const folders: string[] = [];
    const own = createSpillStore("out", () => {
      folders.push(mkdtempSync(join(folder, "own-")));
      return folders.at(-1) ?? "";
    });
    for (let n = 0; n < 2; n++) {
      const output = new OutputTail(own);
      output.add(Buffer.alloc(300_000, "a"), "stdout");
      const { fullOutputPath = "" } = await output.finish();
      assert.equal(readFileSync(fullOutputPath).length, 300_000);
      rmSync(folders.at(-1) ?? "", { recursive: true });
    }
    assert.equal(folders.length, 2);
  });

  test("is followed by a view of at most 8 KB", () => {
    const output = new OutputTail(store);
    output.add(Buffer.from("first\n"), "stdout");
    assert.equal(output.preview(), "first\n");
    output.add(Buffer.from(`${"x".repeat(99)}\n`.repeat(1000)), "stdout");
    assert.ok(output.preview().length <= 8192);
  });
});

describe("a secret", () => {
  const KEY = "sk-test-0123456789-abcdefghijklmnop";
  const redactor = createRedactor([{ name: "API_KEY", value: KEY }]);
  const redact = (): typeof redactor => redactor;
  const hiding = (pieces: readonly string[]): OutputTail => {
    const output = new OutputTail(store, { redact });
    for (const piece of pieces) output.add(Buffer.from(piece), "stdout");
    return output;
  };

  test("is hidden, also across pieces and under colours", async () => {
    const whole = await hiding(["a sk-te", "st-0123456789-abcdefghijklm", "nop b"]).finish();
    assert.equal(whole.text, "a [redacted:API_KEY] b");
    const coloured = await hiding([`sk-\x1b[31mtest\x1b[0m${KEY.slice(7)}`]).finish();
    assert.equal(coloured.text, "[redacted:API_KEY]");
  });

  test("is not shown by a live view before it is whole", () => {
    assert.equal(hiding(["key: sk-test-01234"]).preview(), "key: ");
    assert.equal(hiding([`key: ${KEY}`]).preview(), "key: [redacted:API_KEY]");
    assert.equal(hiding(["key: sk-tes!"]).preview(), "key: sk-tes!");
    for (let before = 0; before < 200; before++) {
      const output = hiding([`${"x".repeat(20_000)}${KEY}${"y".repeat(16_384 - before)}`]);
      assert.doesNotMatch(output.preview(), /ghijklmnop|sk-test/);
    }
  });

  test("is hidden in the file, in the start, and where start, end and file are cut", async () => {
    for (const at of [2030, 4080, 299_990 - 262_144, 299_990 - 51_200]) {
      for (let shift = 0; shift < KEY.length; shift += 7) {
        const before = "x".repeat(at - shift);
        const text = `${before}${KEY}${"y".repeat(300_000 - KEY.length - before.length)}`;
        const { text: shownText, fullOutputPath = "" } = await hiding([text]).finish();
        const file = readFileSync(fullOutputPath, "utf8");
        assert.doesNotMatch(shownText, /sk-t|mnop/);
        assert.equal(file, text.replace(KEY, "[redacted:API_KEY]"));
        assert.match(shownText, /Full output: /);
      }
    }
  });

  test("makes no difference to how long outputs are put together", async () => {
    const line = `${"some text ".repeat(6)}${KEY} \x1b[1mé\x1b[0m\n`;
    const bytes = Buffer.from(line.repeat(6000));
    const results = await Promise.all(
      [1, 7, 1000, bytes.length].map(async (size) => {
        const output = new OutputTail(store, { redact });
        for (let at = 0; at < bytes.length; at += size)
          output.add(bytes.subarray(at, at + size), "stdout");
        const { text, fullOutputPath = "" } = await output.finish();
        return [text.replace(fullOutputPath, ""), readFileSync(fullOutputPath, "utf8")];
      }),
    );
    for (const result of results) assert.deepEqual(result, results[0]);
    assert.ok(!results[0]?.join("").includes(KEY));
  });
});
