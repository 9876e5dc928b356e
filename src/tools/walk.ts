// Walks a folder as git would see it: ignore files count for their own folder and below, a repository inside is its own
// world, links are not followed, and `.git` is never entered.
import { posix } from "node:path";
import ignore, { type Ignore } from "ignore";
import type { FolderEntry, Workspace } from "../workspace/workspace.ts";

/** Entries that one walk looks at; beyond, it ends and says so. */
export const MAX_ENTRIES = 500_000;
/** Folders that are read at the same time. */
const AT_ONCE = 16;
/** In order: later ones win. */
const IGNORE_FILES = [".gitignore", ".ignore", ".rgignore"] as const;
/** Bytes of an ignore file that are read. */
const MAX_IGNORE_BYTES = 1024 * 1024;

/** What the walk found. */
export interface WalkedEntry {
  /** Relative to the root, with `/`. */
  path: string;
  kind: FolderEntry["kind"];
}

export interface WalkOptions {
  /** Ignored entries too. */
  ignored: boolean;
  /** Rules of the folders above the root count. */
  parents: boolean;
  signal?: AbortSignal | undefined;
}

export interface Walk {
  entries: WalkedEntry[];
  /** Files and folders that ignore rules left out; a folder counts once. */
  skipped: number;
  /** Folders that could not be read. */
  unreadable: string[];
  /** The walk ended before everything was seen. */
  isPartial: boolean;
}

interface Rules {
  /** Absolute folder of the ignore file. */
  base: string;
  matcher: Ignore;
}

interface Folder {
  absolute: string;
  relative: string;
  rules: readonly Rules[];
}

/** Everything below `root`, in the order of the paths. */
export async function walk(
  workspace: Workspace,
  root: string,
  options: WalkOptions,
): Promise<Walk> {
  const walked: Walk = { entries: [], skipped: 0, unreadable: [], isPartial: false };
  const above = options.parents && !options.ignored ? await parentRules(workspace, root) : [];
  let level: Folder[] = [{ absolute: root, relative: "", rules: above }];
  while (level.length > 0 && !walked.isPartial) {
    const next: Folder[] = [];
    for (let at = 0; at < level.length; at += AT_ONCE) {
      options.signal?.throwIfAborted();
      const some = level.slice(at, at + AT_ONCE);
      const found = await Promise.all(some.map((folder) => readFolder(workspace, folder, options)));
      for (const one of found) {
        walked.skipped += one.skipped;
        walked.unreadable.push(...one.unreadable);
        walked.entries.push(...one.entries);
        next.push(...one.folders);
      }
      if (walked.entries.length > MAX_ENTRIES) {
        walked.isPartial = true;
        break;
      }
    }
    level = next;
  }
  walked.entries.sort((a, b) => compare(a.path, b.path));
  return walked;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

interface ReadFolder {
  entries: WalkedEntry[];
  folders: Folder[];
  skipped: number;
  unreadable: string[];
}

async function readFolder(
  workspace: Workspace,
  folder: Folder,
  { ignored }: WalkOptions,
): Promise<ReadFolder> {
  const read: ReadFolder = { entries: [], folders: [], skipped: 0, unreadable: [] };
  let listed: FolderEntry[];
  try {
    listed = await workspace.list(folder.absolute);
  } catch {
    read.unreadable.push(folder.relative === "" ? "." : folder.relative);
    return read;
  }
  const rules = ignored ? [] : await rulesOf(workspace, folder, listed);
  for (const { name, kind } of listed) {
    if (name === ".git") continue;
    const absolute = posix.join(folder.absolute, name);
    const relative = folder.relative === "" ? name : `${folder.relative}/${name}`;
    if (isIgnored(rules, absolute, kind === "folder")) {
      read.skipped++;
      continue;
    }
    read.entries.push({ path: relative, kind });
    if (kind === "folder") read.folders.push({ absolute, relative, rules });
  }
  return read;
}

/** A repository of its own starts anew; else the folder's ignore files join those above. */
async function rulesOf(
  workspace: Workspace,
  folder: Folder,
  listed: readonly FolderEntry[],
): Promise<readonly Rules[]> {
  const names = new Set(listed.map(({ name }) => name));
  const isRepository = names.has(".git") && folder.relative !== "";
  const above = isRepository ? [] : folder.rules;
  const own = await readRules(
    workspace,
    folder.absolute,
    IGNORE_FILES.filter((name) => names.has(name)),
  );
  return own.length > 0 ? [...above, ...own] : above;
}

async function readRules(
  workspace: Workspace,
  base: string,
  names: readonly string[],
): Promise<Rules[]> {
  const rules: Rules[] = [];
  for (const name of names) {
    const text = await readText(workspace, posix.join(base, name));
    if (text !== undefined) rules.push({ base, matcher: ignore().add(text) });
  }
  return rules;
}

/** The rules of the folders above, up to the repository's root. */
async function parentRules(workspace: Workspace, root: string): Promise<Rules[]> {
  const folders: string[] = [];
  let at = root;
  while (!(await workspace.stat(posix.join(at, ".git")).catch(() => undefined))) {
    const up = posix.dirname(at);
    // Outside a repository nothing above counts.
    if (up === at) return [];
    folders.unshift(up);
    at = up;
  }
  const rules: Rules[] = [];
  for (const folder of folders) {
    const names = await workspace.list(folder).catch(() => []);
    const own = IGNORE_FILES.filter((name) => names.some((entry) => entry.name === name));
    rules.push(...(await readRules(workspace, folder, own)));
  }
  return rules;
}

/** The deepest rule that has an opinion decides. */
function isIgnored(rules: readonly Rules[], absolute: string, isFolder: boolean): boolean {
  for (let at = rules.length - 1; at >= 0; at--) {
    const { base, matcher } = rules[at] as Rules;
    const relative = posix.relative(base, absolute) + (isFolder ? "/" : "");
    if (!ignore.isPathValid(relative)) continue;
    const { ignored, unignored } = matcher.test(relative);
    if (ignored) return true;
    if (unignored) return false;
  }
  return false;
}

async function readText(workspace: Workspace, path: string): Promise<string | undefined> {
  try {
    const file = await workspace.open(path);
    try {
      const bytes = new Uint8Array(Math.min(file.stat.size, MAX_IGNORE_BYTES));
      let filled = 0;
      while (filled < bytes.length) {
        const got = await file.read(bytes.subarray(filled), filled);
        if (got === 0) break;
        filled += got;
      }
      return new TextDecoder().decode(bytes.subarray(0, filled));
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}
