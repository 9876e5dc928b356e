// Real commands in a real shell.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { CALL_MARK, type LocalProcessRequest, runProcess } from "./local-process.ts";
import { markedProcesses } from "./local-survivors.ts";
import type { ProcessEnd } from "./workspace.ts";

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
    onOutput: (chunk) => chunks.push(chunk),
    ...more,
  });
  return { ...end, output: Buffer.concat(chunks).toString(), ms: performance.now() - startedAt };
}

/** Waits, bounded, until no process is marked with this text. */
async function nobodyIsLeft(mark: string): Promise<void> {
  for (let n = 0; n < 100; n++) {
    if (markedProcesses("TEST_MARK", mark).length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail(`still there: ${markedProcesses("TEST_MARK", mark).join()}`);
}

let marks = 0;
const marked = (): { mark: string; env: Record<string, string> } => {
  const mark = `${process.pid}-${++marks}-${Date.now()}`;
  return { mark, env: { ...env, TEST_MARK: mark } };
};

test("a command gives its output in order, its exit code, and has no stdin", async () => {
  const { output, code, signal, endedBy } = await run("echo a; echo b >&2; echo c; cat; exit 3");
  assert.deepEqual([output, code, signal, endedBy], ["a\nb\nc\n", 3, null, "itself"]);
});

test("a program with arguments runs without a shell", async () => {
  assert.equal((await run(["echo", "$HOME; x"])).output, "$HOME; x\n");
});

test("a command runs in its folder, with its environment, and does not wait for people", async () => {
  const { output } = await run("pwd; echo $GIT_TERMINAL_PROMPT $PAGER $X; PAGER=less; echo $PAGER", {
    cwd: "/usr",
    env: { ...env, X: "y" },
  });
  assert.equal(output, "/usr\n0 cat y\nless\n");
});

test("a command has no terminal to ask on", async () => {
  const { output } = await run("(read x </dev/tty) 2>&1; echo over");
  assert.match(output, /\/dev\/tty.*\nover\n$/s);
});

test("death by a signal is told", async () => {
  const { output, code, signal } = await run("echo a; kill -KILL $$");
  assert.deepEqual([output, code, signal], ["a\n", null, "SIGKILL"]);
});

test("a program that is not there, or a folder that is gone, is a sentence", async () => {
  await assert.rejects(run(["no-such-program-here"]), /no-such-program-here was not found/);
  await assert.rejects(run("true", { cwd: "/no/such/folder" }), /folder \/no\/such\/folder is gone/);
});

describe("the end of the command ends the call", () => {
  test("though a child in the background holds its pipes, and the child is ended too", async () => {
    const { mark, env: own } = marked();
    const { output, code, ms } = await run("sleep 600 & echo up", { env: own });
    assert.deepEqual([output, code], ["up\n", 0]);
    assert.ok(ms < 5000, `${ms} ms`);
    await nobodyIsLeft(mark);
  });

  test("though a child that talks without end holds its pipes", async () => {
    const { mark, env: own } = marked();
    const { code, ms } = await run("(while :; do echo x; sleep 0.01; done) & exit 0", { env: own });
    assert.equal(code, 0);
    assert.ok(ms < 5000, `${ms} ms`);
    await nobodyIsLeft(mark);
  });

  test("though a child has left for a session of its own", async () => {
    const { mark, env: own } = marked();
    const { output } = await run("setsid sleep 600 & sleep 0.1; echo up", { env: own });
    assert.equal(output, "up\n");
    await nobodyIsLeft(mark);
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
    await nobodyIsLeft(mark);
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
    await nobodyIsLeft(mark);
  });

  test("before the start starts nothing", async () => {
    const controller = new AbortController();
    controller.abort();
    const { endedBy, output } = await run("echo x", { signal: controller.signal });
    assert.deepEqual([endedBy, output], ["abort", ""]);
  });
});

test("a command that signals its parent does not reach us", async () => {
  const { endedBy, code } = await run("exec sh -c 'kill -TERM $PPID; exit 4'");
  assert.deepEqual([endedBy, code], ["itself", 4]);
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
