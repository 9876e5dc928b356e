// The bash tool with the real shell.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
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

const folder = realpathSync(mkdtempSync(join(tmpdir(), "errand-bash-")));
const spills = mkdtempSync(join(tmpdir(), "errand-bash-spill-"));
after(() => {
  rmSync(folder, { recursive: true, force: true });
  rmSync(spills, { recursive: true, force: true });
});
const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" };
const workspace = createLocalWorkspace({ cwd: folder, env });
const bash = createBashTool(workspace, { spillFolder: () => spills });

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
    ["grep without a match", "echo a | grep zzz", "[exit code 1: no match]", false],
    [
      "a difference",
      "echo a > d1; echo b > d2; cmp -s d1 d2",
      "[exit code 1: differences found]",
      false,
    ],
    [
      "an exit code that may be an earlier command's",
      "true && grep x /dev/null",
      "Command exited with code 1 (of its last command: no match)",
      true,
    ],
    [
      "a code that looks like a signal's",
      "exit 143",
      "Command exited with code 143 (128 + the number of SIGTERM)",
      true,
    ],
    ["bytes that are no text", "head -c 5 /dev/zero", "(5 bytes of output without text)", false],
    ["blank lines", "echo; echo", "(no output)", false],
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
    assert.equal(textOf((await running).content), "begun\n\nCommand was aborted");
  });
});

test("a command may open its outputs by their names", async () => {
  assert.equal(
    await text("echo a >/dev/stderr; echo b | tee /dev/stdout; sh -c 'echo c >/dev/stderr'"),
    "a\nb\nb\nc",
  );
});

test("a command runs in the workspace's folder, and cd does not carry over", async () => {
  mkdirSync(join(folder, "sub"));
  assert.equal(await text("cd sub; pwd"), join(folder, "sub"));
  assert.equal(await text("pwd"), folder);
});

describe("a command that asks", () => {
  const cases = {
    "reads stdin": ["read x; echo got:$x", /^got:$/],
    "reads the terminal": ["(read x </dev/tty) 2>&1; echo over", /\/dev\/tty.*\nover$/s],
    "opens an editor": [
      "git init -q . && git -c user.name=a -c user.email=b commit --allow-empty; echo over",
      /empty commit message\.\nover$/,
    ],
    "opens a pager": ["git -c core.pager=less --paginate version | head -c 11", /^git version$/],
    "wants a password": [
      "git ls-remote http://127.0.0.1:1/x.git 2>&1 | head -c 6; echo; echo over",
      /over$/,
    ],
  } as const;
  for (const [title, [command, answer]] of Object.entries(cases)) {
    test(`gets no answer and does not hang: ${title}`, async () => {
      assert.match(await text({ command, timeout: 20 }), answer);
    });
  }
});

describe("what a command leaves running", () => {
  test("is ended with it, and told", async () => {
    const result = await run("sleep 600 & setsid sleep 600 & sleep 0.1; echo up");
    assert.equal(
      textOf(result.content),
      "up\n\n[The command ended; 2 processes that it left running were ended with it.]",
    );
    assert.equal(result.isError ?? false, false);
    assert.equal(result.details?.endedProcesses, 2);
  });

  test("does not hold the deadline up, though it left for a session of its own", async () => {
    const startedAt = performance.now();
    const result = await run({ command: "setsid sleep 600 & sleep 600", timeout: 0.3 });
    assert.match(textOf(result.content), /^Command timed out after 0\.3 s and was ended\. If it/);
    assert.ok(performance.now() - startedAt < 3000);
  });

  test("hears TERM before it is forced", async () => {
    await run({ command: "trap 'touch cleaned' EXIT; sleep 600 & wait", timeout: 0.2 });
    assert.ok(statSync(join(folder, "cleaned")).isFile());
  });
});

describe("output", () => {
  test("of both streams comes in the order in which it was written", async () => {
    const lines = Array.from({ length: 200 }, (_, n) => `${n}`);
    assert.equal(
      await text("for i in $(seq 0 2 198); do echo $i; echo $((i+1)) >&2; done"),
      lines.join("\n"),
    );
  });

  test("is text without escape codes, and what was written over is gone", async () => {
    assert.equal(
      await text("printf '\\033[31mred\\033[0m\\n10%%\\r50%%\\rdone\\n\\033[5A\\033[?25lR'"),
      "Red\ndone",
    );
  });

  test("that is no UTF-8 is text all the same, and says so; a character cut by a pipe's end is whole", async () => {
    const result = await run("printf 'a\\351b'");
    assert.equal(
      textOf(result.content),
      "aéb\n\n[The output is no UTF-8; it is shown as windows-1252.]",
    );
    assert.equal(result.details?.decodedAs, "windows-1252");
    assert.equal(await text("printf 'caf\\303'; sleep 0.05; printf '\\251'"), "café");
  });

  test("of many lines keeps the end and the start, and the whole in a private file", async () => {
    const result = await run("seq 1 30000");
    const said = textOf(result.content);
    const path = result.details?.fullOutputPath ?? "";
    assert.match(said, /^1\n2\n3\n/);
    assert.match(said, /\n29999\n30000$/);
    const note =
      "\n\n[The middle is left out: above is the start, below are the last 2000 lines of 30000 lines (165 KB). Full output: ";
    assert.ok(said.includes(`${note}${path}]\n\n28001\n`), said.slice(2000, 3000));
    assert.equal(readFileSync(path, "utf8"), execFileSync("seq", ["1", "30000"]).toString());
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(statSync(join(path, "..")).mode & 0o777, 0o700);
    assert.equal(result.details?.truncation?.truncatedBy, "lines");
    assert.equal(result.details?.truncation?.totalLines, 30_000);
  });

  test("that start and end together hold is shown whole", async () => {
    const result = await run("seq 1 2400");
    assert.equal(textOf(result.content), execFileSync("seq", ["1", "2400"]).toString().trimEnd());
    assert.equal(result.details?.truncation, undefined);
    assert.equal(result.details?.fullOutputPath, undefined);
  });

  test("of one huge line is bounded by bytes", async () => {
    const result = await run("head -c 5000000 /dev/zero | tr '\\0' a");
    const said = textOf(result.content);
    assert.ok(said.length < 54_000, `${said.length}`);
    assert.match(
      said,
      /^a{2048}\n\n\[The middle .* below are the last 50 KB of 4\.8 MB\. .*\]\n\na{51200}$/,
    );
  });

  test("of 200 MB keeps memory flat and at most 64 MB on disk", async () => {
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().arrayBuffers);
    }, 20);
    const result = await run("head -c 200000000 /dev/zero | tr '\\0' '\\n'");
    clearInterval(watch);
    const path = result.details?.fullOutputPath ?? "";
    assert.equal(statSync(path).size, 64 * 1024 * 1024);
    assert.ok(textOf(result.content).includes(`The first 64.0 MB of it: ${path}]`));
    assert.ok(most - before < 40_000_000, `${most - before}`);
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
