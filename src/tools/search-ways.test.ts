// Ripgrep and our own search give the same answers, on any tree.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { plantWorkspace } from "../../test/contracts/planted-workspace.ts";
import { textOf } from "../core/messages.ts";
import { createLocalWorkspace } from "../workspace/local.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { createGrepTool } from "./grep.ts";

async function bothWays(
  workspace: Workspace,
  args: { pattern: string; path?: string; glob?: string; context?: number; literal?: boolean },
): Promise<[string, string]> {
  const all = { ...args, limit: 1000 };
  const [byRipgrep, byWalk] = await Promise.all([
    createGrepTool(workspace).execute("a", all),
    createGrepTool(workspace, { ripgrep: false }).execute("b", all),
  ]);
  return [textOf(byRipgrep.content), textOf(byWalk.content)];
}

const name = fc.constantFrom("a", "b.log", "c.ts", "gen", ".h", "B.LOG", "x y", "#d", "!e");
const path = fc
  .array(name, { minLength: 1, maxLength: 3 })
  .map((parts) => parts.map((part, n) => (n < parts.length - 1 ? `${part}.d` : part)).join("/"));
const rule = fc.constantFrom(
  "*.log",
  "!b.log",
  "/a",
  "gen.d/",
  "gen",
  "**/c.ts",
  "a.d/**",
  "!a.d/c.ts",
  "*.d/*.ts",
  ".h",
  "\\#d",
  "\\!e",
  "x y",
  "[ab]*",
  "?.ts",
  "# note",
  "",
  "*",
  "!*.ts",
);
const rules = fc.array(rule, { maxLength: 4 }).map((lines) => lines.join("\n"));
const tree = fc.record({
  files: fc.array(path, { minLength: 1, maxLength: 10 }),
  ignoreFiles: fc.dictionary(
    fc.constantFrom(".gitignore", ".ignore", "a.d/.gitignore", "gen.d/.gitignore", "a.d/.ignore"),
    rules,
    { maxKeys: 3 },
  ),
  repositories: fc.subarray([".git/HEAD", "a.d/.git/HEAD"]),
});

describe("both ways to search agree", () => {
  test("on random trees with random ignore files", async () => {
    await fc.assert(
      fc.asyncProperty(tree, async ({ files, ignoreFiles, repositories }) => {
        const planted = {
          ...Object.fromEntries(repositories.map((place) => [place, ""])),
          ...Object.fromEntries(files.map((place) => [place, "foo\nbar\n"])),
          ...ignoreFiles,
        };
        // Without a repository around it, ripgrep does not see one inside as a world of its own.
        fc.pre(repositories[0] !== "a.d/.git/HEAD");
        await using place = await plantWorkspace("local", planted);
        const [byRipgrep, byWalk] = await bothWays(place.workspace, { pattern: "foo" });
        assert.equal(byWalk, byRipgrep);
      }),
      { numRuns: 60 },
    );
  });

  const project = fileURLToPath(new URL("../..", import.meta.url));
  const searches = [
    { pattern: "export (?:async )?function \\w+" },
    { pattern: "readonly", path: "src/core", context: 2 },
    { pattern: "\\bworkspace\\.(?:open|list)\\b", glob: "*.ts" },
    { pattern: "license", path: "node_modules/typebox", glob: "*.json" },
    { pattern: "=>$", path: "src/lib" },
    { pattern: "no such text anywhere: \u0001", path: "src" },
    { pattern: "Promise<", literal: true, glob: "src/tools/**" },
  ];
  for (const args of searches) {
    test(`on this project: ${JSON.stringify(args)}`, async () => {
      const [byRipgrep, byWalk] = await bothWays(createLocalWorkspace({ cwd: project }), args);
      assert.equal(byWalk, byRipgrep);
    });
  }
});
