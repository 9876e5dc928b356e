import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { meaningOfExitOne } from "./exit-meaning.ts";

const CERTAIN: Readonly<Record<string, string>> = {
  "grep x y": "no match",
  "/usr/bin/grep -rn 'a && b' .": "no match",
  "cat f | grep -v x": "no match",
  "cd a; LC_ALL=C grep x f 2>/dev/null": "no match",
  "grep a f || grep b f": "no match",
  "make > log 2>&1\nrg foo": "no match",
  "grep x f # && false": "no match",
  "true && false | grep x || rg y": "no match",
  'grep "a;b" f': "no match",
  "git grep x": "no match",
  "diff a b": "differences found",
  "cmp -s a b": "differences found",
  "git diff --quiet": "differences found",
  "test -f x": "the condition is false",
  "[ -f x ]": "the condition is false",
};

const UNCERTAIN = ["cd a && grep x f", "npm test && echo y | grep z", "a && \n grep x"];

const UNKNOWN = [
  "",
  "false",
  "! grep x f",
  "grep x f; false",
  "set -e; make; grep x f",
  "set -o pipefail; make | grep x",
  "trap 'exit 1' EXIT; grep x f",
  "(grep x f)",
  "f() { grep x f; }",
  "grep $(cat p) f",
  'grep "$(cat p)" f',
  "grep `cat p` f",
  "grep x <<< y",
  "grep 'open",
  "if true; then grep x f; fi",
  "echo grep",
  "echo a | xargs grep b",
];

describe("exit code 1", () => {
  for (const [command, meaning] of Object.entries(CERTAIN)) {
    test(`is an answer: ${JSON.stringify(command)}`, () => {
      assert.deepEqual(meaningOfExitOne(command), { meaning, isCertain: true });
    });
  }
  for (const command of UNCERTAIN) {
    test(`may be an earlier command's: ${JSON.stringify(command)}`, () => {
      assert.deepEqual(meaningOfExitOne(command), { meaning: "no match", isCertain: false });
    });
  }
  for (const command of UNKNOWN) {
    test(`is a failure: ${JSON.stringify(command)}`, () => {
      assert.equal(meaningOfExitOne(command), undefined);
    });
  }

  test("of any text ends, and of long ones in linear time", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void meaningOfExitOne(text)));
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("grep", " ", "'", '"', "\\", "&", "|", ";", "\n", "<", ">", "#")),
        (parts) => void meaningOfExitOne(parts.join("")),
      ),
    );
    meaningOfExitOne(`${"a ".repeat(200_000)}"${"\\".repeat(200_001)}`);
  });
});
