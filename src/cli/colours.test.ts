import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hasColours } from "./colours.ts";

describe("colours", () => {
  const cases: [string, Record<string, string>, boolean, boolean][] = [
    ["go to a terminal", {}, true, true],
    ["do not go to a pipe", {}, false, false],
    ["are left out if the user says so", { NO_COLOR: "1" }, true, false],
    ["are not left out by an empty NO_COLOR", { NO_COLOR: "" }, true, true],
    ["go to a pipe if the user says so", { FORCE_COLOR: "1" }, false, true],
    ["can be forced off", { FORCE_COLOR: "0" }, true, false],
    ["are left out where both are said", { NO_COLOR: "1", FORCE_COLOR: "1" }, true, false],
    ["are not for a dumb terminal", { TERM: "dumb" }, true, false],
  ];
  for (const [title, env, isTerminal, expected] of cases) {
    test(title, () => assert.equal(hasColours(env, isTerminal), expected));
  }
});
