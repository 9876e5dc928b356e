import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ToolResult } from "../core/tool.ts";
import { createMemoryWorkspace } from "../workspace/memory.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { createEditTool, editDefinition } from "./edit.ts";
import type { EditDetails } from "./edit.ts";
import { wholeContent } from "./file-chunks.ts";
import type { Edit } from "./match-edit.ts";

const utf8 = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, "utf8"));

async function edit(
  workspace: Workspace,
  path: string,
  edits: Edit[],
): Promise<ToolResult<EditDetails>> {
  return createEditTool(workspace).execute("call", { path, edits });
}

function textOf(result: ToolResult<EditDetails>): string {
  const [block] = result.content;
  assert.ok(block?.type === "text");
  return block.text;
}

async function bytesOf(workspace: Workspace, path: string): Promise<Uint8Array> {
  const file = await workspace.open(path);
  const content = await wholeContent(file, 1 << 30);
  await file.close();
  return Uint8Array.from(content ?? []);
}

const one = (oldText: string, newText: string, all?: boolean): Edit[] => [
  { oldText, newText, ...(all === undefined ? {} : { all }) },
];

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");

describe("edit", () => {
  test("says what changed, with a few lines around", async () => {
    const workspace = createMemoryWorkspace({ files: { a: numbered(100) } });
    const result = await edit(workspace, "a", [
      ...one("line 50\n", "FIFTY\nand a half\n"),
      ...one("line 90\n", ""),
    ]);
    assert.equal(
      textOf(result),
      [
        "Edited a: 2 places, +2 -2 lines",
        "@@ -47,7 +47,8 @@",
        " line 47",
        " line 48",
        " line 49",
        "-line 50",
        "+FIFTY",
        "+and a half",
        " line 51",
        " line 52",
        " line 53",
        "@@ -87,7 +88,6 @@",
        " line 87",
        " line 88",
        " line 89",
        "-line 90",
        " line 91",
        " line 92",
        " line 93",
      ].join("\n"),
    );
    const { diff, ...numbers } = result.details ?? assert.fail();
    assert.deepEqual(numbers, { path: "/work/a", firstChangedLine: 50, additions: 2, removals: 2 });
    assert.ok(textOf(result).endsWith(diff));
  });

  test("keeps a large change's text and diff small", async () => {
    const workspace = createMemoryWorkspace({ files: { a: numbered(20_000) } });
    const result = await edit(workspace, "a", one("line", "LINE", true));
    assert.ok(Buffer.byteLength(textOf(result)) < 4200);
    assert.ok(textOf(result).split("\n").length <= 62);
    assert.ok(Buffer.byteLength(result.details?.diff ?? "") <= 65_600);
    assert.deepEqual([result.details?.additions, result.details?.removals], [20_000, 20_000]);
    assert.match(textOf(result), /^Edited a: 20000 places, \+20000 -20000 lines\n/);
  });

  test("loses neither of two edits of one file that are made at once, also through a link", async () => {
    const workspace = createMemoryWorkspace({ files: { a: numbered(100), to: { link: "a" } } });
    await Promise.all([
      edit(workspace, "a", one("line 50\n", "FIFTY\n")),
      edit(workspace, "to", one("line 75\n", "LXXV\n")),
    ]);
    const text = Buffer.from(await bytesOf(workspace, "/work/a")).toString();
    assert.equal(
      text,
      numbered(100).replace("line 50\n", "FIFTY\n").replace("line 75\n", "LXXV\n"),
    );
  });

  test("does not overwrite a change that comes in while it works", async () => {
    const workspace = createMemoryWorkspace({ files: { a: "old" } });
    const meddled: Workspace = {
      ...workspace,
      open: async (path) => {
        const file = await workspace.open(path);
        return {
          ...file,
          close: async () => {
            await file.close();
            await workspace.replaceFile(path, utf8("meddled"));
          },
        };
      },
    };
    await assert.rejects(edit(meddled, "a", one("old", "new")), {
      message: /was changed by something else/,
    });
    assert.deepEqual(await bytesOf(workspace, "/work/a"), utf8("meddled"));
  });

  test("sees at each call what is on the disk", async () => {
    const workspace = createMemoryWorkspace({ files: { a: "one" } });
    await edit(workspace, "a", one("one", "two"));
    await workspace.replaceFile("/work/a", utf8("three"));
    await edit(workspace, "a", one("three", "four"));
    assert.deepEqual(await bytesOf(workspace, "/work/a"), utf8("four"));
  });

  test("changes nothing after an abort", async () => {
    const workspace = createMemoryWorkspace({ files: { a: "old" } });
    const signal = AbortSignal.abort(new Error("stopped by the test"));
    const call = createEditTool(workspace).execute(
      "call",
      { path: "a", edits: one("old", "new") },
      signal,
    );
    await assert.rejects(call, { message: "stopped by the test" });
    assert.deepEqual(await bytesOf(workspace, "/work/a"), utf8("old"));
  });

  test("claims to write the real path", async () => {
    const workspace = createMemoryWorkspace({ files: { a: "x", to: { link: "a" } } });
    const claims = await createEditTool(workspace).claims?.({ path: "to", edits: [] });
    assert.deepEqual(claims, [{ on: "path", path: "/work/a", access: "write" }]);
  });

  test("takes older shapes of its arguments, and leaves what it gets as it is", () => {
    const { prepareArguments } = editDefinition(createMemoryWorkspace());
    const shapes: readonly (readonly [given: unknown, taken: unknown])[] = [
      [
        { path: "a", oldText: "x", newText: "y" },
        { path: "a", edits: [{ oldText: "x", newText: "y" }] },
      ],
      [
        { path: "a", oldText: "x", newText: "y", all: true },
        { path: "a", edits: [{ oldText: "x", newText: "y", all: true }] },
      ],
      [
        { path: "a", edits: { oldText: "x", newText: "y" } },
        { path: "a", edits: [{ oldText: "x", newText: "y" }] },
      ],
      [
        { path: "a", edits: "[]" },
        { path: "a", edits: "[]" },
      ],
      [{ path: "a" }, { path: "a" }],
      ["text", "text"],
      [null, null],
    ];
    for (const [given, taken] of shapes) {
      const copy = structuredClone(given);
      assert.deepEqual(prepareArguments?.(given), taken);
      assert.deepEqual(given, copy);
    }
  });
});
