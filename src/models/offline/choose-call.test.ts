import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { chooseCall } from "./choose-call.ts";
import type { Action } from "./phrase.ts";

const ALL = new Set(["read", "bash", "edit", "write", "grep", "find", "ls"]);

describe("with every tool active", () => {
  const cases: [Action, string, Record<string, unknown>][] = [
    [{ do: "read", path: "a" }, "read", { path: "a" }],
    [{ do: "start", path: "a", lines: 3 }, "read", { path: "a", limit: 3 }],
    [{ do: "list", path: "." }, "ls", { path: "." }],
    [
      { do: "search", text: "a.b", path: "s" },
      "grep",
      { pattern: "a.b", path: "s", literal: true },
    ],
    [{ do: "findFiles", pattern: "*.ts", path: "s" }, "find", { pattern: "*.ts", path: "s" }],
    [{ do: "run", command: "x" }, "bash", { command: "x" }],
    [{ do: "write", path: "a", content: "b" }, "write", { path: "a", content: "b" }],
    [
      { do: "replace", path: "a", oldText: "b", newText: "c", all: false },
      "edit",
      { path: "a", edits: [{ oldText: "b", newText: "c" }] },
    ],
    [
      { do: "replace", path: "a", oldText: "b", newText: "c", all: true },
      "edit",
      { path: "a", edits: [{ oldText: "b", newText: "c", all: true }] },
    ],
  ];
  for (const [action, name, args] of cases) {
    test(`${action.do} takes ${name}`, () => {
      assert.deepEqual(chooseCall(action, ALL), { name, args });
    });
  }
});

test("without its tool, looking falls back on the shell and changing does not", () => {
  const shell = new Set(["bash"]);
  const command = (action: Action): unknown => {
    const call = chooseCall(action, shell);
    return "missing" in call ? call : call.args["command"];
  };
  assert.equal(command({ do: "list", path: "." }), "ls -- .");
  assert.equal(
    command({ do: "search", text: "it's", path: "my src" }),
    `grep -rnF -e 'it'\\''s' -- 'my src'`,
  );
  assert.equal(command({ do: "start", path: "-a", lines: 5 }), "head -n 5 -- -a");
  assert.equal(command({ do: "findFiles", pattern: "*.ts", path: "-x" }), "find ./-x -name '*.ts'");
  assert.deepEqual(command({ do: "write", path: "a", content: "" }), { missing: "write" });
  assert.deepEqual(command({ do: "replace", path: "a", oldText: "b", newText: "c", all: false }), {
    missing: "edit",
  });
  assert.deepEqual(chooseCall({ do: "run", command: "x" }, new Set(["read"])), { missing: "bash" });
});

test("a real shell takes any name and any text as they are", () => {
  const folder = mkdtempSync(join(tmpdir(), "offline-"));
  const sh = (action: Action): string => {
    const call = chooseCall(action, new Set(["bash"]));
    assert.ok("args" in call);
    return execFileSync("sh", ["-c", String(call.args["command"])], {
      cwd: folder,
      encoding: "utf8",
    });
  };
  try {
    for (const name of ["-n", "a b", "it's", "$(touch x)", "`id`", 'q"q', "报告.txt", "a;b", "*"]) {
      writeFileSync(join(folder, name), `in ${name}\n`);
      assert.equal(sh({ do: "read", path: name }), `in ${name}\n`);
      assert.equal(sh({ do: "list", path: name }), `${name}\n`);
      assert.match(sh({ do: "search", text: `in ${name}`, path: "." }), /:1:in /);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
