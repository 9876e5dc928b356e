// A literal search of a tree of 75,000 files, 5,000 folders and some 230 MB, of which ignore rules hide a part. The tree stays in the
// temporary folder for the next run: making it takes longer than all of the measuring.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { createGrepTool } from "../../src/tools/grep.ts";
import { createLocalWorkspace } from "../../src/workspace/local.ts";
import type { Figures, ToolRow } from "../tool-rows.ts";

/** The name changes with what is planted. */
const TREE = join(tmpdir(), "errand-bench-tree-75000-v1");
const FOLDERS = 5000;
const FILES = 75_000;
/** One file in so many holds the needle, once. */
const NEEDLE_EVERY = 2500;
const NEEDLE = "needleInTheTree";

export const searchRow: ToolRow = {
  name: "search",
  runs: 7,
  prepare: plantTree,
  sides: {
    bare: async () => timed(bareRipgrep),
    errand: async () => timed(() => search({})),
    "errand, own walker": async () => timed(() => search({ ripgrep: false })),
  },
};

async function timed(work: () => number | Promise<number>): Promise<Figures> {
  const startedAt = performance.now();
  const matches = await work();
  const took = performance.now() - startedAt;
  const wanted = FILES / NEEDLE_EVERY;
  if (matches !== wanted) throw new Error(`found ${matches} matches instead of ${wanted}`);
  return { "literal search of 75,000 files, ms": took };
}

/** What a user would type. */
function bareRipgrep(): number {
  const { stdout } = spawnSync(rgPath, ["--fixed-strings", "--line-number", NEEDLE, "./"], {
    cwd: TREE,
    encoding: "utf8",
  });
  return stdout.trimEnd().split("\n").length;
}

async function search(options: { ripgrep?: false }): Promise<number> {
  const tool = createGrepTool(createLocalWorkspace({ cwd: TREE }), options);
  const result = await tool.execute("call", { pattern: NEEDLE, literal: true });
  return result.details?.matches ?? 0;
}

function plantTree(): void {
  if (existsSync(TREE)) return;
  const growing = `${TREE}.${process.pid}`;
  rmSync(growing, { recursive: true, force: true });
  const next = numbers(75_000);
  for (let folder = 0; folder < FOLDERS; folder++) {
    const path = join(growing, folderPath(folder));
    mkdirSync(path, { recursive: true });
    for (let n = 0; n < FILES / FOLDERS; n++) {
      const index = folder * (FILES / FOLDERS) + n;
      const kind = ["ts", "js", "json", "md", "css"][next(5)] ?? "ts";
      writeFileSync(join(path, `file-${n}.${kind}`), sourceText(next, index));
    }
  }
  mkdirSync(join(growing, ".git"));
  writeFileSync(join(growing, ".git/HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(growing, ".gitignore"), "node_modules\n*.log\n/build\n!keep.log\n.cache/\n");
  for (let n = 0; n < 2000; n++) {
    const hidden = join(growing, n % 2 === 0 ? "node_modules" : "build", `p${n % 100}`);
    mkdirSync(hidden, { recursive: true });
    writeFileSync(join(hidden, `x${n}.js`), `${NEEDLE}\n`);
  }
  renameSync(growing, TREE);
}

function folderPath(folder: number): string {
  return `packages/area-${folder % 20}/module-${Math.floor(folder / 20) % 25}/src-${Math.floor(folder / 500)}`;
}

/** From 200 bytes to 20 KB, the small ones more often, in lines as of a program. */
function sourceText(next: (below: number) => number, index: number): string {
  const size = 200 + Math.floor(Math.exp((next(1000) / 1000) * Math.log(20_000)));
  let text = "";
  for (let line = 0; text.length < size; line++) {
    text += `${"  ".repeat(next(4))}const value${next(1000)} = await compute(${line}, "${next(1e6)}"); // note ${next(50)}\n`;
  }
  return index % NEEDLE_EVERY === 7 ? `${text}const ${NEEDLE} = 1;\n` : text;
}

/** The same numbers each time. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
