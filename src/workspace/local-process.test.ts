// Real commands in a real shell.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { CALL_MARK, runProcess } from "./local-process.ts";
import type { ProcessEnd } from "./workspace.ts";
import type { LocalProcessRequest } from "./local-process.ts";
import { livingProcesses } from "./local-survivors.ts";

const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" };

async function run(
  command: LocalProcessRequest["command"],
  more: Partial<LocalProcessRequest> = {},
): Promise<ProcessEnd & { output: string; ms: number }> {
  const chunks: Uint8Array[] = [];
  const startedAt = performance.now();
  const end = await runProcess({
    command,
    cwd: "/",
    env,
    onOutput: (chunk) => chunks.push(Buffer.from(chunk)),
    ...more,
  });
  return { ...end, output: Buffer.concat(chunks).toString(), ms: performance.now() - startedAt };
}

/** Whoever carries the text in its environment and lives. */
function survivors(mark: string): number[] {
  return livingProcesses({ group: -1, mark }) ?? [];
}

function nobodyIsLeft(mark: string): void {
  assert.deepEqual(survivors(mark), []);
}

let marks = 0;
const marked = (): { mark: string; env: Record<string, string> } => {
  const mark = `${process.pid}-${++marks}-${Date.now()}`;
  return { mark, env: { ...env, TEST_MARK: mark } };
};

test("a command gives its output in order, its exit code, and has no stdin", async () => {
  const end = await run("echo a; echo b >&2; echo c; cat; exit 3", { mergeStreams: true });
  assert.deepEqual([end.output, end.code, end.signal], ["a\nb\nc\n", 3, null]);
  assert.deepEqual([end.endedBy, end.endedProcesses], ["itself", 0]);
});

test("a program with arguments runs without a shell", async () => {
  assert.equal((await run(["echo", "$HOME; x"])).output, "$HOME; x\n");
});

test("a command runs in its folder, with its environment, and does not wait for people", async () => {
  const { output } = await run(
    "pwd; echo $GIT_TERMINAL_PROMPT $PAGER $X; PAGER=less; echo $PAGER",
    {
      cwd: "/usr",
      env: { ...env, X: "y" },
    },
  );
  assert.equal(output, "/usr\n0 cat y\nless\n");
});

test("a command has no terminal to ask on", async () => {
  const { output } = await run("(read x </dev/tty) 2>&1; echo over");
  assert.match(output, /\/dev\/tty.*\nover\n$/s);
});

test("stdout and stderr are told apart", async () => {
  const said: string[] = [];
  for (const command of ["echo a; echo b >&2", ["sh", "-c", "echo a; echo b >&2"]] as const) {
    await run(command, { onOutput: (chunk, stream) => said.push(`${stream} ${String(chunk)}`) });
  }
  assert.deepEqual(said.toSorted(), ["stderr b\n", "stderr b\n", "stdout a\n", "stdout a\n"]);
});

describe("death by a signal", () => {
  for (const mergeStreams of [true, false]) {
    const how = mergeStreams ? "merged" : "apart";
    test(`is told, and an exit code of the same number is not one (${how})`, async () => {
      const killed = await run("echo a; kill -KILL $$", { mergeStreams });
      assert.deepEqual([killed.output, killed.code, killed.signal], ["a\n", null, "SIGKILL"]);
      const crashed = await run("kill -SEGV $$", { mergeStreams });
      assert.deepEqual([crashed.output, crashed.code, crashed.signal], ["", null, "SIGSEGV"]);
      const exited = await run("exit 137", { mergeStreams });
      assert.deepEqual([exited.code, exited.signal], [137, null]);
    });
  }

  test("is told of a program without a shell", async () => {
    assert.equal((await run(["sh", "-c", "kill -TERM $$"])).signal, "SIGTERM");
  });
});

test("a command that signals its parent does not reach us", async () => {
  let heard = 0;
  const hear = (): void => void heard++;
  process.on("SIGTERM", hear);
  try {
    for (const command of [
      "exec sh -c 'kill -TERM $PPID'",
      "kill -TERM $PPID",
      "kill -TERM 0",
      "sh -c 'kill -TERM $PPID'",
    ]) {
      assert.equal((await run(command)).signal, "SIGTERM", command);
    }
  } finally {
    process.off("SIGTERM", hear);
  }
  assert.equal(heard, 0);
});

describe("a command that cannot be started", () => {
  const cases = {
    "no such program": [["no-such-program-here"], {}, "no-such-program-here was not found."],
    "no such folder": [
      "true",
      { cwd: "/no/such/folder" },
      "The folder /no/such/folder is not there (any more), so nothing can run in it.",
    ],
    "a file for a folder": [
      "true",
      { cwd: "/etc/passwd" },
      "The folder /etc/passwd is not there (any more), so nothing can run in it.",
    ],
    "a NUL character": ["echo a\0b", {}, "The command holds a NUL character."],
    "a command of 200 KB": [
      `: ${"x".repeat(200_000)}`,
      {},
      "The command is longer than the system takes at once (128 KB). Write it to a file and run that.",
    ],
  } as const;
  for (const [title, [command, more, message]] of Object.entries(cases)) {
    test(`is a sentence: ${title}`, async () => {
      await assert.rejects(run(command, more), { name: "WorkspaceError", message });
    });
  }
});

describe("the end of the command ends the call", () => {
  test("though a child in the background holds its pipes, and the child is ended too", async () => {
    const { mark, env: own } = marked();
    const { output, code, endedProcesses, ms } = await run("sleep 600 & echo up", { env: own });
    assert.deepEqual([output, code, endedProcesses], ["up\n", 0, 1]);
    assert.ok(ms < 5000, `${ms} ms`);
    nobodyIsLeft(mark);
  });

  test("though a child that talks without end holds its pipes", async () => {
    const { mark, env: own } = marked();
    const { code, ms } = await run("(while :; do echo x; sleep 0.01; done) & exit 0", { env: own });
    assert.equal(code, 0);
    assert.ok(ms < 5000, `${ms} ms`);
    nobodyIsLeft(mark);
  });

  test("though a child has left for a session of its own", async () => {
    const { mark, env: own } = marked();
    const { output, endedProcesses } = await run("setsid sleep 600 & sleep 0.1; echo up", {
      env: own,
    });
    assert.deepEqual([output, endedProcesses], ["up\n", 1]);
    nobodyIsLeft(mark);
  });

  test("though a child left for another session and holds no pipe", async () => {
    const { mark, env: own } = marked();
    const command = "(setsid sh -c 'sleep 600; :' >/dev/null 2>&1 &); sleep 0.1; echo up";
    const { output, endedProcesses } = await run(command, { env: own });
    assert.deepEqual([output, endedProcesses], ["up\n", 2]);
    nobodyIsLeft(mark);
  });

  test("and nobody who was there before is touched", async () => {
    const { mark, env: own } = marked();
    const controller = new AbortController();
    const begun = Promise.withResolvers<void>();
    const other = run("echo begun; sleep 600", {
      env: own,
      signal: controller.signal,
      onOutput: () => begun.resolve(),
    });
    await begun.promise;
    await run("sleep 600 & setsid sleep 600 & echo up");
    assert.ok(survivors(mark).length > 0);
    controller.abort();
    assert.equal((await other).endedBy, "abort");
    nobodyIsLeft(mark);
  });
});

describe("the deadline", () => {
  test("ends the command and keeps what it said", async () => {
    const { output, endedBy, ms } = await run("echo begun; sleep 600", { timeoutMs: 200 });
    assert.deepEqual([output, endedBy], ["begun\n", "timeout"]);
    assert.ok(ms < 5000, `${ms} ms`);
  });

  test("lets a command clean up", async () => {
    const folder = mkdtempSync(join(tmpdir(), "errand-"));
    try {
      await run(`trap 'echo cleaned > "${folder}/mark"; exit' TERM; while :; do sleep 0.05; done`, {
        timeoutMs: 300,
      });
      assert.equal(readFileSync(join(folder, "mark"), "utf8"), "cleaned\n");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("forces a command that does not listen, with all its children, also those that left the group", async () => {
    const { mark, env: own } = marked();
    const { endedBy, ms } = await run(
      "trap '' TERM; setsid sleep 600 & (setsid sh -c 'sleep 600 & sleep 600' &) ; while :; do sleep 0.1; done",
      { env: own, timeoutMs: 300 },
    );
    assert.equal(endedBy, "timeout");
    assert.ok(ms < 5000, `${ms} ms`);
    nobodyIsLeft(mark);
  });
});

describe("an abort", () => {
  test("ends the command", async () => {
    const { mark, env: own } = marked();
    const controller = new AbortController();
    const running = run("echo begun; (while :; do :; done) & wait", {
      env: own,
      signal: controller.signal,
      onOutput: () => controller.abort(),
    });
    assert.equal((await running).endedBy, "abort");
    nobodyIsLeft(mark);
  });

  test("settles within 700 ms, though the command and its children hear no TERM", async () => {
    const { mark, env: own } = marked();
    const controller = new AbortController();
    let abortedAt = 0;
    await run("trap '' TERM; (while :; do sleep 0.05; done) & echo begun; while :; do :; done", {
      env: own,
      signal: controller.signal,
      onOutput: () => {
        abortedAt ||= performance.now();
        controller.abort();
      },
    });
    const took = performance.now() - abortedAt;
    assert.ok(took < 700, `${took} ms`);
    nobodyIsLeft(mark);
  });

  test("settles in time too while the command has ended and others hold its pipes", async () => {
    const { mark, env: own } = marked();
    const controller = new AbortController();
    let abortedAt = 0;
    await run("(trap '' TERM; while :; do echo x; sleep 0.01; done) & echo up", {
      env: own,
      signal: controller.signal,
      // Both happen: it is aborted just before the command's end, or in the wait after it.
      onOutput: () => {
        abortedAt ||= performance.now();
        setImmediate(() => controller.abort());
      },
    });
    const took = performance.now() - abortedAt;
    assert.ok(took < 700, `${took} ms`);
    nobodyIsLeft(mark);
  });

  test("before the start starts nothing", async () => {
    const controller = new AbortController();
    controller.abort();
    const { endedBy, output } = await run("echo x", { signal: controller.signal });
    assert.deepEqual([endedBy, output], ["abort", ""]);
  });
});

test("a harness run by a command is found for the call around it", async () => {
  const { output } = await run(`echo $${CALL_MARK}`, { env: { ...env, [CALL_MARK]: "outer" } });
  assert.match(output, /^outer:[0-9a-f-]{36}\n$/);
});

test("every command carries a mark of its own", async () => {
  const [a, b] = await Promise.all([run(`echo $${CALL_MARK}`), run(`echo $${CALL_MARK}`)]);
  assert.match(a.output, /^[0-9a-f-]{36}\n$/);
  assert.notEqual(a.output, b.output);
});

test("much output passes through in small pieces", async () => {
  let bytes = 0;
  let largest = 0;
  const { code } = await run("head -c 50000000 /dev/zero", {
    onOutput: (chunk) => {
      bytes += chunk.length;
      largest = Math.max(largest, chunk.length);
    },
  });
  assert.deepEqual([code, bytes], [0, 50_000_000]);
  assert.ok(largest <= 1024 * 1024, `${largest}`);
});

test("a script that is handed in as a file runs as it stands", async () => {
  const folder = mkdtempSync(join(tmpdir(), "errand-"));
  try {
    writeFileSync(join(folder, "a b.sh"), "echo ran $1");
    assert.equal((await run(["sh", "a b.sh", "x"], { cwd: folder })).output, "ran x\n");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
