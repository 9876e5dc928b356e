import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { WORKSPACE_KINDS, plantWorkspace } from "../../test/contracts/planted-workspace.ts";
import type { PlantedFiles } from "../../test/contracts/planted-workspace.ts";
import { textOf } from "../core/messages.ts";
import { createMemoryWorkspace } from "../workspace/memory.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { createFindTool, findDefinition } from "./find.ts";

interface Args {
  pattern: string;
  path?: string;
  limit?: number;
  ignored?: boolean;
}

async function find(workspace: Workspace, args: Args): Promise<string> {
  return textOf((await createFindTool(workspace).execute("call", args)).content);
}

interface Case {
  readonly files: PlantedFiles;
  readonly args: Args;
  readonly says?: string | RegExp;
  readonly fails?: RegExp;
}

const CASES: Readonly<Record<string, Case>> = {
  "a pattern without a slash is about names anywhere, folders too": {
    files: { "a.ts": "", "src/b.ts": "", "src/b.js": "", "x.ts/y": "" },
    args: { pattern: "*.ts" },
    says: "a.ts\nsrc/b.ts\nx.ts/",
  },
  "a pattern with a slash is about paths from the root": {
    files: { "a.test.ts": "", "src/a.test.ts": "", "src/x/b.test.ts": "", "lib/src/c.test.ts": "" },
    args: { pattern: "src/**/*.test.ts" },
    says: "src/a.test.ts\nsrc/x/b.test.ts",
  },
  "two stars and a slash are any folder": {
    files: { "a.md": "", "d/e/b.md": "" },
    args: { pattern: "**/*.md" },
    says: "a.md\nd/e/b.md",
  },
  "small letters match capitals, capitals only themselves": {
    files: { "README.md": "", "docs/readme.md": "" },
    args: { pattern: "readme*" },
    says: "README.md\ndocs/readme.md",
  },
  "capitals match only themselves": {
    files: { "README.md": "", "docs/readme.md": "" },
    args: { pattern: "README*" },
    says: "README.md",
  },
  "a folder is found by its name": {
    files: { "a/test/x": "", "test.txt": "" },
    args: { pattern: "test/" },
    says: "a/test/",
  },
  "hidden files are found, .git is not entered": {
    files: { ".env": "", ".git/config": "", ".github/x": "" },
    args: { pattern: "*" },
    says: ".env\n.github/\n.github/x",
  },
  "links are found and not followed": {
    files: { "d/x": "", to: { link: "d" }, "d/up": { link: ".." } },
    args: { pattern: "*" },
    says: "d/\nd/up\nd/x\nto",
  },
  "ignore files count for their own folder only": {
    files: { "a/.gitignore": "x.txt\n", "a/x.txt": "", "b/x.txt": "" },
    args: { pattern: "x.txt" },
    says: "b/x.txt\n\n[1 file or folder is skipped by ignore rules. Use ignored=true to look there too.]",
  },
  "a star in an ignore file of a folder hides that folder's files only": {
    files: { ".venv/.gitignore": "*\n", ".venv/a.py": "", "b.py": "" },
    args: { pattern: "*.py" },
    says: /^b\.py\n\n\[2 files/,
  },
  "ignored=true finds everything": {
    files: { ".gitignore": "node_modules\n", "node_modules/a.js": "" },
    args: { pattern: "*.js", ignored: true },
    says: "node_modules/a.js",
  },
  "a named folder is looked into, though it is ignored": {
    files: { ".gitignore": "scripts/*\nout\n", "scripts/a.sh": "", "out/b.sh": "" },
    args: { pattern: "*.sh", path: "scripts" },
    says: "a.sh",
  },
  "nothing found says so, and what was skipped": {
    files: { ".gitignore": "*.log\n", "a.log": "" },
    args: { pattern: "*.log" },
    says: "No files found.\n\n[1 file or folder is skipped by ignore rules. Use ignored=true to look there too.]",
  },
  "what cannot be read is named": {
    files: { "shut/x": "", shut: { folder: true, mode: 0o000 }, "open/x": "" },
    args: { pattern: "x" },
    says: "open/x\n\n[Could not be read: shut.]",
  },
  "too many are those nearest to the root, in order, with the total": {
    files: { "a/b/c/1": "", "a/2": "", "3": "", "d/4": "" },
    args: { pattern: "[0-9]", limit: 3 },
    says: "3\na/2\nd/4\n\n[Showing 3 of 4 paths. Use a narrower pattern or folder, or a higher limit.]",
  },
  "names with control characters are one line each": {
    files: { "a\nb": "", "c\u001b[2J": "", "-rf": "" },
    args: { pattern: "*" },
    says: "-rf\na\\nb\nc\\x1b[2J",
  },
  "braces and classes mean what they mean in a shell": {
    files: { "a.ts": "", "b.tsx": "", "c.js": "", "[x]": "", "+(a)": "" },
    args: { pattern: "*.{ts,tsx}" },
    says: "a.ts\nb.tsx",
  },
  "a file is no place to look in": {
    files: { a: "" },
    args: { pattern: "*", path: "a" },
    fails: /a is a file, not a folder/,
  },
  "an empty pattern is told": { files: {}, args: { pattern: "" }, fails: /is empty/ },
  "a pattern that excludes is told": {
    files: {},
    args: { pattern: "!*.ts" },
    fails: /leave out the !/,
  },
};

for (const kind of WORKSPACE_KINDS) {
  describe(`find on the ${kind} workspace`, () => {
    for (const [title, { files, args, says, fails }] of Object.entries(CASES)) {
      test(title, async () => {
        await using planted = await plantWorkspace(kind, files);
        if (fails) {
          await assert.rejects(find(planted.workspace, args), { message: fails });
          return;
        }
        const text = await find(planted.workspace, args);
        if (says instanceof RegExp) assert.match(text, says);
        else assert.equal(text, says);
      });
    }
  });
}

describe("find", () => {
  test("shows 1,000 paths at most, and at most 50 KB of them", async () => {
    const names = Array.from({ length: 3000 }, (_, n) => `${n}`.padStart(60, "x"));
    const workspace = createMemoryWorkspace({
      files: Object.fromEntries(names.map((name) => [name, ""])),
    });
    const text = await find(workspace, { pattern: "*" });
    assert.ok(Buffer.byteLength(text) < 52_000);
    assert.match(text, /\n\n\[Showing 8\d\d of 3000 paths\./);
  });

  test("is pure, reads its place with links resolved, and is there by request only", async () => {
    const workspace = createMemoryWorkspace({ files: { "d/x": "", to: { link: "d" } } });
    const definition = findDefinition(workspace);
    assert.equal(definition.pure, true);
    assert.equal(definition.defaultActive, false);
    assert.deepEqual(await definition.claims?.({ pattern: "*", path: "to" }), [
      { on: "path", path: "/work/d", access: "read" },
    ]);
  });

  test("stops when it is aborted", async () => {
    const workspace = createMemoryWorkspace({ files: { a: "" } });
    const signal = AbortSignal.abort(new Error("stopped"));
    const call = createFindTool(workspace).execute("call", { pattern: "*" }, signal);
    await assert.rejects(call, { message: "stopped" });
  });
});
