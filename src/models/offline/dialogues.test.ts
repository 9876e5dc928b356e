// Whole small dialogues: a prompt, the calls that it leads to, results as tools would give them, and the answer.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  CHINESE_END,
  ENGLISH_END,
  type FakeResult,
  FOUR,
  talk,
} from "../../../test/kit/talk-offline.ts";

interface DialogueCase {
  prompt: string;
  tools?: readonly string[];
  calls: string[][];
  results: FakeResult[];
  /** Without the signature. */
  answer: string;
}

const TEN = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`);

const ENGLISH: DialogueCase[] = [
  {
    prompt: "what does a.txt say at the start?",
    calls: [['read {"path":"a.txt","limit":5}']],
    results: ["one\ntwo\nthree\nfour\nfive\n\n[7 more lines in file. Use offset=6 to continue.]"],
    answer: "At the start, a.txt says:\n> one\n> two\n> three\n> four\n> five\n… and 7 more lines.",
  },
  {
    prompt: "read a.txt and b.txt",
    calls: [['read {"path":"a.txt"}', 'read {"path":"b.txt"}']],
    results: [TEN.join("\n"), "hi"],
    answer: `a.txt says:\n${TEN.slice(0, 10)
      .map((line) => `> ${line}`)
      .join("\n")}\n… and 2 more lines.\n\nb.txt says:\n> hi`,
  },
  {
    prompt: "list src",
    calls: [['ls {"path":"src"}']],
    results: ["a.ts\nb.ts"],
    answer: "src holds:\n> a.ts\n> b.ts",
  },
  {
    prompt: "list",
    tools: FOUR,
    calls: [['bash {"command":"ls -- ."}']],
    results: ["a.ts"],
    answer: "This folder holds:\n> a.ts",
  },
  {
    prompt: "find TODO in src",
    calls: [['grep {"pattern":"TODO","path":"src","literal":true}']],
    results: ["src/a.ts:3: // TODO"],
    answer: `"TODO" in src:\n> src/a.ts:3: // TODO`,
  },
  {
    prompt: `find "it's" in src`,
    tools: FOUR,
    calls: [[`bash {"command":"grep -rnF -e 'it'\\\\''s' -- src"}`]],
    results: ["(no output)"],
    answer: `"it's" in src: nothing found.`,
  },
  {
    prompt: "run npm test",
    calls: [['bash {"command":"npm test"}']],
    results: [""],
    answer: "`npm test` ran and printed nothing.",
  },
  {
    prompt: `write "hi there" to a.txt`,
    calls: [['write {"path":"a.txt","content":"hi there"}']],
    results: ["Created a.txt"],
    answer: "I wrote a.txt:\n> Created a.txt",
  },
  {
    prompt: "replace X with Y in a.txt then run npm test",
    calls: [
      ['edit {"path":"a.txt","edits":[{"oldText":"X","newText":"Y"}]}'],
      ['bash {"command":"npm test"}'],
    ],
    results: ["Edited a.txt", "5 passed"],
    answer: `I replaced "X" with "Y" in a.txt:\n> Edited a.txt\n\n\`npm test\` ran:\n> 5 passed`,
  },
  {
    prompt: "replace X with Y in a.txt then run npm test and then read a.txt",
    calls: [['edit {"path":"a.txt","edits":[{"oldText":"X","newText":"Y"}]}']],
    results: [{ error: "oldText not found" }],
    answer:
      '`edit` failed when I tried to replace "X" with "Y" in a.txt:\n> oldText not found\n\n' +
      "So I stopped here. Not done: run `npm test`; read a.txt. Ask for it again when the cause is mended.",
  },
  {
    prompt: "read a.txt and b.txt then run ls",
    calls: [['read {"path":"a.txt"}', 'read {"path":"b.txt"}']],
    results: ["fine", { error: "File not found: b.txt" }],
    answer:
      "a.txt says:\n> fine\n\n`read` failed when I tried to read b.txt:\n> File not found: b.txt\n\n" +
      "So I stopped here. Not done: run `ls`. Ask for it again when the cause is mended.",
  },
  {
    prompt: "run npm test",
    calls: [['bash {"command":"npm test"}']],
    results: [{ error: "1 failed\n\n[exit code 1]" }],
    answer: "`bash` failed when I tried to run `npm test`:\n> 1 failed\n>\n> [exit code 1]",
  },
  {
    prompt: "replace X with Y in a.txt then run npm test",
    tools: ["read", "grep", "find", "ls"],
    calls: [],
    results: [],
    answer:
      "For this I need what is not switched on here: `edit`, `bash`. " +
      "Start Errand with `--tools read,bash,edit,write,grep,find,ls` to have all seven tools.",
  },
  {
    prompt: "read a.txt",
    tools: [],
    calls: [],
    results: [],
    answer:
      "For this I need what is not switched on here: `read`. " +
      "Start Errand with `--tools read,bash,edit,write,grep,find,ls` to have all seven tools.",
  },
];

const CHINESE: DialogueCase[] = [
  {
    prompt: "看看 a.txt 开头写了什么",
    calls: [['read {"path":"a.txt","limit":5}']],
    results: ["一\n二\n\n[1 more line in file. Use offset=3 to continue.]"],
    answer: "a.txt 开头写的是：\n> 一\n> 二\n……还有 1 行。",
  },
  {
    prompt: "读一下 a.txt 和 b.txt",
    calls: [['read {"path":"a.txt"}', 'read {"path":"b.txt"}']],
    results: ["甲", ""],
    answer: "a.txt 写的是：\n> 甲\n\nb.txt 写的是空的，什么也没有。",
  },
  {
    prompt: "列出当前目录",
    calls: [['ls {"path":"."}']],
    results: ["a.txt"],
    answer: "当前目录里有：\n> a.txt",
  },
  {
    prompt: "在 src 里找 TODO",
    tools: FOUR,
    calls: [['bash {"command":"grep -rnF -e TODO -- src"}']],
    results: ["src/a.ts:1:TODO"],
    answer: "在 src 里找“TODO”：\n> src/a.ts:1:TODO",
  },
  {
    prompt: "运行 npm test",
    calls: [['bash {"command":"npm test"}']],
    results: ["(no output)"],
    answer: "`npm test` 运行完了，没有输出。",
  },
  {
    prompt: "把 a.txt 里的“旧 的”换成「新」，然后运行 npm test",
    calls: [
      ['edit {"path":"a.txt","edits":[{"oldText":"旧 的","newText":"新"}]}'],
      ['bash {"command":"npm test"}'],
    ],
    results: ["Edited a.txt", "5 passed"],
    answer:
      "我把 a.txt 里的“旧 的”换成了“新”：\n> Edited a.txt\n\n`npm test` 运行完了：\n> 5 passed",
  },
  {
    prompt: "把 A 换成 B（在 a.txt 里）然后读 a.txt",
    calls: [['edit {"path":"a.txt","edits":[{"oldText":"A","newText":"B"}]}']],
    results: [{ error: "oldText not found" }],
    answer:
      "我想把 a.txt 里的“A”换成“B”，但 `edit` 失败了：\n> oldText not found\n\n" +
      "所以我停在这里。还没有做：读 a.txt。排除原因后请再说一遍。",
  },
  {
    prompt: "把“你好”写入 a.txt",
    calls: [['write {"path":"a.txt","content":"你好"}']],
    results: ["Created a.txt"],
    answer: "我写好了 a.txt：\n> Created a.txt",
  },
  {
    prompt: "运行 ls",
    tools: ["read", "grep", "find", "ls"],
    calls: [],
    results: [],
    answer:
      "这需要现在没有启用的工具：`bash`。" +
      "用 `--tools read,bash,edit,write,grep,find,ls` 启动 Errand，就有全部七个工具。",
  },
];

for (const [language, cases, end] of [
  ["English", ENGLISH, ENGLISH_END],
  ["Chinese", CHINESE, CHINESE_END],
] as const) {
  describe(`dialogues in ${language}`, () => {
    for (const { prompt, tools, calls, results, answer } of cases) {
      const withTools = tools ? ` with ${tools.join(",") || "no tools"}` : "";
      test(`"${prompt}"${withTools} asks for ${calls.length} batches and tells what came of it`, async () => {
        const dialogue = await talk(prompt, results, tools);
        assert.deepEqual(dialogue.calls, calls);
        assert.equal(dialogue.answer, answer + end);
      });
    }
  });
}
