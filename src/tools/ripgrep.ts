// The search by ripgrep: the package's own program, else one on PATH.
import { posix } from "node:path";
import { showPath } from "../workspace/show-path.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { simpleNameGlob } from "./path-glob.ts";
import { RipgrepRecords } from "./ripgrep-records.ts";
import type { Search, SearchOutcome } from "./search.ts";

/** Bytes of complaints that are kept. */
const MAX_ERROR_BYTES = 65_536;

/** A ripgrep that may be run. */
export interface Ripgrep {
  program: string;
  /** The package's own, which has a second engine for look-around. */
  isBundled: boolean;
}

/**
 * Where ripgrep is; undefined if the workspace has none. One that lies inside the workspace is not taken: whoever wrote the project
 * would run code by a tool that only reads.
 */
export async function findRipgrep(workspace: Workspace): Promise<Ripgrep | undefined> {
  const bundled = await bundledRipgrep(workspace);
  if (bundled !== undefined) return { program: bundled, isBundled: true };
  const onPath = await workspace.findProgram("rg").catch(() => undefined);
  if (onPath === undefined) return undefined;
  const places = [onPath, await workspace.realPath(onPath).catch(() => onPath)];
  return places.some((path) => isInside(path, workspace.cwd))
    ? undefined
    : { program: onPath, isBundled: false };
}

async function bundledRipgrep(workspace: Workspace): Promise<string | undefined> {
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    // The package lies on this machine: a workspace elsewhere does not have it.
    return await workspace.findProgram(rgPath);
  } catch {
    // It is optional.
    return undefined;
  }
}

function isInside(path: string, folder: string): boolean {
  const relative = posix.relative(folder, path);
  return relative !== ".." && !relative.startsWith("../");
}

/** Runs one search. Throws a SyntaxError with ripgrep's own words for a pattern that is none. */
export async function searchByRipgrep(
  workspace: Workspace,
  ripgrep: Ripgrep,
  search: Search,
): Promise<SearchOutcome> {
  const { root, bounds } = search;
  const records = new RipgrepRecords(search);
  const complaints: Buffer[] = [];
  let complained = 0;
  const enough = new AbortController();
  const signal = search.signal ? AbortSignal.any([search.signal, enough.signal]) : enough.signal;
  const end = await workspace.run({
    command: [ripgrep.program, ...flagsOf(search, ripgrep), "--", targetOf(search)],
    cwd: root.isFolder ? root.path : posix.dirname(root.path),
    signal,
    timeoutMs: bounds.timeMs,
    onOutput: (chunk, stream) => {
      if (stream === "stderr") {
        if (complained < MAX_ERROR_BYTES) complaints.push(Buffer.from(chunk));
        complained += chunk.length;
        return;
      }
      if (enough.signal.aborted) return;
      records.push(chunk);
      if (records.isFull()) enough.abort();
    },
  });
  search.signal?.throwIfAborted();
  const errors = Buffer.concat(complaints).toString();
  if (end.endedBy === "itself" && !records.isComplete) throw failure(errors);
  const files = records.finish();
  return {
    files,
    ...(enough.signal.aborted ? { endedBy: "matches" as const } : {}),
    ...(end.endedBy === "timeout" ? { endedBy: "time" as const } : {}),
    unreadable: unreadableIn(errors),
    isBinaryRoot: !root.isFolder && records.sawBinary,
  };
}

function flagsOf(search: Search, { isBundled }: Ripgrep): string[] {
  const { literal, ignoreCase, context, glob, scope, pattern } = search;
  const name = glob === undefined ? undefined : simpleNameGlob(glob);
  return [
    "--json",
    "--no-config",
    "--hidden",
    // A NUL byte is found wherever it is.
    "--no-mmap",
    "--crlf",
    // What another machine would not have does not count.
    "--no-ignore-global",
    "--no-ignore-exclude",
    "--no-ignore-messages",
    ...(scope.ignored ? ["--no-ignore"] : []),
    ...(scope.hidesRoot ? ["--no-ignore-parent"] : []),
    ...(scope.isInRepository && !scope.hidesRoot ? [] : ["--no-require-git"]),
    // A wanted glob given as such would bring ignored files back; a type does not. Paths are looked at when they come.
    ...(name === undefined ? [] : ["--type-add", `wanted:${name}`, "--type", "wanted"]),
    "--glob",
    "!.git",
    ...(isBundled ? ["--engine=auto"] : []),
    ...(literal ? ["--fixed-strings"] : []),
    ignoreCase ? "--ignore-case" : "--case-sensitive",
    ...(context > 0 ? [`--context=${context}`] : []),
    `--regexp=${pattern}`,
  ];
}

function targetOf({ root }: Search): string {
  return root.isFolder ? "./" : `./${posix.basename(root.path)}`;
}

function failure(errors: string): Error {
  const text = errors.trim().slice(0, 1000) || "it ended without a word";
  const isPattern = /regex|pattern|PCRE2|engine/i.test(text);
  const words = text.replaceAll(/^rg: /gm, "");
  return isPattern ? new SyntaxError(words) : new Error(`The search failed: ${showPath(words)}`);
}

/** What ripgrep complains about that has a path: `rg: ./path: reason (os error N)`. */
function unreadableIn(errors: string): string[] {
  const complaints = errors.matchAll(/^rg: (?:\.\/)?([^]+?): [^:\n]+ \(os error \d+\)$/gm);
  return [...new Set([...complaints].map(([, path = ""]) => (path === "" ? "." : path)))];
}
