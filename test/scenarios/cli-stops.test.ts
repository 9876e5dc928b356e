// How the command ends otherwise than by its answer: signals, readers who went away, bugs.
import assert from "node:assert/strict";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { type ServerTurn, startModelServer } from "../../src/testing/index.ts";
import { jsonLines, runErrand, startErrand } from "../kit/errand-process.ts";

const cwd = mkdtempSync(join(tmpdir(), "errand-stops-"));
after(() => rmSync(cwd, { recursive: true, force: true }));
writeFileSync(join(cwd, "a.txt"), "one\n");

/** Code that node runs before ours: it makes a bug. */
function planted(code: string): string[] {
  return ["--import", `data:text/javascript,${encodeURIComponent(code)}`];
}

/** Bounded: the number that a command writes once it runs. */
async function pidIn(name: string): Promise<number> {
  for (let n = 0; n < 400; n++) {
    try {
      const pid = Number(readFileSync(join(cwd, name), "utf8"));
      if (pid > 0) return pid;
    } catch {
      // Not yet.
    }
    await new Promise((done) => setTimeout(done, 25));
  }
  throw new Error(`${name} never came`);
}

/** Not there, or dead and only not collected yet by whoever inherited it. */
function assertGone(pid: number): void {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    assert.throws(() => process.kill(pid, 0), /ESRCH/);
    return;
  }
  assert.match(stat.slice(stat.lastIndexOf(")")), /^\) [ZX]/, `process ${pid} lives`);
}

describe("signals", () => {
  for (const [signal, code, why] of [
    ["SIGINT", 130, "interrupted by the user"],
    ["SIGTERM", 143, "ended by SIGTERM"],
    ["SIGHUP", 129, "ended by SIGHUP"],
  ] as const) {
    test(`${signal} ends a command that does not listen, and the run says so`, async () => {
      const prompt = `run trap '' TERM HUP INT; echo $$ > ${signal}; sleep 60; sleep 60`;
      const { child, ended } = startErrand(["-p", prompt], { cwd });
      const pid = await pidIn(signal);
      child.kill(signal);
      const { code: left, out, err } = await ended;
      assert.deepEqual([left, out], [code, ""]);
      assert.match(err, new RegExp(`^errand: aborted: ${why}$`, "m"));
      assertGone(pid);
    });
  }

  test("a second one leaves, and the command still does not survive", async () => {
    const prompt = "run trap '' TERM; echo $$ > twice; sleep 60; sleep 60";
    const { child, ended } = startErrand(["-p", prompt], { cwd });
    const pid = await pidIn("twice");
    child.kill("SIGINT");
    child.kill("SIGTERM");
    const { code } = await ended;
    assert.ok(code === 130 || code === 143, `${code}`);
    assertGone(pid);
  });

  test("before there is a run, one leaves at once", async () => {
    const { child, ended, says } = startErrand(["-p"], { cwd, stdio: ["pipe", "pipe", "pipe"] });
    await says(/waiting for the end of stdin/);
    child.kill("SIGTERM");
    assert.equal((await ended).code, 143);
  });

  test("JSON mode still writes its result", async () => {
    const prompt = "run echo $$ > json; exec sleep 60";
    const { child, ended } = startErrand(["--mode", "json", prompt], { cwd });
    const pid = await pidIn("json");
    child.kill("SIGTERM");
    const { code, out } = await ended;
    assert.equal(code, 143);
    const { type, reason } = jsonLines(out).at(-1) ?? {};
    assert.deepEqual([type, reason], ["result", "aborted"]);
    assertGone(pid);
  });
});

describe("output that cannot be written", () => {
  const full = (args: string[]): Promise<{ code: number | null; err: string }> => {
    const descriptor = openSync("/dev/full", "w");
    const { ended } = startErrand(args, { cwd, stdio: ["ignore", descriptor, "pipe"] });
    closeSync(descriptor);
    return ended;
  };

  for (const args of [["-p", "-q", "read a.txt"], ["--mode", "json", "read a.txt"], ["--help"]]) {
    test(`because the disk is full is told, and fails: ${args.join(" ")}`, async () => {
      const { code, err } = await full(args);
      assert.equal(code, 1);
      assert.match(err, /^errand: stdout cannot be written: ENOSPC/m);
      assert.doesNotMatch(err, /bug/);
    });
  }

  test("because its reader went away ends the run and its commands, without a word", async () => {
    const bash = (command: string): ServerTurn => ({
      calls: [{ name: "bash", args: { command } }],
    });
    const turns = [bash("echo $$ > first; exec sleep 60"), bash("echo $$ > next; exec sleep 60")];
    const server = await startModelServer({ turns });
    try {
      const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.url };
      const { child, ended } = startErrand(["--mode", "json", "go"], { cwd, env });
      const pid = await pidIn("first");
      child.stdout?.destroy();
      // The next event finds the pipe closed.
      process.kill(pid, "SIGTERM");
      const { code, err } = await ended;
      assert.deepEqual([code, err], [130, ""]);
      assertGone(pid);
      assert.ok(server.requests.length <= 2);
    } finally {
      await server.close();
    }
  });

  test("because stderr is closed does not matter", async () => {
    const { child, ended } = startErrand(["-p", "read a.txt"], { cwd });
    child.stderr?.destroy();
    const { code, out } = await ended;
    assert.equal(code, 0);
    assert.match(out, /one/);
  });
});

describe("a bug of ours", () => {
  test("that is thrown beside the run exits with 70, says where to look, and ends the command", async () => {
    const code = `
      import { existsSync } from "node:fs";
      const timer = setInterval(() => {
        if (!existsSync("bug")) return;
        clearInterval(timer);
        throw new TypeError("boom\\u001b[2J");
      }, 20);
      timer.unref();`;
    const prompt = "run echo $$ > bug; exec sleep 60";
    const { ended } = startErrand(["-p", prompt], { cwd, nodeArgs: planted(code) });
    const pid = await pidIn("bug");
    const { code: left, err } = await ended;
    assert.equal(left, 70);
    assert.match(err, /^errand: this is a bug in Errand, please report it/m);
    assert.match(err, /^TypeError: boom\n\s+at /m);
    assertGone(pid);
  });

  test("in a promise that nobody waits for counts too", async () => {
    const code = `process.nextTick(() => void Promise.reject(new Error("lost")));`;
    const { code: left, err } = await runErrand(["-p", "read a.txt"], {
      cwd,
      nodeArgs: planted(`setImmediate(() => { ${code} });`),
    });
    assert.equal(left, 70);
    assert.match(err, /Error: lost/);
  });

  test("in files of ours that cannot be loaded is told as such", async () => {
    const hooks = `export async function load(url, context, next) {
      if (url.endsWith("/cli/main.ts")) throw new Error("half a file");
      return next(url, context);
    }`;
    const code = `import { register } from "node:module";
      register("data:text/javascript," + ${JSON.stringify(encodeURIComponent(hooks))});`;
    const { code: left, err } = await runErrand(["x"], { cwd, nodeArgs: planted(code) });
    assert.equal(left, 70);
    assert.match(
      err,
      /^errand: its own files cannot be loaded, please install it again\.\n.*half a file/,
    );
  });
});
