/** One rule of the loop, and the change of one line that breaks it. */
export interface Mutant {
  rule: string;
  file: string;
  /** Stands there exactly once. */
  from: string;
  to: string;
  test: string;
}

/** One for each rule; `test` is the file that has to notice. */
export const MUTANTS: readonly Mutant[] = [
  {
    rule: "1 end: an empty message is asked for once more",
    file: "src/core/request.ts",
    from: "if (!isEmpty(response) || asking.askedEmptyAgain) return undefined;",
    to: "return undefined;",
    test: "src/core/agent-loop.test.ts",
  },
  {
    rule: "2 cut: at the full token limit nothing runs",
    file: "src/core/turn.ts",
    from: "return most > 0 && message.usage.output >= most;",
    to: "return false;",
    test: "src/core/turn.test.ts",
  },
  {
    rule: "3 gates: what a hook changes is validated again",
    file: "src/core/prepare-call.ts",
    from: ": validate(run, call, { tool, args: changed });",
    to: ": { ok: true, tool, args: changed as Args };",
    test: "src/core/prepare-call.test.ts",
  },
  {
    rule: "4 validation: bad arguments do not run",
    file: "src/core/prepare-call.ts",
    from: "return checked.ok ? { ok: true, tool, args: checked.args } : refuse(checked.text);",
    to: "return { ok: true, tool, args: checked.ok ? checked.args : (args as Args) };",
    test: "src/core/prepare-call.test.ts",
  },
  {
    rule: "5 scheduling: calls that conflict wait",
    file: "src/core/scheduler.ts",
    from: "if (isBarrier(a) || isBarrier(b)) return true;",
    to: "return false;",
    test: "src/core/batch.test.ts",
  },
  {
    rule: "6 early start: not while a hook may block",
    file: "src/core/early-calls.ts",
    from: "!beforeToolCall &&",
    to: "(beforeToolCall === undefined || true) &&",
    test: "src/core/early-calls.test.ts",
  },
  {
    rule: "7 execution: updates after settlement are dropped",
    file: "src/core/execute-call.ts",
    from: "if (!open || call.endTold) return;",
    to: "if (!open && call.endTold && name === '') return;",
    test: "src/core/execute-call.test.ts",
  },
  {
    rule: "8 result: bounded once",
    file: "src/core/bound-result.ts",
    from: "if (total <= MAX_RESULT_TEXT_BYTES) return content;",
    to: "if (total >= 0) return content;",
    test: "src/core/bound-result.test.ts",
  },
  {
    rule: "9 order: results in the model's order",
    file: "src/core/turn.ts",
    from: "const toolResults = settled.map((call) => call.message);",
    to: "const toolResults = settled.map((call) => call.message).toReversed();",
    test: "src/core/batch.test.ts",
  },
  {
    rule: "10 stop: only if every result terminates",
    file: "src/core/turn.ts",
    from: "settled.every((call) => call.terminate)",
    to: "settled.some((call) => call.terminate)",
    test: "src/core/agent-loop.test.ts",
  },
  {
    rule: "11 abort: only finished blocks are kept",
    file: "src/core/response.ts",
    from: "return this.#response(broken, (index) => this.#isWhole(index));",
    to: "return this.#response(broken, () => true);",
    test: "src/core/abort.test.ts",
  },
  {
    rule: "12 between turns: the model may be replaced",
    file: "src/core/run.ts",
    from: "if (update.model) this.model = update.model;",
    to: "",
    test: "src/core/agent-loop.test.ts",
  },
  {
    rule: "13 prefix: a request begins with the one before",
    file: "src/core/run.ts",
    from: "return this.#sendable.slice();",
    to: "return this.#sendable.toReversed();",
    test: "src/core/agent-loop.test.ts",
  },
  {
    rule: "14 record: no act without an intent",
    file: "src/core/batch.ts",
    from: "if (!call.pure) await this.#recordIntent(call);",
    to: "",
    test: "src/core/record.test.ts",
  },
  {
    rule: "15 retry: a failed attempt is thrown away whole",
    file: "src/core/request.ts",
    from: 'const discardedCallIds = batch.discard("the request is repeated");',
    to: "const discardedCallIds: string[] = [];",
    test: "src/core/early-calls.test.ts",
  },
];
