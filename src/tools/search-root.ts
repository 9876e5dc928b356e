// Where a search starts, and what is said about what it did not look at.
import { showPath } from "../workspace/show-path.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { rulesAbove } from "./ignore-rules.ts";
import type { FolderRules, RulesAbove } from "./ignore-rules.ts";
import { existingPath, notFoundText } from "./tool-path.ts";
import { walk } from "./walk.ts";

/** How many paths that could not be read are named. */
const MAX_NAMED = 5;

/** Entries that are looked at in a few milliseconds, whatever else the machine does. */
const SMALL_TREE = 4000;

export interface SearchRoot {
  /** Absolute, links resolved. */
  path: string;
  isFolder: boolean;
}

/** The file or folder to search; the working folder if none is named. Throws with the nearest names if there is none. */
export async function searchRoot(
  workspace: Workspace,
  written: string | undefined,
): Promise<SearchRoot> {
  const path = await existingPath(workspace, written ?? ".");
  const stat = await workspace.stat(path);
  if (!stat) throw new Error(await notFoundText(workspace, path, "File"));
  if (stat.kind !== "folder" && stat.kind !== "file") {
    throw new Error(`${showPath(path)} is neither a file nor a folder and is not searched.`);
  }
  return { path: await workspace.realPath(path), isFolder: stat.kind === "folder" };
}

/** Which ignore rules a search of a folder goes by. */
export interface RuleScope extends RulesAbove {
  /** All files are looked at. */
  ignored: boolean;
  /** The rules above the root, as far as they count. */
  counting: FolderRules | undefined;
}

/** A root that was named is searched, also where rules above it hide it or all that is in it. */
export async function ruleScope(
  workspace: Workspace,
  root: SearchRoot,
  ignored: boolean,
): Promise<RuleScope> {
  if (ignored || !root.isFolder) {
    const none = { rules: undefined, counting: undefined, isInRepository: false, hidesRoot: false };
    return { ...none, ignored: true };
  }
  const above = await rulesAbove(workspace, root.path);
  return { ...above, ignored, counting: above.hidesRoot ? undefined : above.rules };
}

/** How much ignore rules left out. */
export interface Skipped {
  count: number;
  /** False: there may be more. */
  isExact: boolean;
}

/** Counts what ignore rules leave out: wholly in a small tree, in a large one for at most `budgetMs`. */
export async function countSkipped(
  workspace: Workspace,
  root: SearchRoot,
  {
    scope,
    budgetMs,
    signal,
  }: { scope: RuleScope; budgetMs: number; signal: AbortSignal | undefined },
): Promise<Skipped> {
  if (scope.ignored) return { count: 0, isExact: true };
  const until = performance.now() + budgetMs;
  const { skipped, isPartial } = await walk(workspace, root.path, {
    ignored: false,
    above: scope.counting,
    isOver: (seen) => seen > SMALL_TREE && performance.now() > until,
    signal,
  });
  return { count: skipped, isExact: !isPartial };
}

/** What ignore rules left out, and how to look there. */
export function skippedNote({ count, isExact }: Skipped): string[] {
  if (count === 0) return [];
  const number = isExact ? String(count) : `At least ${count}`;
  const what = count === 1 ? "file or folder is" : "files or folders are";
  return [`[${number} ${what} skipped by ignore rules. Use ignored=true to look there too.]`];
}

/** What could not be read, by name. */
export function unreadableNote(unreadable: readonly string[]): string[] {
  if (unreadable.length === 0) return [];
  const sorted = unreadable.toSorted();
  const some = sorted.slice(0, MAX_NAMED).map(showPath).join(", ");
  const more = sorted.length > MAX_NAMED ? ` and ${sorted.length - MAX_NAMED} more` : "";
  return [`[Could not be read: ${some}${more}.]`];
}
