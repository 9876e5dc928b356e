// Which files ignore files leave out, as git and ripgrep see it: each ignore file speaks for its folder and what lies below, and a
// repository inside another is its own world.
import { posix } from "node:path";
import ignore from "ignore";
import type { Ignore } from "ignore";
import type { FolderEntry, Workspace } from "../workspace/workspace.ts";
import { wholeContent } from "./file-chunks.ts";

/** The first that has an opinion decides; within one kind the file of the deepest folder. */
const IGNORE_FILES = [".rgignore", ".ignore", ".gitignore"] as const;
/** Larger ignore files are no ignore files. Bytes. */
const MAX_IGNORE_BYTES = 1024 * 1024;

/** The rules of one folder, on top of those of the folders above. */
export interface FolderRules {
  readonly above: FolderRules | undefined;
  /** Absolute, ends with a slash. */
  readonly base: string;
  /** Rules of `.gitignore` end here. */
  readonly isRepository: boolean;
  readonly matchers: Partial<Record<(typeof IGNORE_FILES)[number], Ignore>>;
}

/** Whether the rules leave out what lies at an absolute path in one of their folders. */
export function isIgnored(
  rules: FolderRules | undefined,
  absolute: string,
  isFolder: boolean,
): boolean {
  for (const name of IGNORE_FILES) {
    for (let at = rules; at !== undefined; at = at.above) {
      const matcher = at.matchers[name];
      if (matcher) {
        const relative = absolute.slice(at.base.length) + (isFolder ? "/" : "");
        const { ignored, unignored } = matcher.test(relative);
        if (ignored) return true;
        if (unignored) return false;
      }
      if (name === ".gitignore" && at.isRepository) break;
    }
  }
  return false;
}

/** The rules for what is in a folder, whose entries are given; those above if it adds none. Never rejects. */
export async function rulesIn(
  workspace: Workspace,
  folder: { path: string; entries: readonly FolderEntry[] },
  above: FolderRules | undefined,
): Promise<FolderRules | undefined> {
  const { path, entries } = folder;
  let isRepository = false;
  const matchers: FolderRules["matchers"] = {};
  for (const { name } of entries) {
    if (name === ".git") isRepository = true;
    else if (isIgnoreFile(name)) {
      const matcher = await readIgnoreFile(workspace, posix.join(path, name));
      if (matcher) matchers[name] = matcher;
    }
  }
  if (!isRepository && Object.keys(matchers).length === 0) return above;
  return { above, base: path.endsWith("/") ? path : `${path}/`, isRepository, matchers };
}

function isIgnoreFile(name: string): name is (typeof IGNORE_FILES)[number] {
  return name.startsWith(".") && (IGNORE_FILES as readonly string[]).includes(name);
}

async function readIgnoreFile(workspace: Workspace, path: string): Promise<Ignore | undefined> {
  try {
    const file = await workspace.open(path);
    try {
      const bytes = await wholeContent(file, MAX_IGNORE_BYTES);
      if (bytes === undefined) return undefined;
      const options = { ignorecase: false, allowRelativePaths: true };
      return ignore(options).add(new TextDecoder().decode(bytes));
    } finally {
      await file.close();
    }
  } catch {
    // One that cannot be read says nothing.
    return undefined;
  }
}

/** The rules above a search's root, and whether they count. */
export interface RulesAbove {
  rules: FolderRules | undefined;
  /** The root lies in a repository (or is one). Without one, `.gitignore` files count all the same. */
  isInRepository: boolean;
  /** They hide the root or all that is in it: then they do not count, for the root was named. */
  hidesRoot: boolean;
}

/** Reads the ignore files of all folders above `root`, which is absolute with links resolved. Never rejects. */
export async function rulesAbove(workspace: Workspace, root: string): Promise<RulesAbove> {
  const folders: string[] = [];
  for (let at = root; at !== "/";) {
    at = posix.dirname(at);
    folders.unshift(at);
  }
  let rules: FolderRules | undefined;
  for (const path of folders) {
    rules = await rulesIn(workspace, { path, entries: await knownEntries(workspace, path) }, rules);
  }
  const inRoot = await workspace.list(root).catch(() => []);
  let isInRepository = inRoot.some(({ name }) => name === ".git");
  for (let at = rules; at !== undefined; at = at.above) isInRepository ||= at.isRepository;
  return { rules, isInRepository, hidesRoot: hidesAll(rules, root, inRoot) };
}

function hidesAll(
  rules: FolderRules | undefined,
  root: string,
  inRoot: readonly FolderEntry[],
): boolean {
  if (rules === undefined) return false;
  if (isIgnored(rules, root, true)) return true;
  const names = inRoot.filter(({ name }) => name !== ".git");
  // What the root's own repository holds is not the business of rules above it.
  if (names.length < inRoot.length) return false;
  return (
    names.length > 0 &&
    names.every(({ name, kind }) => isIgnored(rules, posix.join(root, name), kind === "folder"))
  );
}

/** Of a folder above, the few entries that matter: listing it may be long, or forbidden. */
async function knownEntries(workspace: Workspace, folder: string): Promise<FolderEntry[]> {
  const found = await Promise.all(
    [".git", ...IGNORE_FILES].map(async (name): Promise<FolderEntry | undefined> => {
      const stat = await workspace.stat(posix.join(folder, name)).catch(() => undefined);
      return stat && { name, kind: stat.kind };
    }),
  );
  return found.filter((entry) => entry !== undefined);
}
