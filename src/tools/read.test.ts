import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { WORKSPACE_KINDS, plantWorkspace } from "../../test/contracts/planted-workspace.ts";
import type { PlantedFiles } from "../../test/contracts/planted-workspace.ts";
import type { ToolResult } from "../core/tool.ts";
import { createMemoryWorkspace } from "../workspace/memory.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { createReadTool, readDefinition } from "./read.ts";
import type { ReadDetails } from "./read.ts";

interface Arguments {
  path: string;
  offset?: number;
  limit?: number;
  column?: number;
}

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`).join("\n");

async function read(workspace: Workspace, args: Arguments): Promise<ToolResult<ReadDetails>> {
  return createReadTool(workspace).execute("call", args);
}

async function readText(workspace: Workspace, args: Arguments): Promise<string> {
  const result = await read(workspace, args);
  const [block] = result.content;
  assert.ok(result.content.length === 1 && block?.type === "text");
  return block.text;
}

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const latin1 = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, "latin1"));
const utf16 = (text: string): Uint8Array =>
  Uint8Array.from(Buffer.from(`\ufeff${text}`, "utf16le"));

/** A whole PNG of one pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

interface Case {
  readonly files: PlantedFiles;
  readonly args: Arguments;
  readonly says?: string | RegExp;
  readonly fails?: RegExp;
}

const CASES: Readonly<Record<string, Case>> = {
  "a small file comes as it is, with its last line end": {
    files: { "a.txt": "one\ntwo\n" },
    args: { path: "a.txt" },
    says: "one\ntwo\n",
  },
  "a file without a last line end comes without": {
    files: { "a.txt": "one\r\n\ttwo" },
    args: { path: "./a.txt" },
    says: "one\r\n\ttwo",
  },
  "a caller's limit tells how many lines are left": {
    files: { "a.txt": `${lines(1, 22)}\n` },
    args: { path: "a.txt", limit: 10 },
    says: `${lines(1, 10)}\n\n[12 more lines in file. Use offset=11 to continue.]`,
  },
  "one line that is left is no lines": {
    files: { "a.txt": lines(1, 3) },
    args: { path: "a.txt", offset: 2, limit: 1 },
    says: "line 2\n\n[1 more line in file. Use offset=3 to continue.]",
  },
  "a limit that reaches the end leaves no note": {
    files: { "a.txt": `${lines(1, 5)}\n` },
    args: { path: "a.txt", offset: 4, limit: 2 },
    says: "line 4\nline 5\n",
  },
  "2,000 lines are shown of more": {
    files: { "a.txt": `${lines(1, 48210)}\n` },
    args: { path: "a.txt" },
    says: `${lines(1, 2000)}\n\n[Showing lines 1-2000 of 48210. Use offset=2001 to continue.]`,
  },
  "a limit above 2,000 is one of 2,000": {
    files: { "a.txt": lines(1, 2001) },
    args: { path: "a.txt", limit: 5000 },
    says: `${lines(1, 2000)}\n\n[Showing lines 1-2000 of 2001. Use offset=2001 to continue.]`,
  },
  "offset 0 means the first line": {
    files: { "a.txt": "one\n" },
    args: { path: "a.txt", offset: 0 },
    says: "one\n",
  },
  "an offset past the end is an error with the number of lines": {
    files: { "a.txt": "one\ntwo\n" },
    args: { path: "a.txt", offset: 3 },
    fails: /^Offset 3 is beyond end of file \(2 lines total\)$/,
  },
  "an offset into an empty file is an error too": {
    files: { "a.txt": "" },
    args: { path: "a.txt", offset: 2 },
    fails: /^Offset 2 is beyond end of file \(0 lines total\)$/,
  },
  "an empty file says so": {
    files: { "a.txt": "" },
    args: { path: "a.txt" },
    says: /a\.txt is empty/,
  },
  "a file of a byte order mark alone is empty": {
    files: { "a.txt": "\ufeff" },
    args: { path: "a.txt" },
    says: /a\.txt is empty/,
  },
  "lines that are blank count as lines": {
    files: { "a.txt": "\n\n\n" },
    args: { path: "a.txt", limit: 2 },
    says: "\n\n\n[1 more line in file. Use offset=3 to continue.]",
  },
  "a byte order mark is not shown": {
    files: { "a.txt": "\ufeff# title\n" },
    args: { path: "a.txt" },
    says: "# title\n",
  },
  "UTF-16 with a mark is decoded, and named": {
    files: { "a.txt": utf16("héllo\r\n😀\r\n") },
    args: { path: "a.txt" },
    says: "héllo\r\n😀\r\n\n[Not UTF-8: decoded from utf-16le.]",
  },
  "other text is shown as windows-1252, and named": {
    files: { "a.txt": latin1("caf\xe9 \x80\n") },
    args: { path: "a.txt" },
    says: "café €\n\n[Not UTF-8: shown as windows-1252.]",
  },
  "a stray byte among UTF-8 does not spoil the rest": {
    files: { "a.txt": Buffer.concat([Buffer.from("é漢字 "), bytes(0xff), Buffer.from(" ü\n")]) },
    args: { path: "a.txt" },
    says: /^é漢字 \ufffd ü\n\n\[1 byte is not valid UTF-8, shown as \ufffd/,
  },
  "a column goes on inside a line": {
    files: { "a.txt": "zero\nabcdef\nlast" },
    args: { path: "a.txt", offset: 2, column: 4 },
    says: "def\nlast",
  },
  "a column past the line's end is an error": {
    files: { "a.txt": "abc\ndef" },
    args: { path: "a.txt", column: 4 },
    fails: /^Column 4 is beyond the end of line 1 \(3 bytes in the line\)$/,
  },
  "a column past the last line's end is an error": {
    files: { "a.txt": "abc\ndef" },
    args: { path: "a.txt", offset: 2, column: 9 },
    fails: /^Column 9 is beyond the end of line 2 \(3 bytes in the line\)$/,
  },
  "a column inside a character begins with the next one": {
    files: { "a.txt": "é漢x" },
    args: { path: "a.txt", column: 4 },
    says: "x",
  },
  "a missing file is an error that names the nearest": {
    files: { "src/reader.ts": "x", "src/writer.ts": "x" },
    args: { path: "src/raeder.ts" },
    fails: /^File not found: .*src\/raeder\.ts\. Nearest names in .*src: reader\.ts/,
  },
  "a missing folder on the way is named": {
    files: { "src/reader.ts": "x" },
    args: { path: "scr/deep/reader.ts" },
    fails: /The folder .*\/scr does not exist either\. Nearest names in .*: src/,
  },
  "a path through a file is an error": {
    files: { "a.txt": "x" },
    args: { path: "a.txt/b" },
    fails: /^File not found: .*a\.txt\/b/,
  },
  "a folder is an error that says what to do": {
    files: { "src/a": "x" },
    args: { path: "src" },
    fails: /src is a folder, not a file\. List it with ls/,
  },
  "a FIFO is refused at once": {
    files: { pipe: { special: "fifo" } },
    args: { path: "pipe" },
    fails: /pipe is a FIFO, not a regular file/,
  },
  "a link to nothing is named as one": {
    files: { here: { link: "nowhere/else" } },
    args: { path: "here" },
    fails: /here is a link to nowhere\/else, which does not exist/,
  },
  "a forbidden file is an error": {
    files: { secret: { file: "x", mode: 0o200 } },
    args: { path: "secret" },
    fails: /Permission denied: .*secret/,
  },
  "links are followed": {
    files: { "a.txt": "one", to: { link: "a.txt" } },
    args: { path: "to" },
    says: "one",
  },
  "a mention mark is dropped": { files: { "a.txt": "one" }, args: { path: "@a.txt" }, says: "one" },
  "a file really named with a mention mark wins": {
    files: { "a.txt": "one", "@a.txt": "two" },
    args: { path: "@a.txt" },
    says: "two",
  },
  "a name that only looks the same is found": {
    files: { "at 5\u202fPM caf\u0065\u0301.txt": "one" },
    args: { path: "at 5 PM caf\u00e9.txt" },
    says: "one",
  },
  "a name with other spaces in the call is found": {
    files: { "a b.txt": "one" },
    args: { path: "a\u00a0b.txt" },
    says: "one",
  },
  "control characters in a name are shown, not printed": {
    files: { "a.txt": "x" },
    args: { path: "no\u001b[2J\nne" },
    fails: /File not found: .*no\\x1b\[2J\\nne/,
  },
  "an empty path is an error": { files: {}, args: { path: "" }, fails: /path is empty/ },
  "a NUL byte in the path is an error": { files: {}, args: { path: "a\0b" }, fails: /NUL byte/ },
  "a binary file is named, not printed": {
    files: { prog: Buffer.concat([Buffer.from("\x7fELF\x02\x01\x01"), Buffer.alloc(200)]) },
    args: { path: "prog" },
    says: /^\[Binary file: ELF program or library, .*Not shown as text\. To look inside: readelf -h \/.*prog\]$/,
  },
  "a binary file of unknown kind gets a hex dump's command, quoted": {
    files: { "it's data": bytes(1, 2, 0, 3) },
    args: { path: "it's data" },
    says: /unknown kind.*xxd -l 512 '.*it'\\''s data'\]$/,
  },
  "noise without a NUL byte is binary too": {
    files: { noise: Uint8Array.from({ length: 4000 }, (_, index) => 1 + ((index * 7919) % 255)) },
    args: { path: "noise" },
    says: /^\[Binary file: unknown kind/,
  },
  "UTF-16 without a mark is guessed, not printed": {
    files: { "a.txt": utf16("plain text here").subarray(2) },
    args: { path: "a.txt" },
    says: /perhaps UTF-16 text without a byte order mark.*iconv -f UTF-16LE/,
  },
  "text named as an image is text": {
    files: { "a.png": "hi\n" },
    args: { path: "a.png" },
    says: "hi\n",
  },
  "an image that is cut off stays a note": {
    files: { "a.png": PNG.subarray(0, 50) },
    args: { path: "a.png" },
    says: /^\[PNG image, .*not shown: it is cut off/,
  },
  "an image over 5 MB stays a note": {
    files: { "a.png": Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024)]) },
    args: { path: "a.png" },
    says: /^\[PNG image, .*not shown: larger than 5(\.0)? MB\. Make a smaller copy/,
  },
};

for (const kind of WORKSPACE_KINDS) {
  describe(`read on the ${kind} workspace`, () => {
    for (const [title, { files, args, says, fails }] of Object.entries(CASES)) {
      test(title, async () => {
        await using planted = await plantWorkspace(kind, files);
        if (fails) {
          await assert.rejects(readText(planted.workspace, args), { message: fails });
          return;
        }
        const text = await readText(planted.workspace, args);
        if (says instanceof RegExp) assert.match(text, says);
        else assert.equal(text, says);
      });
    }
  });
}

describe("read", () => {
  test("sends an image as an image, told by its bytes and not by its name", async () => {
    const workspace = createMemoryWorkspace({ files: { "picture.txt": PNG } });
    const result = await read(workspace, { path: "picture.txt" });
    assert.deepEqual(result.content[1], {
      type: "image",
      data: PNG.toString("base64"),
      mimeType: "image/png",
    });
    const [note] = result.content;
    assert.ok(note?.type === "text" && note.text.startsWith("[PNG image, 1x1, "));
  });

  test("sends no image to a model that takes none", async () => {
    const workspace = createMemoryWorkspace({ files: { "a.png": PNG } });
    const model = { input: ["text"] } as never;
    const result = await readDefinition(workspace).execute(
      "call",
      { path: "a.png" },
      undefined,
      undefined,
      {
        cwd: workspace.cwd,
        model,
      },
    );
    assert.equal(result.content.length, 1);
    assert.match(JSON.stringify(result.content), /the model in use takes no images/);
  });

  test("tells what it left out in the details", async () => {
    const workspace = createMemoryWorkspace({ files: { a: "ab\ncd\nef\n" } });
    const { details } = await read(workspace, { path: "a", limit: 2 });
    assert.deepEqual(details, {
      path: "/work/a",
      kind: "text",
      size: 9,
      encoding: "utf-8",
      firstLine: 1,
      lastLine: 2,
      truncation: {
        content: "ab\ncd",
        truncated: true,
        truncatedBy: "lines",
        totalLines: 3,
        totalBytes: 9,
        outputLines: 2,
        outputBytes: 5,
        firstLineExceedsLimit: false,
        lastLinePartial: false,
      },
    });
  });

  test("cuts by bytes at the end of a line, and says so", async () => {
    const line = "x".repeat(99);
    const workspace = createMemoryWorkspace({ files: { a: `${line}\n`.repeat(812) } });
    const text = await readText(workspace, { path: "a" });
    assert.equal(
      text,
      `${`${line}\n`.repeat(512)}\n[Showing lines 1-512 of 812 (50 KB limit). Use offset=513 to continue.]`,
    );
  });

  test("pages through one endless line by columns, without half a character", async () => {
    const line = "漢字é😀x".repeat(20_000);
    const workspace = createMemoryWorkspace({ files: { "min.js": `${line}\nsecond\n` } });
    let seen = "";
    let args: Arguments = { path: "min.js" };
    for (let pages = 0; pages < 20; pages++) {
      const text = await readText(workspace, args);
      const [content = "", note = ""] = text.split(/\n\n(?=\[)/);
      assert.ok(Buffer.byteLength(content) <= 51_200);
      assert.ok(!content.includes("\ufffd"));
      seen += content;
      const next = /Use offset=(\d+) column=(\d+) to continue/.exec(note);
      if (!next) break;
      assert.match(note, new RegExp(`of ${Buffer.byteLength(line)} of line 1 \\(50 KB limit\\)`));
      args = { path: "min.js", offset: Number(next[1]), column: Number(next[2]) };
    }
    assert.equal(seen, `${line}\nsecond\n`);
  });

  test("shows every line exactly once when paging by its own notes, whatever the file and the limit", async () => {
    const line = fc.oneof(
      fc.string({ unit: "binary", maxLength: 20 }),
      fc.constant("y".repeat(9000)),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 30 }),
        async (parts, limit) => {
          const content = Buffer.from(
            `a${parts.join("\n").replaceAll("\0", "").replaceAll("[", "(").replaceAll("\ufeff", "")}`,
          );
          fc.pre(content.filter((byte) => byte < 32).length * 40 < content.length);
          const workspace = createMemoryWorkspace({ files: { a: content } });
          const shown: string[] = [];
          for (let offset = 1; ;) {
            const text = await readText(workspace, { path: "a", offset, limit });
            const next = /\n\n\[.*Use offset=(\d+) to continue\.\]$/.exec(text);
            shown.push(next ? text.slice(0, next.index) : text);
            if (!next) break;
            assert.ok(Number(next[1]) > offset);
            offset = Number(next[1]);
          }
          assert.equal(shown.join("\n"), content.toString());
        },
      ),
      { numRuns: 60 },
    );
  });

  test("does not read past what it shows in a file over 16 MB, and says that there is more", async () => {
    let furthest = 0;
    const size = 1 << 30;
    const workspace = createMemoryWorkspace({ files: { big: "x" } });
    const endless: Workspace = {
      ...workspace,
      open: async (path) => ({
        ...(await workspace.open(path)),
        stat: { ...(await workspace.open(path)).stat, size },
        read: async (into, position) => {
          furthest = Math.max(furthest, position + into.length);
          into.fill(0x78);
          for (let at = 9 - (position % 10); at < into.length; at += 10) into[at] = 0x0a;
          return into.length;
        },
      }),
    };
    const text = await readText(endless, { path: "big", offset: 100_000, limit: 2 });
    assert.equal(
      text,
      "xxxxxxxxx\nxxxxxxxxx\n\n[Showing lines 100000-100001 of more than 100001 lines. Use offset=100002 to continue.]",
    );
    assert.ok(furthest < 2_000_000, `read as far as ${furthest}`);
  });

  test("stops between two pieces when it is aborted, and closes the file", async () => {
    const workspace = createMemoryWorkspace({ files: { a: "x\n".repeat(2_000_000) } });
    const controller = new AbortController();
    let closed = false;
    let reads = 0;
    const watched: Workspace = {
      ...workspace,
      open: async (path) => {
        const file = await workspace.open(path);
        return {
          stat: file.stat,
          read: async (into, position) => {
            if (++reads === 3) controller.abort(new Error("stopped by the test"));
            return file.read(into, position);
          },
          close: async () => {
            closed = true;
          },
        };
      },
    };
    const tool = createReadTool(watched);
    await assert.rejects(
      tool.execute("call", { path: "a", offset: 1_999_999 }, controller.signal),
      {
        message: "stopped by the test",
      },
    );
    assert.ok(closed);
    assert.ok(reads <= 4);
  });

  test("sees what is on the disk at each call", async () => {
    const workspace = createMemoryWorkspace({ files: { a: "old" } });
    assert.equal(await readText(workspace, { path: "a" }), "old");
    await workspace.replaceFile("/work/a", Buffer.from("new"));
    assert.equal(await readText(workspace, { path: "a" }), "new");
  });

  test("claims to read the real path, and nothing for a path that cannot be used", async () => {
    const workspace = createMemoryWorkspace({ files: { a: "x", to: { link: "a" } } });
    const tool = createReadTool(workspace);
    assert.equal(tool.pure, true);
    assert.deepEqual(await tool.claims?.({ path: "to" }), [
      { on: "path", path: "/work/a", access: "read" },
    ]);
    assert.deepEqual(await tool.claims?.({ path: "none/x" }), [
      { on: "path", path: "/work/none/x", access: "read" },
    ]);
    assert.deepEqual(await tool.claims?.({ path: "" }), []);
  });
});
