// The form of a grammar rule, and what both languages' rules share.
import {
  certainFilePath,
  commandLine,
  contentText,
  filePath,
  folderPath,
  pathList,
  plainText,
} from "./arguments.ts";
import type { Action } from "./phrase.ts";
import type { Masked } from "./quotes.ts";

/** What a rule found. */
export interface Found {
  actions: Action[];
  /** Its last argument is free text: only a clear "then" ends it. */
  openEnded: boolean;
}

/** Named groups of a rule's match. */
export type Groups = Readonly<Record<string, string | undefined>>;

export interface Rule {
  pattern: RegExp;
  make(this: void, groups: Groups, masked: Masked): Found | undefined;
  /** Matched with the punctuation at the end. */
  verbatim?: boolean;
}

/** The first rule's actions that fit the clause. */
export function applyRules(
  rules: readonly Rule[],
  clause: { whole: string; bare: string },
  masked: Masked,
): Found | undefined {
  for (const { pattern, make, verbatim } of rules) {
    const match = pattern.exec(verbatim ? clause.whole : clause.bare);
    const found = match ? make(match.groups ?? {}, masked) : undefined;
    if (found && found.actions.length > 0) return found;
  }
  return undefined;
}

function closed(actions: Action[] | undefined): Found | undefined {
  return actions && { actions, openEnded: false };
}

/** The lines that "the start" of a file has where no number is said. */
const START_LINES = 5;
const MOST_START_LINES = 2000;

const CHINESE_DIGITS = "零一二三四五六七八九十";

function lineCount(text: string | undefined): number {
  if (text === undefined) return START_LINES;
  const words = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
  ];
  const digit = text === "两" ? 2 : CHINESE_DIGITS.indexOf(text);
  const count = /^\d+$/.test(text)
    ? Number(text)
    : Math.max(words.indexOf(text.toLowerCase()), digit);
  return count > 0 ? Math.min(count, MOST_START_LINES) : START_LINES;
}

/** Reads `path`, a list of files that stand behind a verb that only means files. */
export function readFiles({ path = "" }: Groups, masked: Masked): Found | undefined {
  const paths = pathList(path, masked, filePath);
  return closed(paths?.map((one) => ({ do: "read", path: one })));
}

/** Reads `path`, a list of files that must look like some. */
export function readCertainFiles({ path = "" }: Groups, masked: Masked): Found | undefined {
  const paths = pathList(path, masked, certainFilePath);
  return closed(paths?.map((one) => ({ do: "read", path: one })));
}

/** What is in `path`: a file's text, or a folder's names. */
export function lookInside(groups: Groups, masked: Masked): Found | undefined {
  const { path = "" } = groups;
  const isFile = certainFilePath(path, masked) !== undefined && !/[/\\.]$/.test(path.trim());
  const named = folderPath(path, masked);
  const looksLikeFolder =
    named === "." || /\s(?:folder|directory|dir)$|(?:目录|文件夹)$/i.test(path);
  return isFile && !looksLikeFolder ? readFiles(groups, masked) : list(groups, masked);
}

/** The first lines of `path`. */
export function startOfFile(groups: Groups, masked: Masked): Found | undefined {
  const { path = "", lines } = groups;
  const paths = pathList(path, masked, certainFilePath);
  return closed(paths?.map((one) => ({ do: "start", path: one, lines: lineCount(lines) })));
}

/** Lists `path`, a list of folders; the current one if it is left out. */
export function list({ path = "" }: Groups, masked: Masked): Found | undefined {
  const paths = pathList(path, masked, folderPath);
  return closed(paths?.map((one) => ({ do: "list", path: one })));
}

/** Looks for `text` in `path`; without a path the text must be one word or quoted. */
export function search({ text = "", path }: Groups, masked: Masked): Found | undefined {
  const paths = pathList(path ?? "", masked, folderPath);
  const wanted = plainText(text, masked);
  if (!wanted || !paths || (path === undefined && /\s/.test(text.trim()))) return undefined;
  if (/^[^\s]*\*[^\s]*$/.test(text.trim())) return findFiles({ pattern: text, path }, masked);
  return closed(paths.map((one) => ({ do: "search", text: wanted, path: one })));
}

/** Finds files by a pattern of their names. */
export function findFiles({ pattern = "", path }: Groups, masked: Masked): Found | undefined {
  const paths = pathList(path ?? "", masked, folderPath);
  const wanted = plainText(pattern, masked);
  if (!wanted || !paths) return undefined;
  return closed(paths.map((one) => ({ do: "findFiles", pattern: wanted, path: one })));
}

/** Runs `command`. */
export function run({ command = "" }: Groups, masked: Masked): Found | undefined {
  const line = commandLine(command, masked);
  return line === undefined
    ? undefined
    : { actions: [{ do: "run", command: line }], openEnded: true };
}

/** Puts `new` in the place of `old` in the file `path`. */
export function replace(groups: Groups, masked: Masked): Found | undefined {
  const { old = "", new: replacement = "" } = groups;
  const path = certainFilePath(groups["path"] ?? "", masked);
  const oldText = plainText(old, masked);
  const newText = plainText(replacement, masked);
  if (path === undefined || !oldText || newText === undefined) return undefined;
  const all = groups["all"] !== undefined || groups["each"] !== undefined;
  return closed([{ do: "replace", oldText, newText, path, all }]);
}

/** Makes `text` the content of the file `path`. */
export function write({ text = "", path = "" }: Groups, masked: Masked): Found | undefined {
  const file = certainFilePath(path, masked);
  const content = contentText(text, masked);
  if (file === undefined || content === undefined) return undefined;
  return closed([{ do: "write", path: file, content }]);
}

/** The same where the text comes last. */
export function writeRest(groups: Groups, masked: Masked): Found | undefined {
  const found = write(groups, masked);
  return found && { ...found, openEnded: true };
}

/** Makes an empty file `path`. */
export function writeNothing({ path = "" }: Groups, masked: Masked): Found | undefined {
  const file = certainFilePath(path, masked);
  return closed(file === undefined ? undefined : [{ do: "write", path: file, content: "" }]);
}
