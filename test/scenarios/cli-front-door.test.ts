// The front door: what an old node, a wrong system, and a person who asks for help get to see.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import manifest from "../../package.json" with { type: "json" };
import { toolTable } from "../../src/tools/index.ts";
import { BIN, runErrand } from "../kit/errand-process.ts";

const cwd = mkdtempSync(join(tmpdir(), "errand-door-"));
after(() => rmSync(cwd, { recursive: true, force: true }));

/** Makes node pretend, before our first line. */
function pretending(code: string): string[] {
  return ["--import", `data:text/javascript,${encodeURIComponent(code)}`];
}

describe("a machine that we cannot run on", () => {
  for (const version of ["12.22.0", "20.19.5", "22.18.0"]) {
    test(`gets one line: node ${version}`, async () => {
      const versions = JSON.stringify({ ...process.versions, node: version });
      const code = `Object.defineProperty(process, "versions", { value: ${versions} });`;
      const {
        code: left,
        out,
        err,
      } = await runErrand(["--help"], { cwd, nodeArgs: pretending(code) });
      assert.deepEqual([left, out], [2, ""]);
      assert.equal(
        err,
        `errand needs Node.js 22.19 or newer, this is ${version}. Install a newer one and try again.\n`,
      );
    });
  }

  test("gets one line: Windows", async () => {
    const code = `Object.defineProperty(process, "platform", { value: "win32" });`;
    const { code: left, err } = await runErrand(["--help"], { cwd, nodeArgs: pretending(code) });
    assert.deepEqual(
      [left, err],
      [2, "errand does not run on Windows itself: use it inside WSL.\n"],
    );
  });

  test("could still read the front door: it imports nothing before it looks, and uses no newer syntax", () => {
    const source = readFileSync(BIN, "utf8").replaceAll(/^\/\/.*$/gm, "");
    assert.match(source, /^#!\/usr\/bin\/env node\n/);
    assert.doesNotMatch(source, /^import\b(?!\()/m, "no static import");
    assert.doesNotMatch(source, /\bawait\b|\?\.|\?\?|\|\|=/);
  });
});

test("--version prints the package's version", async () => {
  const { code, out, err } = await runErrand(["--version"], { cwd });
  assert.deepEqual([code, out, err], [0, `${manifest.version}\n`, ""]);
});

test("--help goes to stdout and names every tool", async () => {
  const { code, out, err } = await runErrand(["--help"], { cwd });
  assert.deepEqual([code, err], [0, ""]);
  for (const { name, summary } of toolTable)
    assert.match(out, new RegExp(`^  ${name} +${summary}`, "m"));
});

test("--list-models lists what --model takes, and which has no key", async () => {
  const { code, out } = await runErrand(["--list-models"], { cwd });
  assert.equal(code, 0);
  assert.match(out, /^anthropic\/claude-\S+ +Claude .* \(no key\)$/m);
  assert.match(out, /^offline .*(?<!key\))$/m);
  const env = { ANTHROPIC_API_KEY: "k" };
  assert.doesNotMatch((await runErrand(["--list-models"], { cwd, env })).out, /no key/);
});

test("the offline model can be asked for by name, whatever keys there are", async () => {
  const env = { ANTHROPIC_API_KEY: "k" };
  const { code, out } = await runErrand(["-p", "--model", "offline", "run echo hello"], {
    cwd,
    env,
  });
  assert.equal(code, 0);
  assert.match(out, /hello/);
});
