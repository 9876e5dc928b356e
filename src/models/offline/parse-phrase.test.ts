import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { parsePhrase } from "./parse-phrase.ts";
import type { Action, Language } from "./phrase.ts";

const read = (path: string): Action => ({ do: "read", path });
const start = (path: string, lines = 5): Action => ({ do: "start", path, lines });
const list = (path: string): Action => ({ do: "list", path });
const search = (text: string, path: string): Action => ({ do: "search", text, path });
const findFiles = (pattern: string, path: string): Action => ({ do: "findFiles", pattern, path });
const run = (command: string): Action => ({ do: "run", command });
const write = (path: string, content: string): Action => ({ do: "write", path, content });
const replace = (oldText: string, newText: string, path: string, all = false): Action => ({
  do: "replace",
  oldText,
  newText,
  path,
  all,
});

type Case = [prompt: string, ...steps: (Action | Action[])[]];

const ENGLISH: Case[] = [
  ["read a.txt", read("a.txt")],
  ["Read a.txt.", read("a.txt")],
  ["please read a.txt!", read("a.txt")],
  ["can you please read a.txt?", read("a.txt")],
  ["read a.txt, please", read("a.txt")],
  ["read   the file\ta.txt for me", read("a.txt")],
  ["read a.txt and b.txt", [read("a.txt"), read("b.txt")]],
  [`read "my file.txt", b.txt and 'c d.md'.`, [read("my file.txt"), read("b.txt"), read("c d.md")]],
  ["read a.txt and a.txt", read("a.txt")],
  ["read my notes.txt", read("my notes.txt")],
  ["read 报告.txt", read("报告.txt")],
  ["read “然后 and then.txt”", read("然后 and then.txt")],
  ["read 「a b」", read("a b")],
  ["read `it's.txt`", read("it's.txt")],
  ["read it's.txt", read("it's.txt")],
  ["read Makefile", read("Makefile")],
  ["read a.b.c.", read("a.b.c")],
  ["cat ../x/.env", read("../x/.env")],
  ["show me the contents of src/index.ts", read("src/index.ts")],
  ["what's in a.txt?", read("a.txt")],
  ["what does a.txt say?", read("a.txt")],
  ["what does a.txt say at the start?", start("a.txt")],
  ["What does “my notes.txt” say at the very beginning?", start("my notes.txt")],
  ["how does a.txt begin?", start("a.txt")],
  ["what’s at the top of a.txt", start("a.txt")],
  ["show me the first ten lines of a.txt", start("a.txt", 10)],
  ["first 3 lines of a.txt", start("a.txt", 3)],
  ["read the first 99999999999 lines of a.txt", start("a.txt", 2000)],
  ["list", list(".")],
  ["ls", list(".")],
  ["list .", list(".")],
  ["list ../..", list("../..")],
  ["list src", list("src")],
  ["list src/", list("src/")],
  ["list the src folder", list("src")],
  ["list the files in src.", list("src")],
  ["list all files here", list(".")],
  ["list src and test", [list("src"), list("test")]],
  ["what is in this folder?", list(".")],
  ["what files are in src?", list("src")],
  ["what's in src/", list("src/")],
  ["find TODO in src", search("TODO", "src")],
  [
    `find "hello world" in src and test`,
    [search("hello world", "src"), search("hello world", "test")],
  ],
  ["find x in y in src", search("x in y", "src")],
  ["search src for foo bar", search("foo bar", "src")],
  ["search for foo bar in .", search("foo bar", ".")],
  ["grep foo", search("foo", ".")],
  ["look for 'in' in a.txt", search("in", "a.txt")],
  ["find files named *.ts in src", findFiles("*.ts", "src")],
  ["find *.ts", findFiles("*.ts", ".")],
  ["run npm test", run("npm test")],
  ["run npm test.", run("npm test")],
  ["run ls .", run("ls .")],
  [`run "ls -la | head"`, run("ls -la | head")],
  [`run echo "a  b" > 'x y'`, run(`echo "a  b" > 'x y'`)],
  ["run echo a and b", run("echo a and b")],
  ["run cd x; ls", run("cd x; ls")],
  ["run if true; then ls; fi", run("if true; then ls; fi")],
  ["execute the command ls -la, please", run("ls -la")],
  ["$ ls -la", run("ls -la")],
  ["replace foo with bar in a.txt", replace("foo", "bar", "a.txt")],
  [`replace "foo bar" with "" in my file.txt`, replace("foo bar", "", "my file.txt")],
  [`replace "a in b" with 'with' in "c in d.txt"`, replace("a in b", "with", "c in d.txt")],
  ["replace all a with b in src/x.ts", replace("a", "b", "src/x.ts", true)],
  ["in a.txt, replace foo with bar.", replace("foo", "bar", "a.txt")],
  ["change foo to bar in the file Makefile", replace("foo", "bar", "Makefile")],
  ["write hello to a.txt", write("a.txt", "hello")],
  [`write "hello, world." to "my file.txt"`, write("my file.txt", "hello, world.")],
  ["write “one\n  two\n” to a.txt", write("a.txt", "one\n  two\n")],
  ["create a.txt with hello world.", write("a.txt", "hello world.")],
  [`create a file called notes.md with "x and then y"`, write("notes.md", "x and then y")],
  ["create an empty file x.txt", write("x.txt", "")],
  ["replace X with Y in a.txt then run npm test", replace("X", "Y", "a.txt"), run("npm test")],
  [
    "replace X with Y in a.txt, and then run node a.js and then read a.txt",
    replace("X", "Y", "a.txt"),
    run("node a.js"),
    read("a.txt"),
  ],
  ["read a.txt, then list src", read("a.txt"), list("src")],
  ["read a.txt and b.txt then run ls", [read("a.txt"), read("b.txt")], run("ls")],
  ["write hello to a.txt and run ls", write("a.txt", "hello"), run("ls")],
  ["read a.txt\nrun ls", read("a.txt"), run("ls")],
  ["read a.txt 然后 run ls", read("a.txt"), run("ls")],
];

const CHINESE: Case[] = [
  ["看看 a.txt 开头写了什么", start("a.txt")],
  ["看看a.txt开头写了什么？", start("a.txt")],
  ["a.txt 的开头是什么", start("a.txt")],
  ["看看「我的 报告.txt」开头写了什么", start("我的 报告.txt")],
  ["看一下 a.txt 的前 3 行", start("a.txt", 3)],
  ["a.txt 前十行", start("a.txt", 10)],
  ["读 a.txt", read("a.txt")],
  ["读一下 a.txt 和 b.txt", [read("a.txt"), read("b.txt")]],
  ["读一下a.txt和b.txt。", [read("a.txt"), read("b.txt")]],
  ["读 战争与和平.txt", read("战争与和平.txt")],
  ["读一下「我的 笔记.txt」、b.txt", [read("我的 笔记.txt"), read("b.txt")]],
  ["请帮我读一下 a.txt 好吗？", read("a.txt")],
  ["读取文件 a.txt 的内容", read("a.txt")],
  ["看看 a.txt", read("a.txt")],
  ["a.txt 里写了什么？", read("a.txt")],
  ["a.txt 里有什么", read("a.txt")],
  ["列出 src", list("src")],
  ["列出", list(".")],
  ["列出当前目录", list(".")],
  ["列出 src 目录里的所有文件", list("src")],
  ["列出当前目录和 src", [list("."), list("src")]],
  ["列出src和test", [list("src"), list("test")]],
  ["列出 文档", list("文档")],
  ["这里有什么文件？", list(".")],
  ["src 里有什么", list("src")],
  ["在 src 里找 TODO", search("TODO", "src")],
  ["在 当前目录 里搜索 “你好 世界”", search("你好 世界", ".")],
  ["查找 foo", search("foo", ".")],
  ["在 src 里找名为 *.ts 的文件", findFiles("*.ts", "src")],
  ["运行 npm test", run("npm test")],
  ["运行命令：ls -la。", run("ls -la")],
  ["执行 `ls | head`", run("ls | head")],
  ["用 bash 运行 ls", run("ls")],
  ["把 foo 换成 bar（在 a.txt 里）", replace("foo", "bar", "a.txt")],
  ["把 foo 换成 bar 在 a.txt 里", replace("foo", "bar", "a.txt")],
  ["把 a.txt 里的 foo 换成 bar", replace("foo", "bar", "a.txt")],
  ["把 a.txt 里的所有 foo 都换成 bar。", replace("foo", "bar", "a.txt", true)],
  ["把“旧 名”替换成“新 名”，在「我的.txt」中", replace("旧 名", "新 名", "我的.txt")],
  ["把 报告.txt 中的 旧 换成 新", replace("旧", "新", "报告.txt")],
  ["在 a.txt 里把 foo 改成 bar", replace("foo", "bar", "a.txt")],
  ["把 你好 写入 a.txt", write("a.txt", "你好")],
  ["写“你好，世界”到 a.txt", write("a.txt", "你好，世界")],
  ["创建 a.txt，内容为：你好", write("a.txt", "你好")],
  ["在 a.txt 里写入 hello", write("a.txt", "hello")],
  ["新建一个空文件 x.txt", write("x.txt", "")],
  [
    "把 a.txt 里的 foo 换成 bar，然后运行 npm test",
    replace("foo", "bar", "a.txt"),
    run("npm test"),
  ],
  ["先读 a.txt，然后列出 src，再运行 ls", read("a.txt"), list("src"), run("ls")],
];

for (const [language, cases] of [
  ["en", ENGLISH],
  ["zh", CHINESE],
] as [Language, Case[]][]) {
  describe(`phrases (${language})`, () => {
    for (const [prompt, ...steps] of cases) {
      test(`"${prompt}" is understood`, () => {
        assert.deepEqual(parsePhrase(prompt), {
          kind: "steps",
          language,
          steps: steps.map((step) => (Array.isArray(step) ? step : [step])),
        });
      });
    }
  });
}

describe("what is not understood", () => {
  const cases: [string, Language][] = [
    ["fix the bug", "en"],
    ["run the tests", "en"],
    ["write a poem to poem.txt", "en"],
    ["create a website with login", "en"],
    ["create a React.js app with tests", "en"],
    ["replace tabs with spaces in my code", "en"],
    ["read the docs and tell me how it works", "en"],
    ["read a.txt and tell me a joke", "en"],
    ["read a.txt then dance", "en"],
    ["read", "en"],
    [`read ""`, "en"],
    ["replace a with b", "en"],
    ["ls -la", "en"],
    [`read ${Array.from({ length: 17 }, (_, n) => `f${n}.txt`).join(", ")}`, "en"],
    ["运行测试", "zh"],
    ["写一首诗到 a.txt", "zh"],
    ["把 foo 换成 bar", "zh"],
    ["今天天气怎么样？", "zh"],
    ["读一下为什么天空是蓝色的", "zh"],
    ["读 a.txt 然后 跳舞", "zh"],
  ];
  for (const [prompt, language] of cases) {
    test(`"${prompt}" is not done, not even in part`, () => {
      assert.deepEqual(parsePhrase(prompt), { kind: "unknown", language });
    });
  }
  test("a text of any length ends quickly, whatever is repeated in it", () => {
    for (const unit of ["里 ", "，", "\n", "and ", "'", "“", "换成", " ", "then "]) {
      for (const opening of ["", "read ", "把 ", "list "]) {
        const started = performance.now();
        parsePhrase(opening + unit.repeat(200_000) + "!x");
        parsePhrase(opening + unit.repeat(900 / unit.length) + "!x");
        // Generous: the worst takes a fifth of a second.
        assert.ok(performance.now() - started < 5000, JSON.stringify([opening, unit]));
      }
    }
  });
});

describe("greetings", () => {
  for (const [prompt, language] of [
    ["hello", "en"],
    ["Hi!", "en"],
    ["help", "en"],
    ["What can you do?", "en"],
    ["", "en"],
    ["你好", "zh"],
    ["你能做什么？", "zh"],
    ["帮助", "zh"],
  ] as const) {
    test(`"${prompt}" is answered with what can be said`, () => {
      assert.deepEqual(parsePhrase(prompt), { kind: "hello", language });
    });
  }
});

test("any quoted name is read as it is written", () => {
  const name = fc.string({ unit: "binary", minLength: 1, maxLength: 40 });
  const quotes = fc.constantFrom(["“", "”"], ["「", "」"], ['"', '"'], ["`", "`"]);
  fc.assert(
    fc.property(name, quotes, (text, [open = "", close = ""]) => {
      fc.pre(!text.includes(close) && !text.includes(open));
      for (const prompt of [`read ${open}${text}${close}`, `读 ${open}${text}${close}`]) {
        const phrase = parsePhrase(prompt);
        assert.deepEqual(phrase.kind === "steps" && phrase.steps, [[{ do: "read", path: text }]]);
      }
    }),
  );
});

test("no text makes it throw", () => {
  const words = fc.constantFrom(
    "read",
    "把",
    "里",
    "a.txt",
    " ",
    "then",
    '"',
    "换成",
    "\n",
    "，",
    "\uE000",
    "in",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(words, fc.string()), { maxLength: 30 }), (parts) => {
      parsePhrase(parts.join(" "));
    }),
  );
});
