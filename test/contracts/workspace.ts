// What every workspace promises, whatever it stands on.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { MemoryEntry } from "../../src/workspace/memory.ts";
import { WorkspaceError } from "../../src/workspace/workspace.ts";
import type { Workspace, WorkspaceErrorCode } from "../../src/workspace/workspace.ts";

/** A fresh workspace whose `cwd` holds `files`, used by someone who is not root. */
export type MakeWorkspace = (
  files: Readonly<Record<string, MemoryEntry>>,
) => Promise<{ workspace: Workspace } & AsyncDisposable>;

/**
 * Declares the suite's tests for one implementation. `isRoot`: the tests only play an ordinary user, which deceives all
 * calls but access(2).
 */
export function workspaceContract(
  name: string,
  make: MakeWorkspace,
  { isRoot = false }: { isRoot?: boolean } = {},
): void {
  describe(`the ${name} workspace`, () => {
    for (const [title, { files = {}, check, notAsRoot = false }] of Object.entries(CASES)) {
      test(title, { skip: isRoot && notAsRoot }, async () => {
        await using planted = await make(files);
        const { workspace } = planted;
        await check(workspace, (path) => `${workspace.cwd}/${path}`);
      });
    }
  });
}

/** The whole content of a file as text. */
export async function contentOf(workspace: Workspace, path: string): Promise<string> {
  const file = await workspace.open(path);
  try {
    const parts: Buffer[] = [];
    for (let position = 0; ;) {
      const into = Buffer.alloc(7);
      const length = await file.read(into, position);
      if (length === 0) return Buffer.concat(parts).toString("utf8");
      parts.push(into.subarray(0, length));
      position += length;
    }
  } finally {
    await file.close();
  }
}

interface Case {
  readonly notAsRoot?: boolean;
  readonly files?: Readonly<Record<string, MemoryEntry>>;
  check(workspace: Workspace, at: (path: string) => string): Promise<void>;
}

async function refuses(
  act: Promise<unknown>,
  code: WorkspaceErrorCode,
  pathPart: string,
): Promise<void> {
  await assert.rejects(act, (error) => {
    assert.ok(error instanceof WorkspaceError, `a WorkspaceError, not ${String(error)}`);
    assert.equal(error.code, code, error.message);
    assert.ok(error.message.includes(pathPart), `the sentence names the path: ${error.message}`);
    assert.match(error.message, /[.…]$/);
    return true;
  });
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const LOOKING: Readonly<Record<string, Case>> = {
  "stat tells kinds, sizes, modes and links, and undefined of what is not there": {
    files: {
      "a.txt": { file: "héllo", mode: 0o640 },
      sub: { folder: true, mode: 0o750 },
      "to-a": { link: "a.txt" },
      dangling: { link: "nothing" },
      pipe: { special: "fifo" },
      "b.txt": { sameFileAs: "a.txt" },
    },
    async check(workspace, at) {
      const file = await workspace.stat(at("a.txt"));
      assert.deepEqual([file?.kind, file?.size, file?.mode, file?.links], ["file", 6, 0o640, 2]);
      assert.equal((await workspace.stat(at("b.txt")))?.identity, file?.identity);
      assert.equal((await workspace.stat(at("to-a")))?.identity, file?.identity);
      const link = await workspace.stat(at("to-a"), { followLinks: false });
      assert.deepEqual([link?.kind, link?.size], ["link", 5]);
      const folder = await workspace.stat(at("sub"));
      assert.deepEqual([folder?.kind, folder?.mode], ["folder", 0o750]);
      assert.equal((await workspace.stat(at("pipe")))?.kind, "fifo");
      assert.equal(await workspace.stat(at("dangling")), undefined);
      assert.equal(await workspace.stat(at("none")), undefined);
      assert.equal(await workspace.stat(at("a.txt/below")), undefined);
    },
  },
  "list names everything, links as links, also in a folder that may be listed but not entered": {
    files: {
      "d/file": "x",
      "d/.hidden": "x",
      "d/sub": { folder: true },
      "d/gone": { link: "/no/such/place" },
      "d/loop": { link: "loop" },
      "d/line\nbreak": "x",
      d: { folder: true, mode: 0o444 },
    },
    async check(workspace, at) {
      const entries = await workspace.list(at("d"));
      assert.deepEqual(
        entries.map((entry) => `${entry.kind} ${JSON.stringify(entry.name)}`).toSorted(),
        [
          'file ".hidden"',
          'file "file"',
          'file "line\\nbreak"',
          'folder "sub"',
          'link "gone"',
          'link "loop"',
        ],
      );
      await refuses(workspace.stat(at("d/file")), "denied", "d/file");
    },
  },
  "list refuses what is no folder, what is missing and what may not be read": {
    files: { "a.txt": "x", shut: { folder: true, mode: 0o300 } },
    async check(workspace, at) {
      await refuses(workspace.list(at("a.txt")), "not_a_folder", "a.txt");
      await refuses(workspace.list(at("none")), "not_found", "none");
      await refuses(workspace.list(at("shut")), "denied", "shut");
    },
  },
  "readLink gives the text of a link, also of one to nothing": {
    files: { "a.txt": "x", one: { link: "../x/a b" } },
    async check(workspace, at) {
      assert.equal(await workspace.readLink(at("one")), "../x/a b");
      await refuses(workspace.readLink(at("a.txt")), "unsupported", "a.txt");
      await refuses(workspace.readLink(at("none")), "not_found", "none");
    },
  },
  "realPath resolves links, and keeps the part that does not exist": {
    files: {
      "real/a.txt": "x",
      alias: { link: "real" },
      "real/up": { link: "../alias/new" },
      loop: { link: "loop2" },
      loop2: { link: "loop" },
    },
    async check(workspace, at) {
      assert.equal(await workspace.realPath(at("alias/a.txt")), at("real/a.txt"));
      assert.equal(await workspace.realPath(at("alias/none/deep")), at("real/none/deep"));
      assert.equal(await workspace.realPath(at("alias/up")), at("real/new"));
      assert.equal(await workspace.realPath(at("alias/up/more")), at("real/new/more"));
      assert.equal(await workspace.realPath(at("real/a.txt/below")), at("real/a.txt/below"));
      assert.equal(await workspace.realPath("/"), "/");
      await refuses(workspace.realPath(at("loop/x")), "link_cycle", "loop");
    },
  },
  "findProgram finds executables by path, and nothing else": {
    files: { "bin/tool": { file: "#!/bin/sh\n", mode: 0o755 }, "bin/data": "x", "bin/sub/x": "x" },
    async check(workspace, at) {
      assert.equal(await workspace.findProgram("bin/tool"), at("bin/tool"));
      assert.equal(await workspace.findProgram(at("bin/tool")), at("bin/tool"));
      assert.equal(await workspace.findProgram("bin/data"), undefined);
      assert.equal(await workspace.findProgram("bin/sub"), undefined);
      assert.equal(await workspace.findProgram("no-such-program-here"), undefined);
      assert.equal(await workspace.findProgram(""), undefined);
    },
  },
};

const READING: Readonly<Record<string, Case>> = {
  "open reads from any position, through links, and 0 bytes at the end": {
    files: { "a.txt": "0123456789", to: { link: "a.txt" }, empty: "" },
    async check(workspace, at) {
      const file = await workspace.open(at("to"));
      const into = new Uint8Array(4);
      assert.equal(await file.read(into, 3), 4);
      assert.deepEqual(into, bytes("3456"));
      assert.equal(await file.read(into, 8), 2);
      assert.equal(await file.read(into, 10), 0);
      assert.equal(await file.read(into, 99), 0);
      assert.equal(file.stat.size, 10);
      await file.close();
      await file.close();
      assert.equal(await contentOf(workspace, at("empty")), "");
    },
  },
  "open refuses at once what is no regular file": {
    files: { pipe: { special: "fifo" }, "to-pipe": { link: "pipe" }, sub: { folder: true } },
    async check(workspace, at) {
      await refuses(workspace.open(at("pipe")), "not_a_file", "pipe");
      await refuses(workspace.open(at("to-pipe")), "not_a_file", "to-pipe");
      await refuses(workspace.open(at("sub")), "is_a_folder", "sub");
    },
  },
  "open tells apart missing, forbidden, cyclic and too long": {
    files: {
      secret: { file: "x", mode: 0o200 },
      "shut/a": "x",
      shut: { folder: true, mode: 0o600 },
      loop: { link: "loop" },
      dangling: { link: "nothing" },
      "a.txt": "x",
    },
    async check(workspace, at) {
      await refuses(workspace.open(at("none")), "not_found", "none");
      await refuses(workspace.open(at("dangling")), "not_found", "dangling");
      await refuses(workspace.open(at("a.txt/below")), "not_a_folder", "below");
      await refuses(workspace.open(at("secret")), "denied", "secret");
      await refuses(workspace.open(at("shut/a")), "denied", "shut/a");
      await refuses(workspace.open(at("loop")), "link_cycle", "loop");
      await refuses(workspace.open(at("n".repeat(256))), "name_too_long", "nnn");
    },
  },
  "an error's sentence shows control characters instead of printing them": {
    async check(workspace, at) {
      await assert.rejects(workspace.open(at("a\n\u001b[2Jb")), (error: Error) => {
        assert.ok(error.message.includes("a\\n\\x1b[2Jb"), JSON.stringify(error.message));
        return true;
      });
    },
  },
  "an open file keeps the content it was opened with when the file is replaced": {
    files: { "a.txt": "old content" },
    async check(workspace, at) {
      const file = await workspace.open(at("a.txt"));
      await workspace.replaceFile(at("a.txt"), bytes("NEW"));
      const into = new Uint8Array(20);
      assert.equal(await file.read(into, 0), 11);
      await file.close();
      assert.equal(await contentOf(workspace, at("a.txt")), "NEW");
    },
  },
};

const WRITING: Readonly<Record<string, Case>> = {
  "replaceFile creates a file with its folders, and then replaces it": {
    async check(workspace, at) {
      assert.deepEqual(await workspace.replaceFile(at("x/y/a.txt"), bytes("one")), {
        created: true,
      });
      assert.equal(await contentOf(workspace, at("x/y/a.txt")), "one");
      assert.deepEqual(await workspace.replaceFile(at("x/y/a.txt"), bytes("")), { created: false });
      assert.equal(await contentOf(workspace, at("x/y/a.txt")), "");
      assert.deepEqual(await workspace.list(at("x/y")), [{ name: "a.txt", kind: "file" }]);
    },
  },
  "replaceFile takes a copy of the bytes": {
    async check(workspace, at) {
      const content = bytes("one");
      await workspace.replaceFile(at("a"), content);
      content.fill(0);
      assert.equal(await contentOf(workspace, at("a")), "one");
    },
  },
  "replaceFile keeps the mode": {
    files: { script: { file: "old", mode: 0o751 }, open: { file: "old", mode: 0o666 } },
    async check(workspace, at) {
      await workspace.replaceFile(at("script"), bytes("new"));
      await workspace.replaceFile(at("open"), bytes("new"));
      assert.equal((await workspace.stat(at("script")))?.mode, 0o751);
      assert.equal((await workspace.stat(at("open")))?.mode, 0o666);
    },
  },
  "replaceFile writes through links and keeps them, also a link to nothing": {
    files: {
      "real.txt": "old",
      one: { link: "real.txt" },
      two: { link: "one" },
      dangling: { link: "new/made.txt" },
    },
    async check(workspace, at) {
      await workspace.replaceFile(at("two"), bytes("new"));
      assert.equal(await contentOf(workspace, at("real.txt")), "new");
      assert.equal(await workspace.readLink(at("two")), "one");
      assert.equal(await workspace.readLink(at("one")), "real.txt");
      assert.deepEqual(await workspace.replaceFile(at("dangling"), bytes("made")), {
        created: true,
      });
      assert.equal(await contentOf(workspace, at("new/made.txt")), "made");
      assert.equal(await workspace.readLink(at("dangling")), "new/made.txt");
    },
  },
  "replaceFile changes a file under all its names, longer and shorter": {
    files: { a: "12345", b: { sameFileAs: "a" } },
    async check(workspace, at) {
      for (const content of ["longer than it was", "short", ""]) {
        await workspace.replaceFile(at("b"), bytes(content));
        assert.equal(await contentOf(workspace, at("a")), content);
        assert.equal((await workspace.stat(at("a")))?.links, 2);
      }
    },
  },
  "replaceFile refuses folders, special files and whatever may not be written": {
    files: {
      sub: { folder: true },
      pipe: { special: "fifo" },
      shut: { folder: true, mode: 0o555 },
      "a.txt": "keep",
    },
    async check(workspace, at) {
      await refuses(workspace.replaceFile(at("sub"), bytes("x")), "is_a_folder", "sub");
      await refuses(workspace.replaceFile(at("pipe"), bytes("x")), "not_a_file", "pipe");
      await refuses(workspace.replaceFile(at("shut/new"), bytes("x")), "denied", "shut/new");
      await refuses(workspace.replaceFile(at("shut/x/y"), bytes("x")), "denied", "shut/x/y");
      await refuses(workspace.replaceFile(at("a.txt/x"), bytes("x")), "not_a_folder", "a.txt");
      await refuses(workspace.replaceFile(at("n".repeat(256)), bytes("x")), "name_too_long", "nnn");
      assert.equal(await contentOf(workspace, at("a.txt")), "keep");
      assert.deepEqual((await workspace.list(at("shut"))).length, 0);
    },
  },
  "replaceFile does not get around a file's own write protection": {
    notAsRoot: true,
    files: { fixed: { file: "keep", mode: 0o444 } },
    async check(workspace, at) {
      await refuses(workspace.replaceFile(at("fixed"), bytes("x")), "denied", "fixed");
      assert.equal(await contentOf(workspace, at("fixed")), "keep");
    },
  },
  "replaceFile works in a folder that takes no new files, and for the longest name": {
    files: {
      "shut/a.txt": "old",
      shut: { folder: true, mode: 0o555 },
      ["n".repeat(255)]: "old",
    },
    async check(workspace, at) {
      await workspace.replaceFile(at("shut/a.txt"), bytes("new"));
      assert.equal(await contentOf(workspace, at("shut/a.txt")), "new");
      await workspace.replaceFile(at("n".repeat(255)), bytes("new"));
      assert.equal(await contentOf(workspace, at("n".repeat(255))), "new");
    },
  },
  "a stat shows that a file was replaced": {
    files: { a: "same" },
    async check(workspace, at) {
      const before = await workspace.stat(at("a"));
      await workspace.replaceFile(at("a"), bytes("same"));
      const after = await workspace.stat(at("a"));
      assert.notDeepEqual(after, before);
    },
  },
  "makeFolder makes parents, and minds what is there": {
    files: { "a.txt": "x", there: { folder: true }, alias: { link: "there" } },
    async check(workspace, at) {
      await workspace.makeFolder(at("x/y/z"));
      await workspace.makeFolder(at("x/y/z"));
      assert.equal((await workspace.stat(at("x/y/z")))?.kind, "folder");
      await workspace.makeFolder(at("alias/new"));
      assert.equal((await workspace.stat(at("there/new")))?.kind, "folder");
      await refuses(workspace.makeFolder(at("a.txt")), "exists", "a.txt");
      await refuses(workspace.makeFolder(at("a.txt/x")), "not_a_folder", "a.txt/x");
    },
  },
  "remove takes files, empty folders and links, and nothing that is full": {
    files: {
      a: "x",
      b: { sameFileAs: "a" },
      "full/x": "x",
      empty: { folder: true },
      to: { link: "full" },
    },
    async check(workspace, at) {
      await workspace.remove(at("a"));
      assert.equal(await contentOf(workspace, at("b")), "x");
      assert.equal((await workspace.stat(at("b")))?.links, 1);
      await workspace.remove(at("empty"));
      await workspace.remove(at("to"));
      await refuses(workspace.remove(at("full")), "other", "full");
      await refuses(workspace.remove(at("none")), "not_found", "none");
      assert.deepEqual(
        (await workspace.list(workspace.cwd)).map((entry) => entry.name).toSorted(),
        ["b", "full"],
      );
    },
  },
};

const CASES: Readonly<Record<string, Case>> = { ...LOOKING, ...READING, ...WRITING };
