import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EndReason } from "../core/events.ts";
import { exitCodeOf, type RunFacts } from "./exit-codes.ts";

describe("the exit code of a run that ended by", () => {
  const cases: [EndReason, RunFacts, number][] = [
    ["done", {}, 0],
    ["terminated", {}, 0],
    ["hook_stop", {}, 0],
    ["done", { denied: true }, 3],
    ["terminated", { denied: true }, 3],
    ["hook_stop", { denied: true }, 3],
    ["error", {}, 1],
    ["error", { denied: true }, 1],
    ["refused", {}, 1],
    ["journal_failed", {}, 1],
    ["max_turns", {}, 4],
    ["max_time", {}, 4],
    ["max_tokens", {}, 4],
    ["max_cost", {}, 4],
    ["repeated_calls", {}, 4],
    ["truncated_repeatedly", {}, 4],
    ["length", {}, 4],
    ["length", { denied: true }, 4],
    ["aborted", {}, 130],
    ["aborted", { signal: "SIGINT" }, 130],
    ["aborted", { signal: "SIGTERM" }, 143],
    ["aborted", { signal: "SIGHUP" }, 129],
    ["done", { signal: "SIGTERM" }, 0],
  ];
  for (const [reason, facts, code] of cases) {
    const beside = Object.entries(facts).map(([key, value]) => `${key} ${String(value)}`);
    test([reason, ...beside, `is ${code}`].join(", "), () =>
      assert.equal(exitCodeOf(reason, facts), code),
    );
  }
});
