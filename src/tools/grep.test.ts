// One set of cases for every way to search: ripgrep, our own on the disk, our own in memory.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { plantWorkspace } from "../../test/contracts/planted-workspace.ts";
import type { PlantedFiles } from "../../test/contracts/planted-workspace.ts";
import { textOf } from "../core/messages.ts";
import { createMemoryWorkspace } from "../workspace/memory.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { createGrepTool, grepDefinition } from "./grep.ts";
import type { GrepDetails, GrepOptions } from "./grep.ts";
import { findRipgrep } from "./ripgrep.ts";

interface Args {
  pattern: string;
  path?: string;
  glob?: string;
  ignoreCase?: boolean;
  literal?: boolean;
  context?: number;
  limit?: number;
  ignored?: boolean;
}

async function grep(
  workspace: Workspace,
  args: Args,
  options?: GrepOptions,
): Promise<{ text: string; details: GrepDetails | undefined }> {
  const result = await createGrepTool(workspace, options).execute("call", args);
  return { text: textOf(result.content), details: result.details };
}

interface Case {
  readonly files: PlantedFiles;
  readonly args: Args;
  readonly says?: string | RegExp;
  readonly fails?: RegExp;
}

const lines = (count: number, text: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => `${text(n + 1)}\n`).join("");

const CASES: Readonly<Record<string, Case>> = {
  "matches come by path and line": {
    files: { "b/c.txt": "x\nfoo 1\n", "a.txt": "foo 2\ny\nfoo 3", "b.txt": "foo\n" },
    args: { pattern: "fo+" },
    says: "a.txt:1: foo 2\na.txt:3: foo 3\nb.txt:1: foo\nb/c.txt:2: foo 1",
  },
  "nothing found says so": {
    files: { a: "x" },
    args: { pattern: "foo" },
    says: "No matches found.",
  },
  "hidden files are searched, .git is not": {
    files: { ".env": "foo", ".git/config": "foo", "sub/.git": "foo", ".github/x": "foo" },
    args: { pattern: "foo" },
    says: ".env:1: foo\n.github/x:1: foo",
  },
  "ignore files count in their folder, and what they hide is told": {
    files: {
      ".git/HEAD": "",
      ".gitignore": "*.log\n/out\n!keep.log\n",
      "a.log": "foo",
      "keep.log": "foo",
      "out/x": "foo",
      "sub/.gitignore": "own.txt\n",
      "sub/own.txt": "foo",
      "sub/out/y": "foo",
      "other/own.txt": "foo",
    },
    args: { pattern: "foo" },
    says: "keep.log:1: foo\nother/own.txt:1: foo\nsub/out/y:1: foo\n\n[3 files or folders are skipped by ignore rules. Use ignored=true to look there too.]",
  },
  "ignored=true looks everywhere but into .git": {
    files: { ".git/HEAD": "foo", ".gitignore": "*.log\nout/\n", "a.log": "foo", "out/x": "foo" },
    args: { pattern: "foo", ignored: true },
    says: "a.log:1: foo\nout/x:1: foo",
  },
  "outside a repository ignore files count too": {
    files: { ".gitignore": "*.log\n", "a.log": "foo", "a.txt": "foo" },
    args: { pattern: "foo" },
    says: /^a\.txt:1: foo\n\n\[1 file or folder is skipped/,
  },
  ".ignore brings back what .gitignore leaves out, capitals count": {
    files: {
      ".git/HEAD": "",
      ".gitignore": "*.log\nBUILD\n",
      ".ignore": "!a.log\n",
      "a.log": "foo",
      "b.log": "foo",
      "build/x": "foo",
    },
    args: { pattern: "foo" },
    says: /^a\.log:1: foo\nbuild\/x:1: foo\n\n\[1 file/,
  },
  "a repository inside is a world of its own": {
    files: {
      ".git/HEAD": "",
      ".gitignore": "*\n!.gitignore\n",
      "inner/x.txt": "foo",
    },
    args: { pattern: "foo", path: "inner" },
    says: "x.txt:1: foo",
  },
  "rules of a repository end at one inside it": {
    files: {
      ".git/HEAD": "",
      ".gitignore": "*.txt\n",
      "inner/.git/HEAD": "",
      "inner/x.txt": "foo",
      "x.txt": "foo",
    },
    args: { pattern: "foo" },
    says: /^inner\/x\.txt:1: foo\n\n\[1 file/,
  },
  "a named folder is searched, though a rule hides all that is in it": {
    files: { ".git/HEAD": "", ".gitignore": "scripts/*\n", "scripts/x.sh": "foo" },
    args: { pattern: "foo", path: "scripts" },
    says: "x.sh:1: foo",
  },
  "a named folder is searched, though a rule hides it": {
    files: {
      ".git/HEAD": "",
      ".gitignore": "node_modules\n",
      "node_modules/p/x.js": "foo",
      "node_modules/p/.gitignore": "y.js\n",
      "node_modules/p/y.js": "foo",
    },
    args: { pattern: "foo", path: "node_modules/p" },
    says: /^x\.js:1: foo\n\n\[1 file/,
  },
  "a rule above a named folder still counts for single files in it": {
    files: {
      ".git/HEAD": "",
      ".gitignore": "*.log\n/src/gen\n",
      "src/a.log": "foo",
      "src/gen/b": "foo",
      "src/c": "foo",
    },
    args: { pattern: "foo", path: "src" },
    says: /^c:1: foo\n\n\[2 files or folders/,
  },
  "a named file is searched, though it is ignored": {
    files: { ".git/HEAD": "", ".gitignore": "*.log\n", "d/a.log": "x\nfoo\n" },
    args: { pattern: "foo", path: "d/a.log" },
    says: "a.log:2: foo",
  },
  "links are not followed, a named link is": {
    files: {
      "real/x": "foo",
      to: { link: "real" },
      "real/loop": { link: ".." },
      file: { link: "real/x" },
    },
    args: { pattern: "foo" },
    says: "real/x:1: foo",
  },
  "a link that is named leads on": {
    files: { "real/x": "foo", to: { link: "real" } },
    args: { pattern: "foo", path: "to" },
    says: "x:1: foo",
  },
  "what cannot be read is named": {
    files: {
      "a.txt": "foo",
      "shut/x": "foo",
      shut: { folder: true, mode: 0o000 },
      "secret.txt": { file: "foo", mode: 0o000 },
    },
    args: { pattern: "foo" },
    says: "a.txt:1: foo\n\n[Could not be read: secret.txt, shut.]",
  },
  "a glob without a slash is about names, and brings no ignored file back": {
    files: {
      ".git/HEAD": "",
      ".gitignore": "gen.ts\nnode_modules\n",
      "a.ts": "foo",
      "gen.ts": "foo",
      "b.js": "foo",
      "sub/c.ts": "foo",
      "node_modules/d.ts": "foo",
    },
    args: { pattern: "foo", glob: "*.ts" },
    says: /^a\.ts:1: foo\nsub\/c\.ts:1: foo\n\n\[2 files/,
  },
  "a glob with a slash is about paths from the root": {
    files: { "a.ts": "foo", "src/b.ts": "foo", "src/x/c.ts": "foo", "src/d.js": "foo" },
    args: { pattern: "foo", glob: "src/**/*.{ts,tsx}" },
    says: "src/b.ts:1: foo\nsrc/x/c.ts:1: foo",
  },
  "a glob may exclude": {
    files: { "a.ts": "foo", "a.test.ts": "foo", "d/b.test.ts": "foo" },
    args: { pattern: "foo", glob: "!*.test.ts" },
    says: "a.ts:1: foo",
  },
  "a glob may be a folder": {
    files: { "src/a.ts": "foo", "lib/b.ts": "foo" },
    args: { pattern: "foo", glob: "src/" },
    says: "src/a.ts:1: foo",
  },
  "a glob means nothing to a named file": {
    files: { "a.txt": "foo" },
    args: { pattern: "foo", path: "a.txt", glob: "*.ts" },
    says: "a.txt:1: foo",
  },
  "literal text is taken as it stands": {
    files: { a: "a.b(c)\naxb\n$1 [x]\\n\n" },
    args: { pattern: "a.b(", literal: true },
    says: "a:1: a.b(c)",
  },
  "capitals count unless told otherwise": {
    files: { a: "Foo\nfoo\nÉTÉ\n" },
    args: { pattern: "foo|été", ignoreCase: true },
    says: "a:1: Foo\na:2: foo\na:3: ÉTÉ",
  },
  "capitals count": { files: { a: "Foo\nfoo\n" }, args: { pattern: "foo" }, says: "a:2: foo" },
  "capitals do not count in literal text either": {
    files: { a: "x (FOO)\n" },
    args: { pattern: "(foo)", literal: true, ignoreCase: true },
    says: "a:1: x (FOO)",
  },
  "a pattern that begins with a dash is a pattern": {
    files: { a: "x --files\n" },
    args: { pattern: "--files" },
    says: "a:1: x --files",
  },
  "names may begin with a dash": {
    files: { "-rf": "foo", "--help/x": "foo" },
    args: { pattern: "foo" },
    says: "--help/x:1: foo\n-rf:1: foo",
  },
  "control characters in names and lines forge nothing": {
    files: { "a\nb.txt:9: x": "foo\u001b[31m\u0007\n", "c\u001b[2J": "foo\tbar" },
    args: { pattern: "foo" },
    says: "a\\nb.txt:9: x:1: foo\nc\\x1b[2J:1: foo\tbar",
  },
  "context lines have dashes, gaps have a line, neighbours are joined": {
    files: {
      a: lines(12, (n) => (n === 3 || n === 5 || n === 11 ? `foo ${n}` : `${n}`)),
      b: "foo",
    },
    args: { pattern: "foo", context: 1 },
    says: [
      "a-2- 2",
      "a:3: foo 3",
      "a-4- 4",
      "a:5: foo 5",
      "a-6- 6",
      "--",
      "a-10- 10",
      "a:11: foo 11",
      "a-12- 12",
      "--",
      "b:1: foo",
    ].join("\n"),
  },
  "a limit shows the first ones with their context, and tells the total": {
    files: { a: lines(9, (n) => (n % 4 === 1 ? "foo" : "-")), b: "foo\n" },
    args: { pattern: "foo", context: 1, limit: 2 },
    says: "a:1: foo\na-2- -\n--\na-4- -\na:5: foo\na-6- -\n\n[Showing 2 of 4 matches in 2 files. Use a narrower pattern, path or glob, or a higher limit.]",
  },
  "long lines are cut": {
    files: { a: `foo${"é".repeat(600)}\n` },
    args: { pattern: "foo" },
    says: `a:1: foo${"é".repeat(497)}... [truncated]`,
  },
  "of long lines the place of the match is shown": {
    files: { a: `${"é".repeat(5000)}foo${"b".repeat(5000)}\n` },
    args: { pattern: "fo+" },
    says: `a:1: [...] ${"é".repeat(100)}foo${"b".repeat(397)}... [truncated]`,
  },
  "of very long lines the start is shown": {
    files: { a: `${"a".repeat(3_000_000)}foo\nfoo\n` },
    args: { pattern: "fo+", context: 1 },
    says: `a:1: ${"a".repeat(500)}... [truncated]\na:2: foo`,
  },
  "lines end with a line feed, with or without a carriage return": {
    files: { a: "foo\r\nfoo bar\r\nx foo\r\n" },
    args: { pattern: "^foo$|foo$" },
    says: "a:1: foo\na:3: x foo",
  },
  "an empty line is a line": {
    files: { a: "\n\nx\n\n" },
    args: { pattern: "^$" },
    says: "a:1: \na:2: \na:4: ",
  },
  "binary files are not searched": {
    files: { a: Buffer.from("foo\n\0\n"), b: "foo" },
    args: { pattern: "foo" },
    says: "b:1: foo",
  },
  "a named binary file is told": {
    files: { a: Buffer.from("foo\n\0\n") },
    args: { pattern: "foo", path: "a" },
    says: /\/a is a binary file, which is not searched\.$/,
  },
  "broken UTF-8 is searched": {
    files: { a: Buffer.from("caf\xe9 foo\n", "latin1") },
    args: { pattern: "foo" },
    says: "a:1: caf\uFFFD foo",
  },
  "UTF-16 and a byte order mark are understood": {
    files: {
      a: Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("x\nfoo é\n", "utf16le")]),
      b: Buffer.from("\uFEFFfoo\n"),
    },
    args: { pattern: "^foo" },
    says: "a:2: foo é\nb:1: foo",
  },
  "look-around works": {
    files: { a: "foobar\nfoobaz\n" },
    args: { pattern: "foo(?!bar)" },
    says: "a:2: foobaz",
  },
  "classes that hold line breaks do not cross lines": {
    files: { a: "foo\n\nbar\nfoo bar\n" },
    args: { pattern: "foo\\s+bar|[^a-z]bar" },
    says: "a:4: foo bar",
  },
  "escapes that only ripgrep knows are understood": {
    files: { a: "a-b\nfoo_1\nxfoo\n" },
    args: { pattern: "a\\-b|\\<foo|[[:alpha:]]foo" },
    says: "a:1: a-b\na:2: foo_1\na:3: xfoo",
  },
  "a flag at the start is understood": {
    files: { a: "FOO\n" },
    args: { pattern: "(?i)foo" },
    says: "a:1: FOO",
  },
  "a pattern that is none is told, with the way out": {
    files: { a: "x" },
    args: { pattern: "foo(" },
    fails: /^The pattern is no valid regular expression: [^]*literal=true\.$/,
  },
  "a pattern with a line break is told": {
    files: { a: "x" },
    args: { pattern: "a\\nb" },
    fails: /^The pattern holds a line break/,
  },
  "an escaped backslash before n is no line break": {
    files: { a: "a\\nb\n" },
    args: { pattern: "a\\\\nb" },
    says: "a:1: a\\nb",
  },
  "an empty pattern is told": { files: {}, args: { pattern: "" }, fails: /^The pattern is empty/ },
  "a missing place is told with the nearest names": {
    files: { "source/a": "foo" },
    args: { pattern: "foo", path: "soruce" },
    fails: /^File not found: .*soruce\. Nearest names in .*: source/,
  },
  "many matches are cut by bytes, whole lines": {
    files: { a: lines(3000, () => `foo ${"x".repeat(96)}`) },
    args: { pattern: "foo", limit: 3000 },
    says: /^(a:\d+: foo x{96}\n)+\n\[Showing 4\d\d of 3000 matches in 1 file\./,
  },
};

const WAYS = {
  ripgrep: { kind: "local", options: {} },
  "our own search on the disk": { kind: "local", options: { ripgrep: false } },
  "our own search in memory": { kind: "memory", options: {} },
} as const;

for (const [way, { kind, options }] of Object.entries(WAYS)) {
  describe(`grep by ${way}`, () => {
    for (const [title, { files, args, says, fails }] of Object.entries(CASES)) {
      test(title, async () => {
        await using planted = await plantWorkspace(kind, files);
        if (fails) {
          await assert.rejects(grep(planted.workspace, args, options), { message: fails });
          return;
        }
        const { text } = await grep(planted.workspace, args, options);
        if (says instanceof RegExp) assert.match(text, says);
        else assert.equal(text, says);
      });
    }

    test("ends by itself when there is far too much", async () => {
      const much = { a: lines(30_000, () => "foo"), b: lines(30_000, () => "foo") };
      await using planted = await plantWorkspace(kind, much);
      const { text, details } = await grep(planted.workspace, { pattern: "foo" }, options);
      assert.match(text, /\n\n\[Showing 100 of more than 10000 matches\./);
      assert.deepEqual([details?.shown, details?.isPartial], [100, true]);
    });
  });
}

describe("grep", () => {
  test("uses the ripgrep that is installed, on this machine's disk only", async () => {
    await using planted = await plantWorkspace("local");
    assert.equal((await findRipgrep(planted.workspace))?.isBundled, true);
    assert.equal(await findRipgrep(createMemoryWorkspace()), undefined);
  });

  test("runs no ripgrep that lies in the workspace", async () => {
    const memory = createMemoryWorkspace({ files: { rg: "" } });
    const place = (path: string): Workspace => ({
      ...memory,
      findProgram: async (name) => (name === "rg" ? path : undefined),
    });
    assert.equal(await findRipgrep(place("/work/node_modules/.bin/rg")), undefined);
    assert.deepEqual(await findRipgrep(place("/usr/bin/rg")), {
      program: "/usr/bin/rg",
      isBundled: false,
    });
  });

  test("gives up on a pattern that never ends", async () => {
    const workspace = createMemoryWorkspace({ files: { a: `${"a".repeat(40)}!\n` } });
    await assert.rejects(
      grep(workspace, { pattern: "^(a+)+$" }),
      /took more than 2 s on one file: make it simpler/,
    );
  });

  test("stops when it is aborted", async () => {
    const workspace = createMemoryWorkspace({ files: { a: "foo" } });
    const signal = AbortSignal.abort(new Error("stopped"));
    const call = createGrepTool(workspace).execute("call", { pattern: "foo" }, signal);
    await assert.rejects(call, { message: "stopped" });
  });

  test("is pure, reads its place with links resolved, and is there by request only", async () => {
    const workspace = createMemoryWorkspace({ files: { "d/x": "", to: { link: "d" } } });
    const definition = grepDefinition(workspace);
    assert.equal(definition.pure, true);
    assert.equal(definition.defaultActive, false);
    assert.deepEqual(await definition.claims?.({ pattern: "x", path: "to" }), [
      { on: "path", path: "/work/d", access: "read" },
    ]);
  });
});
