import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { contentOf } from "../../test/contracts/workspace.ts";
import { WORKSPACE_KINDS, plantWorkspace } from "../../test/contracts/planted-workspace.ts";
import type { PlantedFiles } from "../../test/contracts/planted-workspace.ts";
import { createMemoryWorkspace } from "../workspace/memory.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { createWriteTool, writeDefinition } from "./write.ts";

async function write(workspace: Workspace, path: string, content: string): Promise<string> {
  const result = await createWriteTool(workspace).execute("call", { path, content });
  const [block] = result.content;
  assert.ok(block?.type === "text");
  return block.text;
}

interface Case {
  readonly files?: PlantedFiles;
  readonly path: string;
  readonly content: string;
  readonly says?: string;
  readonly fails?: RegExp;
  /** Where the content lies afterwards; `path` if left out. */
  readonly lies?: string;
}

const CASES: Readonly<Record<string, Case>> = {
  "a new file is created with its folders": {
    path: "src/deep/a.ts",
    content: "one\ntwo\n",
    says: "Created src/deep/a.ts (2 lines, 8 bytes)",
  },
  "a file that is there is replaced": {
    files: { a: "longer than before" },
    path: "a",
    content: "é",
    says: "Replaced a (1 line, 2 bytes)",
  },
  "an empty content makes an empty file": {
    path: "a",
    content: "",
    says: "Created a (0 lines, 0 bytes)",
  },
  "content is written as given, line ends and marks too": {
    files: { a: "one\n" },
    path: "a",
    content: "\ufeffone\r\ntwo\r",
    says: "Replaced a (2 lines, 12 bytes)",
  },
  "a link is written through": {
    files: { "dot/rc": "old", rc: { link: "dot/rc" } },
    path: "rc",
    content: "new",
    says: "Replaced rc (1 line, 3 bytes)",
    lies: "dot/rc",
  },
  "all names of a file see the change": {
    files: { one: "old", two: { sameFileAs: "one" } },
    path: "two",
    content: "new",
    says: "Replaced two (1 line, 3 bytes)",
    lies: "one",
  },
  "a mention mark is dropped": {
    path: "@src/a.ts",
    content: "x",
    says: "Created @src/a.ts (1 line, 1 byte)",
    lies: "src/a.ts",
  },
  "a folder really named with a mention mark takes the file": {
    files: { "@scope/old.ts": "x" },
    path: "@scope/new.ts",
    content: "x",
    says: "Created @scope/new.ts (1 line, 1 byte)",
  },
  "odd spaces in a new name stay": {
    path: "a\u00a0b",
    content: "x",
    says: "Created a\u00a0b (1 line, 1 byte)",
  },
  "a name with control characters is shown escaped": {
    path: "a\u001bb",
    content: "x",
    says: "Created a\\x1bb (1 line, 1 byte)",
  },
  "a folder is refused": {
    files: { "src/a": "x" },
    path: "src",
    content: "x",
    fails: /src is a folder/,
  },
  "a name that ends with a slash is refused": {
    path: "src/",
    content: "x",
    fails: /ends with "\/", which names a folder/,
  },
  "a path through a file is refused": {
    files: { a: "x" },
    path: "a/b",
    content: "x",
    fails: /a.* is not a folder/,
  },
  "a FIFO is refused": {
    files: { p: { special: "fifo" } },
    path: "p",
    content: "x",
    fails: /p is a FIFO/,
  },
  "a folder that takes no files is named": {
    files: { shut: { folder: true, mode: 0o555 } },
    path: "shut/a",
    content: "x",
    fails: /Permission denied: .*shut\/a/,
  },
  "half a character is refused before anything is written": {
    files: { a: "old" },
    path: "a",
    content: "x\ud83d",
    fails: /half of a surrogate pair.*Nothing was written/,
  },
  "an empty path is refused": { path: "", content: "x", fails: /path is empty/ },
  "a NUL byte in the path is refused": { path: "a\0", content: "x", fails: /NUL byte/ },
};

for (const kind of WORKSPACE_KINDS) {
  describe(`write on the ${kind} workspace`, () => {
    for (const [title, { files, path, content, says, fails, lies }] of Object.entries(CASES)) {
      test(title, async () => {
        await using planted = await plantWorkspace(kind, files);
        const { workspace } = planted;
        if (fails) {
          const before = await workspace.list(workspace.cwd);
          await assert.rejects(write(workspace, path, content), { message: fails });
          assert.deepEqual(await workspace.list(workspace.cwd), before);
          return;
        }
        assert.equal(await write(workspace, path, content), says);
        const written = await contentOf(workspace, `${workspace.cwd}/${lies ?? path}`);
        assert.equal(written, content);
      });
    }
  });
}

describe("write", () => {
  test("claims the real path, of a new file the real folder and the name", async () => {
    const workspace = createMemoryWorkspace({ files: { "real/a": "x", alias: { link: "real" } } });
    const { claims, pure } = createWriteTool(workspace);
    const claimOf = (path: string): unknown => claims?.({ path, content: "" });
    assert.notEqual(pure, true);
    assert.deepEqual(await claimOf("alias/a"), [
      { on: "path", path: "/work/real/a", access: "write" },
    ]);
    assert.deepEqual(await claimOf("alias/new/b"), [
      { on: "path", path: "/work/real/new/b", access: "write" },
    ]);
    assert.deepEqual(await claimOf(""), []);
  });

  test("writes nothing after an abort", async () => {
    const workspace = createMemoryWorkspace({ files: { a: "old" } });
    const signal = AbortSignal.abort(new Error("stopped by the test"));
    const call = createWriteTool(workspace).execute("call", { path: "a", content: "new" }, signal);
    await assert.rejects(call, { message: "stopped by the test" });
    assert.equal(await contentOf(workspace, "/work/a"), "old");
  });

  test("leaves the last of several calls on one path, whatever link they name", async () => {
    const workspace = createMemoryWorkspace({ files: { a: "0", to: { link: "a" } } });
    const calls = ["1", "2", "3", "4"].map((content, index) =>
      write(workspace, index % 2 ? "a" : "to", content),
    );
    await Promise.all(calls);
    assert.equal(await contentOf(workspace, "/work/a"), "4");
  });

  test("shows a front end the first lines of a long content", () => {
    const definition = writeDefinition(createMemoryWorkspace());
    const rendered = definition.renderCall?.({ path: "a", content: "x\n".repeat(5000) });
    assert.equal(rendered?.lines.length, 201);
    assert.match(rendered?.lines.at(-1)?.text ?? "", /in all/);
  });
});
