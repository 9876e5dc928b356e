import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { WORKSPACE_KINDS, plantWorkspace } from "../../test/contracts/planted-workspace.ts";
import type { PlantedFiles } from "../../test/contracts/planted-workspace.ts";
import { createMemoryWorkspace } from "../workspace/memory.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { createLsTool, lsDefinition } from "./ls.ts";

async function ls(
  workspace: Workspace,
  args: { path?: string; limit?: number } = {},
): Promise<string> {
  const result = await createLsTool(workspace).execute("call", args);
  const [block] = result.content;
  assert.ok(block?.type === "text");
  return block.text;
}

interface Case {
  readonly files?: PlantedFiles;
  readonly args?: { path?: string; limit?: number };
  readonly says?: string | RegExp;
  readonly fails?: RegExp;
}

const CASES: Readonly<Record<string, Case>> = {
  "names are sorted without regard to capitals, the same everywhere": {
    files: { b: "", A: "", a: "", B: "", ".hidden": "", "Z/x": "", é: "", "10": "", "9": "" },
    says: ".hidden\n10\n9\nA\na\nB\nb\nZ/\né",
  },
  "links show where they lead, and that they lead nowhere": {
    files: {
      "dir/x": "",
      one: { link: "dir/x" },
      two: { link: "dir" },
      gone: { link: "/none/such" },
      loop: { link: "loop" },
      pipe: { special: "fifo" },
    },
    says: [
      "dir/",
      "gone -> missing (/none/such)",
      "loop -> loop (a cycle of links)",
      "one -> dir/x",
      "pipe (FIFO)",
      "two -> dir/",
    ].join("\n"),
  },
  "a folder that can be listed but not entered shows every name": {
    files: {
      "d/file": "",
      "d/sub/x": "",
      "d/to": { link: "file" },
      d: { folder: true, mode: 0o444 },
    },
    args: { path: "d" },
    says: "file\nsub/\nto -> ?",
  },
  "a folder that cannot be read is an error, not empty": {
    files: { "d/file": "", d: { folder: true, mode: 0o300 } },
    args: { path: "d" },
    fails: /d cannot be listed: permission denied/,
  },
  "an empty folder says so": {
    files: { d: { folder: true } },
    args: { path: "d" },
    says: /\/d is an empty folder\.$/,
  },
  "a limit tells the total": {
    files: { a: "", b: "", c: "" },
    args: { limit: 2 },
    says: "a\nb\n\n[Showing 2 of 3 entries. Use limit=3 to see all.]",
  },
  "a file is an error that says what to do": {
    files: { a: "" },
    args: { path: "a" },
    fails: /a is a file, not a folder\. Use read/,
  },
  "a missing folder is an error that names the nearest": {
    files: { "source/x": "" },
    args: { path: "soruce" },
    fails: /^Folder not found: .*soruce\. Nearest names in .*: source/,
  },
  "names with control characters are one line each": {
    files: { "a\nb -> c": "", "d\u001b[2J": "", "x\u202ey": "", to: { link: "l\nm" } },
    says: "a\\nb -> c\nd\\x1b[2J\nto -> missing (l\\nm)\nx\\u{202e}y",
  },
  "a link to a folder is listed": {
    files: { "d/x": "", to: { link: "d" } },
    args: { path: "to" },
    says: "x",
  },
  "a home folder that is not there is an error": {
    args: { path: "~/x" },
    fails: /no home folder/,
  },
};

for (const kind of WORKSPACE_KINDS) {
  describe(`ls on the ${kind} workspace`, () => {
    for (const [title, { files, args, says, fails }] of Object.entries(CASES)) {
      test(title, async () => {
        await using planted = await plantWorkspace(kind, files);
        if (fails) {
          await assert.rejects(ls(planted.workspace, args), { message: fails });
          return;
        }
        const text = await ls(planted.workspace, args);
        if (says instanceof RegExp) assert.match(text, says);
        else assert.equal(text, says);
      });
    }
  });
}

describe("ls", () => {
  test("shows 500 entries unless told otherwise", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 1234 }, (_, index) => [`f${10_000 + index}`, ""]),
    );
    const text = await ls(createMemoryWorkspace({ files }));
    assert.equal(text.split("\n").filter((line) => line.startsWith("f")).length, 500);
    assert.match(text, /\n\n\[Showing 500 of 1234 entries\. Use limit=1234 to see all\.\]$/);
  });

  test("stops at 50 KB, whole lines, and says so", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [`${index}`.padStart(120, "é"), ""]),
    );
    const text = await ls(createMemoryWorkspace({ files }), { limit: 1000 });
    const [names = "", note = ""] = text.split("\n\n");
    assert.ok(Buffer.byteLength(names) <= 51_200 && Buffer.byteLength(names) > 50_000);
    assert.match(note, /^\[Showing \d+ of 400 entries \(50 KB limit\)/);
  });

  test("is pure, reads its folder, and is there by request only", async () => {
    const workspace = createMemoryWorkspace({ files: { "d/x": "", to: { link: "d" } } });
    const definition = lsDefinition(workspace);
    assert.equal(definition.pure, true);
    assert.equal(definition.defaultActive, false);
    assert.deepEqual(await definition.claims?.({}), [
      { on: "path", path: "/work", access: "read" },
    ]);
    assert.deepEqual(await definition.claims?.({ path: "to" }), [
      { on: "path", path: "/work/d", access: "read" },
    ]);
  });

  test("stops when it is aborted", async () => {
    const workspace = createMemoryWorkspace({ files: { a: "" } });
    const call = createLsTool(workspace).execute(
      "call",
      {},
      AbortSignal.abort(new Error("stopped")),
    );
    await assert.rejects(call, { message: "stopped" });
  });
});
