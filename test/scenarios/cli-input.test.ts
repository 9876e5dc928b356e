// What reaches the model of words, attached files and pipes.
import assert from "node:assert/strict";
import { execFileSync, type StdioOptions } from "node:child_process";
import {
  closeSync,
  constants,
  mkdtempSync,
  mkdirSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { jsonLines, runErrand, startErrand } from "../kit/errand-process.ts";

const cwd = mkdtempSync(join(tmpdir(), "errand-input-"));
after(() => rmSync(cwd, { recursive: true, force: true }));
writeFileSync(join(cwd, "a.txt"), "one\ntwo\n");
writeFileSync(join(cwd, "b c.txt"), "three");
writeFileSync(join(cwd, "old.txt"), Buffer.from("caf\xe9\n", "latin1"));
writeFileSync(join(cwd, "data.gz"), Buffer.from("\x1f\x8b\x08\0\0\0\0\0", "latin1"));
const png = Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1");
writeFileSync(join(cwd, "picture.txt"), png);
writeFileSync(join(cwd, "large.txt"), "x".repeat(10 * 1024 * 1024 + 1));
writeFileSync(join(cwd, "large.png"), Buffer.concat([png, Buffer.alloc(4_000_000)]));
mkdirSync(join(cwd, "folder"));

/** The blocks of the user's message. */
async function sent(args: string[], stdin?: string | Uint8Array): Promise<unknown> {
  const options = { cwd, ...(stdin === undefined ? {} : { stdin }) };
  const { code, out, err } = await runErrand(["--mode", "json", ...args], options);
  assert.equal(code, 0, err);
  const line = jsonLines(out).find(({ type }) => type === "message_end");
  const message = line?.["message"] as { role: string; content: unknown } | undefined;
  assert.equal(message?.role, "user");
  return message.content;
}

const text = (words: string) => ({ type: "text", text: words });

describe("the model gets", () => {
  test("the words", async () => {
    assert.deepEqual(await sent(["hello", "there"]), [text("hello there")]);
  });

  test("attached files by name, in order, before the words", async () => {
    assert.deepEqual(await sent(["@a.txt", "compare", "@b c.txt", "them"]), [
      text('<file name="a.txt">\none\ntwo\n\n</file>'),
      text('<file name="b c.txt">\nthree\n</file>'),
      text("compare them"),
    ]);
  });

  test("attached files alone", async () => {
    assert.deepEqual(await sent(["@b c.txt"]), [text('<file name="b c.txt">\nthree\n</file>')]);
  });

  test("files of the folder that --cd names", async () => {
    assert.deepEqual(await sent(["-C", "folder", "@../b c.txt"]), [
      text('<file name="../b c.txt">\nthree\n</file>'),
    ]);
  });

  test("a text in its own encoding", async () => {
    assert.deepEqual(await sent(["@old.txt"]), [text('<file name="old.txt">\ncafé\n\n</file>')]);
  });

  test("an image as an image, whatever its name", async () => {
    assert.deepEqual(await sent(["@picture.txt", "what is this?"]), [
      text('<file name="picture.txt">'),
      { type: "image", data: png.toString("base64"), mimeType: "image/png" },
      text("what is this?"),
    ]);
  });

  test("what is piped in, apart from the words", async () => {
    assert.deepEqual(await sent(["hello"], "from a pipe\n"), [
      text("<stdin>\nfrom a pipe\n\n</stdin>"),
      text("hello"),
    ]);
  });

  test("what is piped in as the prompt, if there are no words", async () => {
    assert.deepEqual(await sent([], "  indented\n"), [text("  indented\n")]);
  });

  test("an image that is piped in", async () => {
    assert.deepEqual(await sent(["what is this?"], png), [
      text("<stdin>"),
      { type: "image", data: png.toString("base64"), mimeType: "image/png" },
      text("what is this?"),
    ]);
  });

  test("nothing of an empty pipe", async () => {
    assert.deepEqual(await sent(["hello"], ""), [text("hello")]);
  });

  test("what looks like a flag or a file, behind --", async () => {
    assert.deepEqual(await sent(["--", "--help", "@a.txt"]), [text("--help @a.txt")]);
  });
});

describe("input that cannot be taken is one line that says what to do", () => {
  const cases: [string, string[], RegExp, (string | Uint8Array)?][] = [
    [
      "a file that is not there",
      ["@none.txt", "x"],
      /@none\.txt cannot be read: there is no such file/,
    ],
    ["a word that was no file", ["@ann", "said so"], /A word that starts with @ goes behind --/],
    ["a folder", ["@folder", "x"], /@folder is not a file/],
    ["a device", ["@/dev/zero", "x"], /is not a file/],
    ["a file of another kind", ["@data.gz", "x"], /no text.*gzip archive.*Leave the @ away/],
    ["a file that is too large", ["@large.txt", "x"], /large\.txt is larger than 10\.0 MB\. Leave/],
    ["an image that is too large", ["@large.png", "x"], /image of .*the most is .*Make it smaller/],
    [
      "a pipe that is too large",
      ["x"],
      /stdin is larger than 10\.0 MB\. Put it into a file/,
      Buffer.alloc(10 * 1024 * 1024 + 1, "x"),
    ],
    [
      "a pipe of another kind",
      ["x"],
      /stdin is no text.*gzip/,
      Buffer.from("\x1f\x8b\x08\0\0", "latin1"),
    ],
    ["a blank pipe", [], /^errand: No prompt\. Usage: errand \[options\]/, " \n"],
    ["a name with a line break", ["@a\nb", "x"], /cannot be read/],
  ];
  for (const [title, args, message, stdin] of cases) {
    test(title, async () => {
      const options = { cwd, ...(stdin === undefined ? {} : { stdin }) };
      const { code, out, err } = await runErrand(args, options);
      assert.deepEqual([code, out], [2, ""]);
      assert.match(err, message);
      assert.match(err, /^errand: [^\n]+\n$/);
    });
  }
});

describe("an open stdin on which nothing comes", { concurrency: true }, () => {
  test("does not hold up a program that starts us with a socket", async () => {
    const { child, ended } = startErrand(["-p", "read a.txt"], {
      cwd,
      stdio: ["pipe", "pipe", "pipe"],
    });
    const { code, out, err } = await ended;
    child.stdin?.destroy();
    assert.equal(code, 0);
    assert.match(out, /two/);
    assert.match(err, /^errand: nothing came on stdin in 3 s, going on without it\n/);
  });

  test("of a shell's pipe is waited for, which is told, and its late text is not lost", async () => {
    const pipe = join(cwd, "pipe");
    execFileSync("mkfifo", [pipe]);
    const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(pipe, constants.O_WRONLY);
    const stdio: StdioOptions = [reader, "pipe", "pipe"];
    const { ended, says } = startErrand(["--mode", "json", "hello"], { cwd, stdio });
    closeSync(reader);
    await says(/^errand: waiting for the end of stdin/);
    writeSync(writer, "late text\n");
    closeSync(writer);
    const { code, out } = await ended;
    assert.equal(code, 0);
    assert.match(out, /<stdin>\\nlate text\\n\\n<\/stdin>/);
  });
});
