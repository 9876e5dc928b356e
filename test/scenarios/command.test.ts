// The command as people start it: a process, its streams, its signals, its exit code.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, describe, test } from "node:test";

const folder = mkdtempSync(join(tmpdir(), "errand-command-"));
after(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, "notes.txt"), "first line\nsecond line\nthird line\n");
writeFileSync(join(folder, "笔记.txt"), "第一行\n第二行\n");

const bin = resolve("src/cli/bin.ts");
/** Nothing of the machine's own: no key, no settings. */
const env = { PATH: process.env["PATH"] ?? "", HOME: folder };

interface Ran {
  code: number | null;
  out: string;
  err: string;
}

interface RunOptions {
  stdin?: string;
  env?: Record<string, string>;
  onErr?(text: string, child: ReturnType<typeof spawn>): void;
}

function errand(args: string[], options: RunOptions = {}): Promise<Ran> {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: folder,
    env: { ...env, ...options.env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => {
    err += chunk.toString();
    options.onErr?.(err, child);
  });
  child.stdin.on("error", () => {});
  child.stdin.end(options.stdin ?? "");
  return new Promise((done) => child.once("close", (code) => done({ code, out, err })));
}

describe("a newcomer without a key", () => {
  test("sees a real file read, the call on stderr, the answer on stdout, and that it is the offline model", async () => {
    const { code, out, err } = await errand(["-p", "what does notes.txt say at the start?"]);
    assert.equal(code, 0);
    assert.match(out, /first line\n.*second line/s);
    assert.match(out, /offline model/);
    assert.match(err, /^● read notes\.txt/m);
    assert.match(err, /tokens .* s\n$/);
    assert.ok(!err.includes("\u001b"), "no colours in a pipe");
  });

  test("gets Chinese for Chinese", async () => {
    const { code, out } = await errand(["-p", "看看 笔记.txt 开头写了什么"]);
    assert.equal(code, 0);
    assert.match(out, /第一行/);
    assert.match(out, /离线模型/);
  });

  const phrases: [string, string[], RegExp, (() => void)?][] = [
    ["reads a file", ["read notes.txt"], /third line/],
    ["lists a folder", ["list ."], /notes\.txt/],
    ["finds a text", ["-t", "read,bash,grep", "find second in ."], /second line/],
    ["runs a command", ["run echo hello from the shell"], /hello from the shell/],
    [
      "replaces a text",
      ["replace first with 1st in notes.txt"],
      /notes\.txt/,
      () => assert.match(readFileSync(join(folder, "notes.txt"), "utf8"), /^1st line/),
    ],
    ["tells of a failure as it is", ["read no-such-file.txt"], /no-such-file\.txt/],
    ["says what it can do", ["sing me a song"], /read/i],
  ];
  for (const [title, args, text, check] of phrases) {
    test(title, async () => {
      const { code, out } = await errand(["-p", ...args]);
      assert.equal(code, 0);
      assert.match(out, text);
      check?.();
    });
  }

  test("--quiet leaves only the answer", async () => {
    const { out, err } = await errand(["-p", "-q", "read notes.txt"]);
    assert.match(out, /second line/);
    assert.equal(err, "");
  });
});

describe("input", () => {
  test("that is piped is added to the prompt", async () => {
    const { code, out } = await errand(["-p", "read notes.txt"], { stdin: "piped text" });
    assert.equal(code, 0);
    assert.match(out, /second line/);
  });

  test("that is piped alone is the prompt", async () => {
    const { code, out } = await errand([], { stdin: "read notes.txt\n" });
    assert.equal(code, 0);
    assert.match(out, /second line/);
  });

  test("of an attached file goes along", async () => {
    const { code, err } = await errand(["-p", "--mode", "json", "@notes.txt", "hello"]);
    assert.deepEqual([code, err], [0, ""]);
  });
});

describe("bad usage is one line on stderr and exit code 2", () => {
  const cases: [string, string[], RegExp][] = [
    ["an unknown flag", ["--frobnicate", "x"], /unknown option '--frobnicate'/],
    ["an unknown provider", ["--model", "nope/x", "hi"], /Unknown model nope\/x|nope/],
    ["a missing key", ["--model", "anthropic/claude-sonnet-4-5", "hi"], /ANTHROPIC_API_KEY/],
    ["an unknown tool", ["-t", "reed", "hi"], /did you mean read\?/],
    [
      "a file that is not there",
      ["@missing.txt", "hi"],
      /@missing\.txt cannot be read: there is no such file/,
    ],
    ["a folder as a file", ["@.", "hi"], /is not a file/],
    ["no prompt at all", ["-p"], /No prompt/],
    ["a blank prompt", ["-p", "  "], /No prompt/],
    ["a folder that is not there", ["-C", "/no/such", "hi"], /no such folder/],
  ];
  for (const [title, args, text] of cases) {
    test(title, async () => {
      const { code, out, err } = await errand(args);
      assert.equal(code, 2);
      assert.equal(out, "");
      assert.match(err, text);
      assert.match(err, /^errand: [^\n]+\n$/);
    });
  }
});

describe("JSON mode", () => {
  test("writes the session, the events, and the result, one object a line", async () => {
    const { code, out } = await errand(["--mode", "json", "read notes.txt"]);
    assert.equal(code, 0);
    const lines = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const [session] = lines;
    const result = lines.at(-1);
    assert.equal(session?.["type"], "session");
    assert.equal(session?.["version"], 1);
    assert.equal(result?.["type"], "result");
    assert.equal(result?.["reason"], "done");
    assert.equal(result?.["sessionId"], session?.["id"]);
    assert.match(String(result?.["text"]), /second line/);
    const types = new Set(lines.map((line) => line["type"]));
    for (const type of [
      "agent_start",
      "turn_start",
      "message_start",
      "message_update",
      "message_end",
      "tool_execution_start",
      "tool_execution_end",
      "turn_end",
      "agent_end",
    ]) {
      assert.ok(types.has(type), type);
    }
    for (const line of lines) {
      if (line["type"] !== "message_update") continue;
      assert.deepEqual(Object.keys(line), ["type", "assistantMessageEvent"]);
      assert.ok(!("partial" in (line["assistantMessageEvent"] as object)));
    }
  });

  test("ends with the reason of the run, and the exit code says it too", async () => {
    const { code, out } = await errand(["--mode", "json", "--max-turns", "1", "read notes.txt"]);
    assert.equal(code, 4);
    assert.match(out, /"type":"result".*"reason":"max_turns"/);
  });

  test("piped into head does not crash and ends the run", async () => {
    const child = spawn(
      "bash",
      [
        "-c",
        `'${process.execPath}' '${bin}' --mode json 'run sleep 30' </dev/null | head -1; echo "\${PIPESTATUS[0]}"`,
      ],
      {
        cwd: folder,
        env,
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    let out = "";
    let err = "";
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
    await new Promise((done) => child.once("close", done));
    const [first = "", status] = out.trim().split("\n");
    assert.match(first, /^\{"type":"session"/);
    assert.equal(status, "130");
    assert.equal(err, "");
  });
});
