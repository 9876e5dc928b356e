// What a person at a terminal sees, and what a reader who takes their time gets.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { type ServerTurn, startModelServer } from "../../src/testing/index.ts";
import { BIN, jsonLines, startErrand } from "../kit/errand-process.ts";

const cwd = mkdtempSync(join(tmpdir(), "errand-output-"));
after(() => rmSync(cwd, { recursive: true, force: true }));
writeFileSync(join(cwd, "a.txt"), "one\ntwo\n");
writeFileSync(join(cwd, "long.txt"), "a line of some length\n".repeat(1900));

const lacksTerminal = spawnSync("script", ["--version"]).status !== 0 && "needs script";

/** Runs a command line on a terminal of its own; both streams come as one. */
async function onTerminal(
  line: string,
  env: Record<string, string> = {},
): Promise<{ code: number | null; screen: string }> {
  const child = spawn("script", ["-qec", `'${process.execPath}' '${BIN}' ${line}`, "/dev/null"], {
    cwd,
    env: { PATH: process.env["PATH"], HOME: cwd, TERM: "xterm", SHELL: "/bin/sh", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let screen = "";
  child.stdout.on("data", (chunk: Buffer) => (screen += chunk.toString()));
  const code = await new Promise<number | null>((done) => child.once("close", done));
  return { code, screen: screen.replaceAll("\r\n", "\n") };
}

describe("on a terminal", { skip: lacksTerminal }, () => {
  test("a prompt is run, with the calls in colour", async () => {
    const { code, screen } = await onTerminal("'read a.txt'");
    assert.equal(code, 0);
    assert.match(screen, /^I will read a\.txt\.\n/);
    assert.match(screen, /^\u001b\[32m●\u001b\[39m read a\.txt$/m);
    assert.equal(screen.split("\n> two\n").length, 2, "the answer is there once");
  });

  test("there is no colour if the user says so", async () => {
    const { screen } = await onTerminal("'read a.txt'", { NO_COLOR: "1" });
    assert.match(screen, /^● read a\.txt$/m);
    assert.doesNotMatch(screen, /\u001b/);
  });

  test("no prompt is wrong usage, and nothing is waited for", async () => {
    const { code, screen } = await onTerminal("");
    assert.equal(code, 2);
    assert.match(screen, /^errand: No prompt\. Usage: errand \[options\] \[@files…\] \[prompt\]/);
  });

  test("no escape sequence of the model's or of a file's gets through", async () => {
    const turns: ServerTurn[] = [
      {
        text: "\u001b]0;owned\u0007Look\u001b[5A here.",
        deltaSize: 3,
        calls: [{ name: "read", args: { path: "\u001b[2Jno.txt" } }],
      },
      { text: "Not there.\u009b2J", deltaSize: 3 },
    ];
    const server = await startModelServer({ turns });
    try {
      const env = { NO_COLOR: "1", ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.url };
      const { code, screen } = await onTerminal("go", env);
      assert.equal(code, 0);
      assert.match(screen, /^Look here\.\n✗ read no\.txt/);
      assert.match(screen, /^Not there\.$/m);
      // oxlint-disable-next-line no-control-regex
      assert.doesNotMatch(screen, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    } finally {
      await server.close();
    }
  });
});

test("FORCE_COLOR brings colours into a pipe, and only on stderr", async () => {
  const env = { FORCE_COLOR: "1" };
  const { out, err } = await startErrand(["-p", "read a.txt"], { cwd, env }).ended;
  assert.match(err, /\u001b\[32m●/);
  assert.doesNotMatch(out, /\u001b/);
});

test("a reader who takes their time gets every line, more than a pipe holds", async () => {
  const { child } = startErrand(["--mode", "json", "read long.txt"], { cwd });
  const exited = new Promise((done) => child.once("exit", done));
  const { stdout } = child;
  assert.ok(stdout);
  stdout.removeAllListeners("data");
  const chunks: Buffer[] = [];
  for await (const chunk of stdout as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    await new Promise((done) => setTimeout(done, 5));
  }
  assert.equal(await exited, 0);
  const text = Buffer.concat(chunks).toString();
  assert.ok(text.length > 150_000, `${text.length} characters`);
  assert.equal(jsonLines(text).at(-1)?.["type"], "result");
});
