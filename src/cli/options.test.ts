import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { toolTable } from "../tools/index.ts";
import { type CliOptions, parseCommandLine } from "./options.ts";

function run(...args: string[]): CliOptions {
  const parsed = parseCommandLine(args, "1.2.3");
  assert.ok("run" in parsed);
  return parsed.run;
}

const nothing: CliOptions = {
  print: false,
  mode: "text",
  readOnly: false,
  quiet: false,
  listModels: false,
  files: [],
  prompt: "",
};

describe("what can be said", () => {
  const cases: [string[], Partial<CliOptions>][] = [
    [[], {}],
    [["fix", "the", "test"], { prompt: "fix the test" }],
    [["-p", "hello"], { print: true, prompt: "hello" }],
    [["hello", "--print"], { print: true, prompt: "hello" }],
    [["@a.txt", "sum", "@b c.md", "up"], { files: ["a.txt", "b c.md"], prompt: "sum up" }],
    [["@", "x"], { prompt: "@ x" }],
    [["--mode", "json", "x"], { mode: "json", prompt: "x" }],
    [["--model", "anthropic/claude:high", "x"], { model: "anthropic/claude:high", prompt: "x" }],
    [["--base-url", "http://127.0.0.1:1", "x"], { baseUrl: "http://127.0.0.1:1", prompt: "x" }],
    [["-t", "read, grep,", "x"], { tools: ["read", "grep"], prompt: "x" }],
    [["--exclude-tools", "bash", "x"], { excludeTools: ["bash"], prompt: "x" }],
    [["--read-only", "x"], { readOnly: true, prompt: "x" }],
    [["-y", "x"], { prompt: "x" }],
    [["--permission-mode", "allow-all", "x"], { prompt: "x" }],
    [["--max-turns", "3", "x"], { maxTurns: 3, prompt: "x" }],
    [["--max-time", "90s", "x"], { maxTimeMs: 90_000, prompt: "x" }],
    [["--max-time", "1.5m", "x"], { maxTimeMs: 90_000, prompt: "x" }],
    [["--max-time", "2h", "x"], { maxTimeMs: 7_200_000, prompt: "x" }],
    [["--max-time", "5", "x"], { maxTimeMs: 5000, prompt: "x" }],
    [["--max-tokens", "1000", "x"], { maxTokens: 1000, prompt: "x" }],
    [["--max-cost", "0.50", "x"], { maxCostUsd: 0.5, prompt: "x" }],
    [
      ["--system-prompt", "s", "--append-system-prompt", "a", "x"],
      { systemPrompt: "s", appendSystemPrompt: "a", prompt: "x" },
    ],
    [["-C", "/tmp", "-q", "x"], { cwd: "/tmp", quiet: true, prompt: "x" }],
    [["--", "-p", "is", "a", "flag"], { prompt: "-p is a flag" }],
    [["look", "--", "@home", "--now"], { prompt: "look @home --now" }],
    [["@a.txt", "--", "@b.txt"], { files: ["a.txt"], prompt: "@b.txt" }],
    [["--", "doctor"], { prompt: "doctor" }],
    [["-t", "read", "--tools=grep,ls", "x"], { tools: ["read", "grep", "ls"], prompt: "x" }],
    [["--tools", "", "x"], { tools: [], prompt: "x" }],
    [["-pq", "x"], { print: true, quiet: true, prompt: "x" }],
    [["--list-models"], { listModels: true }],
    [["run", "doctor"], { prompt: "run doctor" }],
  ];
  for (const [args, expected] of cases) {
    test(args.join(" ") || "(nothing)", () =>
      assert.deepEqual(run(...args), { ...nothing, ...expected }),
    );
  }
});

describe("what makes no sense is one line that says what to do", () => {
  const cases: [string[], RegExp][] = [
    [["--modle", "x"], /unknown option '--modle'.*Did you mean one of --mode, --model/],
    [["--nonsense"], /unknown option '--nonsense'.*See errand --help\.$/],
    [
      ["-5 degrees"],
      /unknown option '-5 degrees'.*A prompt that starts with a dash goes behind --/,
    ],
    [["--max-time", "9".repeat(400), "x"], /90s, 5m or 1h/],
    [["--max-time", "0s", "x"], /90s, 5m or 1h/],
    [["--max-cost", "9".repeat(400), "x"], /amount in USD/],
    [["--max-turns", "9".repeat(30), "x"], /whole number above 0/],
    [["--mode", "xml", "x"], /xml.*text, json/],
    [["--mode", "rpc", "x"], /rpc/],
    [["--model"], /argument missing/],
    [["--max-turns", "0", "x"], /whole number above 0/],
    [["--max-turns", "many", "x"], /whole number above 0/],
    [["--max-turns", "-1", "x"], /whole number above 0/],
    [["--max-time", "soon", "x"], /90s, 5m or 1h/],
    [["--max-cost", "free", "x"], /amount in USD/],
    [["--base-url", "localhost:80", "x"], /http:\/\/ or https:\/\//],
    [["--permission-mode", "ask", "x"], /ask is not there yet: allow-all is the one mode/],
    [["--resume", "x"], /unknown option/],
    [["doctor"], /errand doctor is not there yet/],
  ];
  for (const [args, text] of cases) {
    test(args.join(" "), () => {
      assert.throws(
        () => parseCommandLine(args, "1.2.3"),
        (error: Error) => {
          assert.equal(error.name, "UsageError");
          assert.match(error.message, text);
          assert.ok(!error.message.includes("\n"), error.message);
          return true;
        },
      );
    });
  }
});

test("--version shows the version", () => {
  assert.deepEqual(parseCommandLine(["--version"], "1.2.3"), { show: "1.2.3\n" });
});

test("--help ends with the table of tools, those that are off marked, and shows no flag that is not there", () => {
  const parsed = parseCommandLine(["--help"], "1.2.3");
  assert.ok("show" in parsed);
  const { show } = parsed;
  assert.match(show, /^Usage: errand \[options\] \[@files…\] \[prompt\]/);
  for (const { name, summary, defaultActive } of toolTable) {
    const mark = defaultActive ? "" : " (read-only, off by default)";
    assert.ok(show.includes(`  ${name.padEnd(5)}  ${summary}${mark}\n`), name);
  }
  for (const flag of show.matchAll(/--[a-z-]+/g)) {
    const [name] = flag;
    assert.doesNotMatch(name, /resume|continue|fork|session|rpc|trust|record|debug/);
  }
});

test("each flag in --help is one that is there, with the value that it says or without", () => {
  const parsed = parseCommandLine(["--help"], "1.2.3");
  assert.ok("show" in parsed);
  const flags = [...parsed.show.matchAll(/^ {2}(?:(-\w), )?(-{1,2}[a-zA-Z-]+)( <[^>]+>)?/gm)];
  assert.ok(flags.length > 15);
  for (const [, short, long = "", value] of flags) {
    for (const flag of short ? [short, long] : [long]) {
      const parse = () => parseCommandLine([flag], "1.2.3");
      if (value) assert.throws(parse, /argument missing/, flag);
      else assert.doesNotThrow(parse, flag);
    }
  }
});
