import assert from "node:assert/strict";
import { test } from "node:test";
import { describeError } from "./describe-error.ts";

const hostile = {
  get message(): string {
    throw new Error("no");
  },
};

const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;

const cases: [string, unknown, string][] = [
  ["an error is its message", new Error("broken"), "broken"],
  ["an error without a message is its name", new TypeError(), "TypeError"],
  ["a text is itself", "no", "no"],
  ["an empty text says that it was thrown", "", "an empty text was thrown"],
  ["an object with a message is that message", { message: "m" }, "m"],
  ["an object is shown as data", { code: 7 }, '{"code":7}'],
  ["undefined says that it was thrown", undefined, "undefined was thrown"],
  ["null says that it was thrown", null, "null was thrown"],
  ["a number says that it was thrown", 7, "7 was thrown"],
  ["a symbol says that it was thrown", Symbol("s"), "Symbol(s) was thrown"],
  ["a big integer says that it was thrown", 7n, "7 was thrown"],
  [
    "a getter that throws is survived",
    hostile,
    "something that cannot be shown as text was thrown",
  ],
  ["a cycle is survived", cyclic, "something that cannot be shown as text was thrown"],
];

for (const [title, thrown, text] of cases) {
  test(title, () => assert.equal(describeError(thrown), text));
}
