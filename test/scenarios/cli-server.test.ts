// The command against a model server on the loopback: the whole way to the wire and back.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { findModel } from "../../src/models/catalog.ts";
import { type ServerTurn, startModelServer } from "../../src/testing/index.ts";
import { jsonLineProblem } from "../kit/json-line-check.ts";
import { type Ended, jsonLines, runErrand } from "../kit/errand-process.ts";

const cwd = mkdtempSync(join(tmpdir(), "errand-server-"));
after(() => rmSync(cwd, { recursive: true, force: true }));
writeFileSync(join(cwd, "a.txt"), "one\ntwo\n");

interface Talk extends Ended {
  requests: { text: string; body: unknown; headers: Record<string, string> }[];
}

async function talk(turns: ServerTurn[], args: string[], stdin?: string): Promise<Talk> {
  const server = await startModelServer({ turns });
  try {
    const env = { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: server.url };
    const options = { cwd, env, ...(stdin === undefined ? {} : { stdin }) };
    const ended = await runErrand(args, options);
    return { ...ended, requests: server.requests };
  } finally {
    await server.close();
  }
}

const usage = { input: 1000, output: 100 };
const dialogue: ServerTurn[] = [
  { text: "I look.", calls: [{ name: "read", args: { path: "a.txt" } }], usage },
  { calls: [{ name: "write", args: { path: "b.txt", content: "three\n" } }], usage },
  { text: "Done: b.txt is there.", usage },
];

const spec = "anthropic/claude-haiku-4-5";
const model = ["--model", spec];

/** What the dialogue costs by the model's own prices, in USD. */
const price = ((): string => {
  const found = findModel(spec, { ANTHROPIC_API_KEY: "k" });
  assert.ok(found.ok && found.model.cost.input > 0);
  return ((3000 * found.model.cost.input + 300 * found.model.cost.output) / 1e6).toFixed(4);
})();

/** A part of a request's body. */
function part(talk: Talk, name: string): unknown {
  return (talk.requests[0]?.body as Record<string, unknown> | undefined)?.[name];
}

function declared(talk: Talk): string[] {
  return (part(talk, "tools") as { name: string }[]).map(({ name }) => name);
}

describe("a dialogue over the wire", () => {
  test("acts on real files, and prints the answer, the calls, tokens and money", async () => {
    const { code, out, err, requests } = await talk(dialogue, ["-p", ...model, "go on"]);
    assert.deepEqual([code, out], [0, "Done: b.txt is there.\n"]);
    assert.equal(readFileSync(join(cwd, "b.txt"), "utf8"), "three\n");
    const [said, read, write, totals] = err.split("\n");
    assert.deepEqual([said, read], ["I look.", "● read a.txt"]);
    assert.match(write ?? "", /^● write b\.txt/);
    assert.match(
      totals ?? "",
      /^anthropic\/claude-haiku-4-5 · 3300 tokens \(3000 in, 300 out\) · \$(\S+) · \d+\.\d s$/,
    );
    assert.ok(totals?.includes(`$${price}`), totals);
    assert.equal(requests.length, 3);
    assert.equal(requests[0]?.headers["x-api-key"], "test-key");
  });

  test("begins with a request of at most 10,000 bytes for four tools", async () => {
    const said = await talk([{ text: "Hi." }], ["-p", "hello"]);
    const bytes = Buffer.byteLength(said.requests[0]?.text ?? "");
    assert.ok(bytes > 1000 && bytes <= 10_000, `${bytes} bytes`);
    assert.deepEqual(declared(said), ["read", "bash", "edit", "write"]);
  });

  test("declares only what reads in read-only mode", async () => {
    const said = await talk([{ text: "Hi." }], ["-p", "--read-only", "hello"]);
    assert.deepEqual(declared(said), ["read", "grep", "find", "ls"]);
  });

  test("sends the prompts of the user's own", async () => {
    const own = ["--system-prompt", "Be a pirate.", "--append-system-prompt", "Say aye."];
    const said = await talk([{ text: "Aye." }], ["-p", ...own, "x"]);
    const system = JSON.stringify(part(said, "system"));
    assert.match(system, /Be a pirate\.\\n\\nSay aye\.\\n\\nWorking folder: /);
    assert.doesNotMatch(system, /You are Errand/);
  });

  test("is JSON lines that the schema knows, with the totals in the result", async () => {
    const { code, out } = await talk(dialogue, ["--mode", "json", ...model, "go on"]);
    assert.equal(code, 0);
    const lines = jsonLines(out);
    assert.deepEqual(lines.map(jsonLineProblem).filter(Boolean), []);
    const { text, usage: used, costUsd } = lines.at(-1) ?? {};
    assert.equal(text, "Done: b.txt is there.");
    assert.deepEqual(used, {
      input: 3000,
      output: 300,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 3300,
    });
    assert.equal(Number(costUsd).toFixed(4), price);
  });
});

describe("what goes wrong over the wire", () => {
  const error = (type: string, message: string): string =>
    JSON.stringify({ type: "error", error: { type, message } });

  test("a key that is not taken is told in one line, exit code 1, and asked once", async () => {
    const body = error("authentication_error", "invalid x-api-key");
    const { code, out, err, requests } = await talk([{ status: 401, body }], ["-p", "-q", "x"]);
    assert.deepEqual([code, out, requests.length], [1, "", 1]);
    assert.match(err, /^errand: the run failed: [^\n]*401[^\n]*Check the key[^\n]*\n$/);
    assert.doesNotMatch(err, /test-key/);
  });

  test("a server that is overloaded is asked again, which is told", async () => {
    const busy = { status: 529, body: error("overloaded_error", "Overloaded") };
    const headers = { "retry-after-ms": "10" };
    const { code, out, err } = await talk([{ ...busy, headers }, { text: "Now." }], ["-p", "x"]);
    assert.deepEqual([code, out], [0, "Now.\n"]);
    assert.match(err, /^retrying in 1 s: .*Overloaded.* \(attempt 1 failed\)$/m);
  });

  test("a refused connection names the address", async () => {
    const server = await startModelServer({ turns: [] });
    await server.close();
    const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.url };
    const { code, err } = await runErrand(["-p", "-q", "--max-time", "1s", "x"], { cwd, env });
    assert.ok(code === 1 || code === 4, `${code}`);
    assert.match(err, /^errand: /);
  });

  test("an answer that is cut at its limit is printed, and exits with 4", async () => {
    const cut = { text: "Half an", stopReason: "max_tokens" };
    const { code, out, err } = await talk([cut], ["-p", "x"]);
    assert.deepEqual([code, out], [4, "Half an\n"]);
    assert.match(err, /^errand: the answer was cut/m);
  });

  test("a refusal exits with 1", async () => {
    const { code, err } = await talk([{ text: "No.", stopReason: "refusal" }], ["-p", "x"]);
    assert.equal(code, 1);
    assert.match(err, /^errand: the model refused/m);
  });

  const limits: [string, RegExp][] = [
    ["--max-turns=1", /1 turns.*--max-turns allows more/],
    ["--max-tokens=50", /50 tokens.*--max-tokens allows more/],
    ["--max-cost=0.001", /\$0\.001.*--max-cost allows more/],
  ];
  for (const [flag, message] of limits) {
    test(`${flag} ends the run with 4 after the batch that began`, async () => {
      const { code, out, err, requests } = await talk(dialogue, ["-p", flag, "x"]);
      assert.deepEqual([code, out, requests.length], [4, "", 1]);
      assert.match(err, /^● read a\.txt/m);
      assert.match(err, message);
    });
  }

  test("--max-time ends a silent server", async () => {
    const { code, err } = await talk([{ silent: true }], ["-p", "--max-time", "0.5s", "x"]);
    assert.equal(code, 4);
    assert.match(err, /--max-time allows more/);
  });
});
