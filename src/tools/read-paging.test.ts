import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
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

async function read(workspace: Workspace, args: Arguments): Promise<ToolResult<ReadDetails>> {
  return createReadTool(workspace).execute("call", args);
}

async function readText(workspace: Workspace, args: Arguments): Promise<string> {
  const result = await read(workspace, args);
  const [block] = result.content;
  assert.ok(result.content.length === 1 && block?.type === "text");
  return block.text;
}

/** A whole PNG of one pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

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
