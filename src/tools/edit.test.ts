import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { WORKSPACE_KINDS, plantWorkspace } from "../../test/contracts/planted-workspace.ts";
import type { PlantedFiles } from "../../test/contracts/planted-workspace.ts";
import type { ToolResult } from "../core/tool.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { createEditTool } from "./edit.ts";
import type { EditDetails } from "./edit.ts";
import { wholeContent } from "./file-chunks.ts";
import type { Edit } from "./match-edit.ts";

const latin1 = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, "latin1"));
const utf8 = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, "utf8"));
const utf16 = (text: string): Uint8Array =>
  Uint8Array.from(Buffer.from(`\ufeff${text}`, "utf16le"));
const utf16be = (text: string): Uint8Array =>
  Uint8Array.from(Buffer.from(`\ufeff${text}`, "utf16le").swap16());

async function edit(
  workspace: Workspace,
  path: string,
  edits: Edit[],
): Promise<ToolResult<EditDetails>> {
  return createEditTool(workspace).execute("call", { path, edits });
}

async function bytesOf(workspace: Workspace, path: string): Promise<Uint8Array> {
  const file = await workspace.open(path);
  const content = await wholeContent(file, 1 << 30);
  await file.close();
  return Uint8Array.from(content ?? []);
}

interface Case {
  readonly before: string | Uint8Array;
  readonly edits: Edit[];
  readonly after?: string | Uint8Array;
  readonly fails?: RegExp;
}

const one = (oldText: string, newText: string, all?: boolean): Edit[] => [
  { oldText, newText, ...(all === undefined ? {} : { all }) },
];

const CASES: Readonly<Record<string, Case>> = {
  "the only place is replaced": { before: "a\nb\nc\n", edits: one("b", "B"), after: "a\nB\nc\n" },
  "a place can be taken away": { before: "a\nb\nc\n", edits: one("b\n", ""), after: "a\nc\n" },
  "several edits are matched against the original": {
    before: "one two three",
    edits: [...one("one", "two"), ...one("two", "three"), ...one("three", "one")],
    after: "two three one",
  },
  "edits may touch each other": {
    before: "abcd",
    edits: [...one("ab", "1"), ...one("cd", "2")],
    after: "12",
  },
  "edits may come in any order": {
    before: "abcd",
    edits: [...one("d", "2"), ...one("a", "1")],
    after: "1bc2",
  },
  "every place is replaced on request, side by side": {
    before: "aaaa-aa",
    edits: one("aa", "b", true),
    after: "bb-b",
  },
  "new text is written as given": {
    before: "x = 1",
    edits: one("1", "[\"'] ½ “q” $& $1  \t "),
    after: "x = [\"'] ½ “q” $& $1  \t ",
  },
  "LF old text matches a CRLF file, which stays one": {
    before: "a\r\nb\r\nc",
    edits: one("a\nb", "A\nB"),
    after: "A\r\nB\r\nc",
  },
  "so it does with all": {
    before: "a\r\nb\r\na\r\nb\r\n",
    edits: one("a\nb", "A\nnew\nB", true),
    after: "A\r\nnew\r\nB\r\nA\r\nnew\r\nB\r\n",
  },
  "all finds the places of both kinds in a mixed file": {
    before: "a\nb\r\na\r\nb\n",
    edits: one("a\nb", "A\nB", true),
    after: "A\nB\r\nA\r\nB\n",
  },
  "CRLF old text matches an LF file, which stays one": {
    before: "a\nb\n",
    edits: one("a\r\nb", "A\r\nB"),
    after: "A\nB\n",
  },
  "a line of its own in a CRLF file gets the line ends of its place": {
    before: "a\r\nb\r\nc\r\n",
    edits: one("b", "x\ny"),
    after: "a\r\nx\r\ny\r\nc\r\n",
  },
  "lines that stay in a mixed file keep their own line ends": {
    before: "a\r\nb\nc\r\nd\n",
    edits: one("a\nb\nc\nd", "a\nb\nnew\nc\nd"),
    after: "a\r\nb\nnew\nc\r\nd\n",
  },
  "a match begins and ends at line ends of two bytes": {
    before: "a\r\nb\r\nc\r\n",
    edits: one("\nb\n", "\nB\n"),
    after: "a\r\nB\r\nc\r\n",
  },
  "line ends of an old Mac are line ends": {
    before: "a\rb\rc",
    edits: one("a\nb", "A\nnew\nB"),
    after: "A\rnew\rB\rc",
  },
  "line ends can be changed by naming them": {
    before: "a\r\nb\r\nc\r\n",
    edits: one("a\r\nb\r\n", "a\nb\n"),
    after: "a\nb\nc\r\n",
  },
  "a byte order mark stays, and does not hide the first line": {
    before: "\ufeff# title\n",
    edits: one("# title", "# Title"),
    after: "\ufeff# Title\n",
  },
  "bytes that are no UTF-8 stay": {
    before: latin1("x=1\n// caf\xe9\n"),
    edits: one("x=1", "x=2"),
    after: latin1("x=2\n// caf\xe9\n"),
  },
  "new text goes into a windows-1252 file in its encoding": {
    before: latin1("// caf\xe9\nx\n"),
    edits: [...one("café", "thé €"), ...one("x", "ü")],
    after: latin1("// th\xe9 \x80\n\xfc\n"),
  },
  "a character that the file's encoding does not have is refused": {
    before: latin1("// caf\xe9\nx\n"),
    edits: one("x", "漢"),
    fails:
      /newText holds "漢" \(U\+6F22\), which the file's encoding \(windows-1252\) does not have/,
  },
  "an encoding that is not known takes ASCII": {
    before: latin1("x=1 \x81\x40 \x82\xa0\n"),
    edits: one("x=1", "x=2"),
    after: latin1("x=2 \x81\x40 \x82\xa0\n"),
  },
  "an encoding that is not known takes nothing else": {
    before: latin1("x=1 \x81\x40 \x82\xa0\n"),
    edits: one("x=1", "x=あ"),
    fails: /neither UTF-8 nor windows-1252, so there is no telling how to write "あ" \(U\+3042\)/,
  },
  "a stray byte in a UTF-8 file stays, and new text is UTF-8": {
    before: Buffer.concat([utf8("漢字 é x "), latin1("\xff")]),
    edits: one("x", "ü"),
    after: Buffer.concat([utf8("漢字 é ü "), latin1("\xff")]),
  },
  "UTF-16 files stay what they are": {
    before: utf16("a\r\nb 漢\r\n"),
    edits: one("a\nb", "A\n😀"),
    after: utf16("A\r\n😀 漢\r\n"),
  },
  "UTF-16 of the other order too": {
    before: utf16be("abc"),
    edits: one("b", "é"),
    after: utf16be("aéc"),
  },
  "a NUL byte is a character like others": {
    before: "a\0b\0c",
    edits: one("b", "B"),
    after: "a\0B\0c",
  },
  "an exact place wins over those that only look alike": {
    before: "a\nb\na\r\nb\n",
    edits: one("a\nb", "X"),
    after: "X\na\r\nb\n",
  },
  "an empty oldText is refused": {
    before: "a",
    edits: one("", "x"),
    fails: /oldText is empty.*use write/,
  },
  "equal texts are refused": {
    before: "a",
    edits: one("a", "a"),
    fails: /oldText and newText are the same/,
  },
  "an edit that changes nothing is refused": {
    before: "a\r\nb",
    edits: one("a\nb", "a\r\nb"),
    fails: /was not changed: with these edits it would be as it is already/,
  },
  "half a character is refused": {
    before: "a",
    edits: one("a", "\ud83d"),
    fails: /half of a surrogate pair/,
  },
  "a text that stands at several places is refused with their lines": {
    before: "x\ny\nx\n\nx\n",
    edits: one("x", "z"),
    fails: /oldText stands at 3 places \(lines 1, 3, 5\)\. Add lines around it.*all: true/,
  },
  "places that overlap each other are two places": {
    before: "aaa",
    edits: one("aa", "b"),
    fails: /stands at 2 places \(lines 1, 1\)/,
  },
  "edits that overlap are refused and named": {
    before: "a\nb\nc\n",
    edits: [...one("a\nb", "x"), ...one("b\nc", "y")],
    fails: /edits\[0\] and edits\[1\] overlap at line 2\. Join them/,
  },
  "one edit that fails keeps all others from being made, and every failure is told": {
    before: "a\nb\nc\n",
    edits: [...one("a", "x"), ...one("nope", "y"), ...one("", "z")],
    fails: /was not changed\.\nedits\[1\]: oldText not found[^]*edits\[2\]: oldText is empty/,
  },
  "a text that is not there is shown its nearest place and the first difference": {
    before: "function f() {\n\treturn 1;\n}\n",
    edits: one("function f() {\n    return 1;\n}", "x"),
    fails:
      /oldText not found\. Nearest place:\n1: function f\(\) \{\n2: \treturn 1;\n3: \}\nFirst difference at line 2, column 1: the file has "\\t" \(U\+0009\), oldText has " " \(U\+0020\)/,
  },
  "a difference that no eye can see is told by its code point": {
    before: "price: 10\u00a0€\n",
    edits: one("price: 10 €", "price: 11 €"),
    fails: /line 1, column 10: the file has "\u00a0" \(U\+00A0\), oldText has " " \(U\+0020\)/,
  },
  "a lost first character is found by the rest": {
    before: "one\nconst answer = 42;\nthree\n",
    edits: one("onst answer = 43;\nthree", "x"),
    fails: /Nearest place:\n2: const answer = 42;/,
  },
  "wrong indentation everywhere is found by the lines": {
    before: "if (a) {\n\tb();\n\tc();\n}\n",
    edits: one("  b();\n  c();", "x"),
    fails: /Nearest place:\n2: \tb\(\);\n3: \tc\(\);\nFirst difference at line 2, column 1/,
  },
  "text escaped once too often is recognised and not guessed at": {
    before: 'say("hi");\nbye();\n',
    edits: one('say(\\"hi\\");\\nbye();', "x"),
    fails: /With one level of backslashes taken away it stands at line 1/,
  },
  "a text that resembles nothing is told so": {
    before: "abc\n",
    edits: one("zzzzzzzzzzzz", "x"),
    fails: /Nothing in the file resembles it/,
  },
  "an empty file is told so": {
    before: "",
    edits: one("a", "b"),
    fails: /The file is empty; use write/,
  },
};

for (const kind of WORKSPACE_KINDS) {
  describe(`edit on the ${kind} workspace`, () => {
    for (const [title, { before, edits, after, fails }] of Object.entries(CASES)) {
      test(title, async () => {
        await using planted = await plantWorkspace(kind, { "a.txt": before });
        const { workspace } = planted;
        if (fails) await assert.rejects(edit(workspace, "a.txt", edits), { message: fails });
        else await edit(workspace, "a.txt", edits);
        const left = after ?? before;
        const expected = typeof left === "string" ? utf8(left) : Uint8Array.from(left);
        assert.deepEqual(await bytesOf(workspace, `${workspace.cwd}/a.txt`), expected);
      });
    }

    const places: Readonly<
      Record<string, { files: PlantedFiles; path: string; fails?: RegExp; lies?: string }>
    > = {
      "a link is edited through": {
        files: { "d/a": "old", to: { link: "d/a" } },
        path: "to",
        lies: "d/a",
      },
      "all names of a file see the edit": {
        files: { a: "old", b: { sameFileAs: "a" } },
        path: "b",
        lies: "a",
      },
      "a missing file is told its nearest names": {
        files: { "main.ts": "old" },
        path: "mian.ts",
        fails: /File not found: .*mian\.ts\. Nearest names in .*: main\.ts/,
      },
      "a folder is refused": {
        files: { "d/a": "x" },
        path: "d",
        fails: /d is a folder, not a file/,
      },
      "a FIFO is refused": { files: { p: { special: "fifo" } }, path: "p", fails: /p is a FIFO/ },
      "an unreadable file is named": {
        files: { a: { file: "old", mode: 0o200 } },
        path: "a",
        fails: /Permission denied: .*a/,
      },
    };
    for (const [title, { files, path, fails, lies = path }] of Object.entries(places)) {
      test(title, async () => {
        await using planted = await plantWorkspace(kind, files);
        const { workspace } = planted;
        const call = edit(workspace, path, one("old", "new"));
        if (fails) {
          await assert.rejects(call, { message: fails });
          return;
        }
        await call;
        assert.deepEqual(await bytesOf(workspace, `${workspace.cwd}/${lies}`), utf8("new"));
        const link = await workspace.stat(`${workspace.cwd}/${path}`, { followLinks: false });
        assert.equal(link?.kind, lies === "d/a" ? "link" : "file");
      });
    }
  });
}
