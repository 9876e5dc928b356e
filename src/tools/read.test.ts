import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { WORKSPACE_KINDS, plantWorkspace } from "../../test/contracts/planted-workspace.ts";
import type { PlantedFiles } from "../../test/contracts/planted-workspace.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { createReadTool } from "./read.ts";

interface Arguments {
  path: string;
  offset?: number;
  limit?: number;
  column?: number;
}

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`).join("\n");

async function readText(workspace: Workspace, args: Arguments): Promise<string> {
  const result = await createReadTool(workspace).execute("call", args);
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
