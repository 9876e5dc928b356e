// The search by ripgrep: the package's own program, else one on PATH. Its lines are cut by itself, so that a huge line
// costs no memory here.
import { posix } from "node:path";
import type { Workspace } from "../workspace/workspace.ts";
import type { FoundLine, Search, SearchOutcome } from "./grep.ts";

/** Bytes of one line that ripgrep gives. */
const MAX_COLUMNS = 4096;
/** Bytes of an error that are shown. */
const MAX_ERROR_BYTES = 2000;

/** Where ripgrep is; undefined if there is none that this workspace can run. */
export async function findRipgrep(workspace: Workspace): Promise<string | undefined> {
  const onPath = await workspace.findProgram("rg").catch(() => undefined);
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    // The package lies on this machine: a workspace elsewhere does not have it.
    if (await workspace.stat(rgPath)) return rgPath;
  } catch {
    // It is optional.
  }
  return onPath;
}

/** Runs one search. Throws with ripgrep's own words for a pattern that is none. */
export async function searchByRipgrep(
  workspace: Workspace,
  program: string,
  search: Search,
): Promise<SearchOutcome> {
  const { root, signal } = search;
  const folder = root.isFolder ? root.path : posix.dirname(root.path);
  const target = root.isFolder ? "." : `./${posix.basename(root.path)}`;
  const reader = new RecordReader(search);
  let errors = "";
  const enough = new AbortController();
  const signals = signal ? AbortSignal.any([signal, enough.signal]) : enough.signal;
  const end = await workspace.run({
    command: [program, ...flagsOf(search), "--", search.pattern, target],
    cwd: folder,
    signal: signals,
    onOutput: (chunk, stream) => {
      if (stream === "stderr") {
        if (errors.length < MAX_ERROR_BYTES) errors += new TextDecoder().decode(chunk);
      } else if (!reader.push(chunk)) enough.abort();
    },
  });
  signal?.throwIfAborted();
  reader.finish();
  // 0: matches, 1: none, 2: an error, which may be about single files only.
  if (end.code === 2 && reader.matches === 0 && /regex|glob|unrecognized|invalid/i.test(errors)) {
    throw new Error(firstLines(errors));
  }
  return {
    lines: reader.sorted(),
    matches: reader.matches,
    isPartial: reader.isFull,
    files: undefined,
    skipped: 0,
    unreadable: unreadableIn(errors),
  };
}

function flagsOf(search: Search): string[] {
  const { literal, ignoreCase, context, glob, ignored, parents } = search;
  return [
    "--no-config",
    "--no-heading",
    "--with-filename",
    "--line-number",
    "--null",
    "--color=never",
    "--no-context-separator",
    "--hidden",
    "--no-require-git",
    "--max-columns",
    String(MAX_COLUMNS),
    "--max-columns-preview",
    // Last glob wins: nothing brings .git back.
    ...(glob === undefined ? [] : ["--glob", glob]),
    "--glob",
    "!.git",
    ...(literal ? ["--fixed-strings"] : []),
    ...(ignoreCase ? ["--ignore-case"] : ["--case-sensitive"]),
    ...(context > 0 ? ["--context", String(context)] : []),
    ...(ignored ? ["--no-ignore"] : []),
    ...(parents ? [] : ["--no-ignore-parent"]),
  ];
}

/** Records are `path NUL line [:-] text LF`. */
class RecordReader {
  matches = 0;
  isFull = false;
  readonly #search: Search;
  readonly #lines: FoundLine[] = [];
  readonly #decoder = new TextDecoder();
  #rest = "";

  constructor(search: Search) {
    this.#search = search;
  }

  /** False when there is enough. */
  push(chunk: Uint8Array): boolean {
    const text = this.#rest + this.#decoder.decode(chunk, { stream: true });
    let from = 0;
    for (;;) {
      const nul = text.indexOf("\0", from);
      if (nul < 0) break;
      const end = text.indexOf("\n", nul);
      if (end < 0) break;
      this.#add(text.slice(from, nul), text.slice(nul + 1, end));
      from = end + 1;
    }
    this.#rest = text.slice(from);
    if (this.matches > this.#search.maxMatches) this.isFull = true;
    return !this.isFull;
  }

  finish(): void {
    const nul = this.#rest.indexOf("\0");
    if (nul >= 0) this.#add(this.#rest.slice(0, nul), this.#rest.slice(nul + 1));
  }

  /** By path; within a file in the order of the lines, which is how they came. */
  sorted(): FoundLine[] {
    return this.#lines.toSorted((a, b) => (a.path === b.path ? 0 : a.path < b.path ? -1 : 1));
  }

  #add(pathPart: string, record: string): void {
    const [, number, mark, text = ""] = /^(\d+)([:-])(.*)$/s.exec(record) ?? [];
    if (number === undefined) return;
    // A remark about a binary file may stand before the path.
    const path = pathPart.replace(/^[^\0]*(?:binary file matches|stopped searching)[^\n]*\n/, "");
    const isMatch = mark === ":";
    if (isMatch) this.matches++;
    if (this.#lines.length >= this.#search.maxLines) return;
    this.#lines.push({
      path: path.replace(/^\.\//, ""),
      line: Number(number),
      text: text.replace(/\r$/, ""),
      isMatch,
    });
  }
}

function unreadableIn(errors: string): string[] {
  return [
    ...errors.matchAll(/^(?:rg: )?(?:\.\/)?(.+?): (?:Permission denied|Operation not permitted)/gm),
  ].map(([, path = ""]) => path);
}

function firstLines(text: string): string {
  return text.trim().split("\n").slice(0, 6).join("\n");
}
