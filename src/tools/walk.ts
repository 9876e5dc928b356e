// Walks a folder as git would see it: ignore rules count, links are not followed, `.git` is never entered.
import type { FolderEntry, Workspace } from "../workspace/workspace.ts";
import { isIgnored, rulesIn } from "./ignore-rules.ts";
import type { FolderRules } from "./ignore-rules.ts";

/** Entries that one walk looks at; beyond, it ends and says so. */
export const MAX_ENTRIES = 1_000_000;
/** Folders that are read at the same time. */
const AT_ONCE = 16;

/** What the walk found. */
export interface WalkedEntry {
  /** Relative to the root, with `/`. */
  path: string;
  kind: FolderEntry["kind"];
}

export interface WalkOptions {
  /** Ignored entries too. */
  ignored: boolean;
  /** The rules of the folders above the root, as far as they count. */
  above: FolderRules | undefined;
  /** Called for each entry, in no particular order; what it keeps is its business. */
  onEntry?: (entry: WalkedEntry) => void;
  /** The walk ends early when this says so; asked between folders, with how many entries were seen. */
  isOver?: (seen: number) => boolean;
  signal?: AbortSignal | undefined;
}

export interface Walk {
  /** Files and folders that ignore rules left out; a folder counts once. */
  skipped: number;
  /** Folders that could not be read, relative to the root. */
  unreadable: string[];
  /** The walk ended before everything was seen. */
  isPartial: boolean;
}

interface Folder {
  absolute: string;
  relative: string;
  rules: FolderRules | undefined;
}

/** Looks at everything below `root`, folders near it first. Rejects only with the signal's reason. */
export async function walk(
  workspace: Workspace,
  root: string,
  options: WalkOptions,
): Promise<Walk> {
  const walked: Walk = { skipped: 0, unreadable: [], isPartial: false };
  let seen = 0;
  let level: Folder[] = [{ absolute: root, relative: "", rules: options.above }];
  while (level.length > 0) {
    const next: Folder[] = [];
    for (let at = 0; at < level.length; at += AT_ONCE) {
      options.signal?.throwIfAborted();
      if (seen > MAX_ENTRIES || options.isOver?.(seen)) return { ...walked, isPartial: true };
      const some = level.slice(at, at + AT_ONCE);
      const found = await Promise.all(some.map((folder) => readFolder(workspace, folder, options)));
      for (const [n, read] of found.entries()) {
        if (read === undefined) walked.unreadable.push(some[n]?.relative || ".");
        else {
          seen += read.seen;
          walked.skipped += read.skipped;
          for (const folder of read.folders) next.push(folder);
        }
      }
    }
    level = next;
  }
  return walked;
}

interface ReadFolder {
  seen: number;
  skipped: number;
  folders: Folder[];
}

/** Undefined if the folder cannot be read. */
async function readFolder(
  workspace: Workspace,
  folder: Folder,
  { ignored, onEntry }: WalkOptions,
): Promise<ReadFolder | undefined> {
  let entries: FolderEntry[];
  try {
    entries = await workspace.list(folder.absolute);
  } catch {
    return undefined;
  }
  const rules = ignored
    ? undefined
    : await rulesIn(workspace, { path: folder.absolute, entries }, folder.rules);
  const read: ReadFolder = { seen: entries.length, skipped: 0, folders: [] };
  const start = folder.relative === "" ? "" : `${folder.relative}/`;
  const absoluteStart = folder.absolute === "/" ? "/" : `${folder.absolute}/`;
  for (const { name, kind } of entries) {
    if (name === ".git") continue;
    const absolute = absoluteStart + name;
    if (rules && isIgnored(rules, absolute, kind === "folder")) {
      read.skipped++;
      continue;
    }
    const relative = start + name;
    onEntry?.({ path: relative, kind });
    if (kind === "folder") read.folders.push({ absolute, relative, rules });
  }
  return read;
}

/** By code unit, the same everywhere. */
export function comparePaths(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
