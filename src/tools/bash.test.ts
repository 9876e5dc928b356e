// The bash tool with the real shell.
import assert from "node:assert/strict";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { textOf } from "../core/messages.ts";
import type { ToolResult } from "../core/tool.ts";
import { createLocalWorkspace } from "../workspace/local.ts";
import { createMemoryWorkspace } from "../workspace/memory.ts";
import { type BashDetails, createBashTool } from "./bash.ts";
import { OutputTail } from "./output-tail.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "errand-bash-")));
after(() => rmSync(folder, { recursive: true, force: true }));
const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" };
const workspace = createLocalWorkspace({ cwd: folder, env });
const bash = createBashTool(workspace);

interface Args {
  command: string;
  timeout?: number;
  parallel?: boolean;
}

async function run(args: Args | string, signal?: AbortSignal): Promise<ToolResult<BashDetails>> {
  return bash.execute("c1", typeof args === "string" ? { command: args } : args, signal);
}

async function text(args: Args | string): Promise<string> {
  return textOf((await run(args)).content);
}

describe("how a command ended", () => {
  const cases: [string, string, string, boolean][] = [
    ["its output", "echo hello; echo there >&2", "hello\nthere", false],
    ["nothing", "true", "(no output)", false],
    ["a code", "echo no; exit 3", "no\n\nCommand exited with code 3", true],
    ["a code without output", "exit 2", "Command exited with code 2", true],
    [
      "a signal",
      "echo a; kill -KILL $$",
      "a\n\nCommand was killed by SIGKILL (exit code 137)",
      true,
    ],
    ["grep without a match", "echo a | grep zzz", "Exit code 1: no line matched", false],
    [
      "a difference",
      "echo a > d1; echo b > d2; cmp -s d1 d2",
      "Exit code 1: the files differ",
      false,
    ],
    ["a failure of grep", "grep x no-such-file 2>/dev/null", "Command exited with code 2", true],
    ["exit 1 of anything else", "false", "Command exited with code 1", true],
    ["a pipeline, by its last command", "false | cat", "(no output)", false],
    ["a reader that stops reading", "yes | head -1", "y", false],
  ];
  for (const [title, command, said, isError] of cases) {
    test(title, async () => {
      const result = await run(command);
      assert.equal(textOf(result.content), said);
      assert.equal(result.isError ?? false, isError);
    });
  }

  test("a deadline, with the output so far", async () => {
    const result = await run({ command: "echo begun; sleep 600", timeout: 0.3 });
    assert.match(textOf(result.content), /^begun\n\nCommand timed out after 0\.3 s and was ended/);
    assert.equal(result.isError, true);
    assert.equal(result.details?.endedBy, "timeout");
  });

  test("an abort, with the output so far", async () => {
    const controller = new AbortController();
    const running = bash.execute(
      "c1",
      { command: "echo begun; sleep 600" },
      controller.signal,
      () => controller.abort(),
    );
    assert.equal(textOf((await running).content), "begun\n\nCommand aborted");
  });
});

test("a command runs in the workspace's folder, and cd does not carry over", async () => {
  mkdirSync(join(folder, "sub"));
  assert.equal(await text("cd sub; pwd"), join(folder, "sub"));
  assert.equal(await text("pwd"), folder);
});

test("a command that asks gets no answer and does not hang", async () => {
  assert.equal(await text("read x; echo got:$x"), "got:");
});

describe("output", () => {
  test("is text without escape codes, and a progress line is its last state", async () => {
    assert.equal(
      await text("printf '\\033[31mred\\033[0m\\n10%%\\r50%%\\rdone\\n\\033[5A\\033[?25lx'"),
      "red\ndone\nx",
    );
  });

  test("that is no UTF-8 shows replacement characters, and a character cut by a pipe's end is whole", async () => {
    assert.equal(await text("printf 'a\\351b'"), "a\uFFFDb");
    assert.equal(await text("printf 'caf\\303'; sleep 0.05; printf '\\251'"), "café");
  });

  test("of many lines keeps the end and the start, and the whole in a private file", async () => {
    const result = await run("seq 1 30000");
    const said = textOf(result.content);
    const path = result.details?.fullOutputPath ?? "";
    try {
      assert.match(said, /^1\n2\n3\n/);
      assert.match(said, /\n29999\n30000$/);
      assert.match(
        said,
        /\[Above: the first 2 KB\. Left out: the middle of 165 KB\. Below: the last 2000 of 30001 lines\. Full output: /,
      );
      assert.equal(readFileSync(path, "utf8").split("\n").length, 30_001);
      assert.equal(statSync(path).mode & 0o777, 0o600);
      assert.equal(result.details?.truncation?.truncatedBy, "lines");
    } finally {
      rmSync(join(path, ".."), { recursive: true });
    }
  });

  test("of one huge line is bounded by bytes", async () => {
    const result = await run("head -c 5000000 /dev/zero | tr '\\0' a");
    const said = textOf(result.content);
    assert.ok(said.length < 54_000, `${said.length}`);
    assert.match(said, /Left out: the middle of 4\.8 MB/);
    rmSync(join(result.details?.fullOutputPath ?? "", ".."), { recursive: true });
  });

  test("of 200 MB keeps memory flat and at most 64 MB on disk", async () => {
    const before = process.memoryUsage().arrayBuffers;
    const result = await run("head -c 200000000 /dev/zero | tr '\\0' '\\n'");
    const path = result.details?.fullOutputPath ?? "";
    try {
      assert.equal(statSync(path).size, 64 * 1024 * 1024);
      assert.match(textOf(result.content), /First 64\.0 MB: /);
      assert.ok(process.memoryUsage().arrayBuffers - before < 50_000_000);
    } finally {
      rmSync(join(path, ".."), { recursive: true });
    }
  });

  test("that cannot be kept in a file is a note, not a failure", () => {
    const output = new OutputTail(() => {
      throw new Error("disk full");
    });
    for (let n = 0; n < 100; n++) output.push(Buffer.from("x".repeat(10_000)));
    const shown = output.finish();
    assert.match(shown.text, /The whole could not be kept: disk full\.\]/);
    assert.equal(shown.fullOutputPath, undefined);
  });

  test("is told while it comes, at most ten times a second, bounded", async () => {
    const updates: ToolResult[] = [];
    await bash.execute(
      "c1",
      { command: "for i in 1 2 3 4 5 6; do echo $i; sleep 0.06; done" },
      undefined,
      (update) => updates.push(update),
    );
    assert.ok(updates.length >= 1 && updates.length <= 5, `${updates.length}`);
    assert.match(textOf(updates[0]?.content ?? []), /^1/);
  });
});

describe("claims", () => {
  const everything = (access: "read" | "write") => [{ on: "everything", access }];
  const proved = [
    "sleep 1",
    "ls -la",
    "cat 'a b.txt' \"c d\"",
    "echo hello",
    "pwd",
    "  head -5 x ",
    "wc -l x",
  ];
  const not = [
    "rm x",
    "ls; rm x",
    "ls | tee x",
    "cat x > y",
    "echo $(rm x)",
    "echo `rm x`",
    'echo "$(rm x)"',
    "ls &",
    "ls\nrm x",
    "X=1 ls",
    "./ls",
    "/bin/ls",
    "cat <(rm x)",
    "ls *",
    "ls ~",
    "echo 'open",
    "",
    "sleepy 1",
    "find . -delete",
    "ls && rm x",
  ];
  for (const command of proved) {
    test(`${JSON.stringify(command)} is proved to read only`, async () => {
      assert.deepEqual(await bash.claims?.({ command }), everything("read"));
      assert.equal(typeof bash.pure === "function" && (await bash.pure({ command })), true);
    });
  }
  for (const command of not) {
    test(`${JSON.stringify(command)} is a barrier`, async () => {
      assert.deepEqual(await bash.claims?.({ command }), everything("write"));
      assert.equal(typeof bash.pure === "function" && (await bash.pure({ command })), false);
    });
  }

  test("parallel: true reads everything, but is not pure", async () => {
    const args = { command: "npm test", parallel: true };
    assert.deepEqual(await bash.claims?.(args), everything("read"));
    assert.equal(typeof bash.pure === "function" && (await bash.pure(args)), false);
  });

  test("a program of the workspace's own is never trusted by its name", async () => {
    const bin = join(folder, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "cat"), "#!/bin/sh\ntouch pwned\n", { mode: 0o755 });
    const own = createBashTool(
      createLocalWorkspace({ cwd: folder, env: { PATH: `${bin}:${env.PATH}` } }),
    );
    assert.deepEqual(await own.claims?.({ command: "cat x" }), everything("write"));
  });
});

test("on a workspace without processes the command is refused with a reason", async () => {
  const memory = createBashTool(createMemoryWorkspace());
  await assert.rejects(memory.execute("c1", { command: "ls" }));
});
