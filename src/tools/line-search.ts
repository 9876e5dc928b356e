// The search without ripgrep: our own walk and one regular expression a line, over any workspace.
import { posix } from "node:path";
import picomatch from "picomatch";
import type { Workspace } from "../workspace/workspace.ts";
import type { FoundLine, Search, SearchOutcome } from "./grep.ts";
import { walk } from "./walk.ts";

/** Larger files are looked at up to here. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** A NUL byte this far into a file makes it a binary one. */
const SNIFFED_BYTES = 8192;
/** Files that are searched at the same time. */
const AT_ONCE = 8;

/** Searches file by file, in the order of the paths. Throws for a pattern that is no regular expression. */
export async function searchLines(workspace: Workspace, search: Search): Promise<SearchOutcome> {
  const { root, signal, parents, ignored } = search;
  const expression = expressionOf(search);
  const walked = root.isFolder
    ? await walk(workspace, root.path, { ignored, parents, signal })
    : { entries: [{ path: "", kind: "file" as const }], skipped: 0, unreadable: [] };
  const isWanted = search.glob === undefined ? () => true : globMatcher(search.glob);
  const files = walked.entries.filter(({ path, kind }) => kind === "file" && isWanted(path));
  const outcome: SearchOutcome = {
    lines: [],
    matches: 0,
    isPartial: false,
    files: files.length,
    skipped: walked.skipped,
    unreadable: [...walked.unreadable],
  };
  for (let at = 0; at < files.length && !outcome.isPartial; at += AT_ONCE) {
    signal?.throwIfAborted();
    const some = files.slice(at, at + AT_ONCE);
    const found = await Promise.all(
      some.map(({ path }) => searchFile(workspace, { path, search, expression })),
    );
    for (const [n, lines] of found.entries()) {
      if (lines === undefined) outcome.unreadable.push(some[n]?.path ?? "");
      else addLines(outcome, lines, search);
    }
  }
  return outcome;
}

function addLines(outcome: SearchOutcome, lines: readonly FoundLine[], search: Search): void {
  for (const line of lines) {
    if (line.isMatch) outcome.matches++;
    if (outcome.lines.length < search.maxLines) outcome.lines.push(line);
  }
  if (outcome.matches > search.maxMatches) outcome.isPartial = true;
}

function expressionOf({ pattern, literal, ignoreCase }: Search): RegExp {
  const source = literal ? pattern.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&") : pattern;
  return new RegExp(source, ignoreCase ? "iu" : "u");
}

/** As ripgrep takes globs: one without a slash is about names. */
function globMatcher(glob: string): (path: string) => boolean {
  const isExcluding = glob.startsWith("!");
  const wanted = isExcluding ? glob.slice(1) : glob;
  const byName = !wanted.includes("/");
  const isMatch = picomatch(wanted.replace(/^\//, ""), { dot: true });
  return (path) => isMatch(byName ? path.slice(path.lastIndexOf("/") + 1) : path) !== isExcluding;
}

interface OneFile {
  path: string;
  search: Search;
  expression: RegExp;
}

/** Undefined if the file cannot be read. */
async function searchFile(
  workspace: Workspace,
  { path, search, expression }: OneFile,
): Promise<FoundLine[] | undefined> {
  const { root, context } = search;
  const text = await readText(workspace, path === "" ? root.path : posix.join(root.path, path));
  if (text === undefined) return undefined;
  const shown = path === "" ? posix.basename(root.path) : path;
  const lines = (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
  const wanted = new Map<number, boolean>();
  for (const [at, line] of lines.entries()) {
    if (!expression.test(line)) continue;
    for (
      let near = Math.max(0, at - context);
      near <= Math.min(lines.length - 1, at + context);
      near++
    ) {
      if (near !== at && !wanted.has(near)) wanted.set(near, false);
    }
    wanted.set(at, true);
  }
  return [...wanted]
    .toSorted(([a], [b]) => a - b)
    .map(([at, isMatch]) => ({
      path: shown,
      line: at + 1,
      text: (lines[at] ?? "").replace(/\r$/, ""),
      isMatch,
    }));
}

/** A binary file reads as nothing to search. */
async function readText(workspace: Workspace, path: string): Promise<string | undefined> {
  try {
    const file = await workspace.open(path);
    try {
      const bytes = new Uint8Array(Math.min(file.stat.size, MAX_FILE_BYTES));
      let filled = 0;
      while (filled < bytes.length) {
        const got = await file.read(bytes.subarray(filled), filled);
        if (got === 0) break;
        filled += got;
      }
      if (bytes.subarray(0, SNIFFED_BYTES).includes(0)) return "";
      return new TextDecoder().decode(bytes.subarray(0, filled));
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}
