// Where a search starts, and what is said about what it did not look at.
import { showPath } from "../workspace/show-path.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { existingPath, notFoundText } from "./tool-path.ts";

export interface SearchRoot {
  /** Absolute, links resolved. */
  path: string;
  isFolder: boolean;
  /** The caller named it: rules above it do not hide it. */
  isNamed: boolean;
}

/** The file or folder to search; the working folder if none is named. Throws with the nearest names if there is none. */
export async function searchRoot(
  workspace: Workspace,
  written: string | undefined,
): Promise<SearchRoot> {
  const isNamed = written !== undefined && written !== "." && written !== "./";
  const path = await existingPath(workspace, isNamed ? written : ".");
  const stat = await workspace.stat(path);
  if (!stat) throw new Error(await notFoundText(workspace, path, "File"));
  if (stat.kind !== "folder" && stat.kind !== "file") {
    throw new Error(`${showPath(path)} is neither a file nor a folder and is not searched.`);
  }
  return { path: await workspace.realPath(path), isFolder: stat.kind === "folder", isNamed };
}

/** What ignore rules left out, for a search that found nothing. */
export function skippedNote(skipped: number): string[] {
  if (skipped === 0) return [];
  const what = skipped === 1 ? "1 file or folder was" : `${skipped} files or folders were`;
  return [`[${what} skipped by ignore rules. Use ignored=true to look there too.]`];
}

/** Which folders could not be read. */
export function unreadableNote(unreadable: readonly string[]): string[] {
  if (unreadable.length === 0) return [];
  const some = unreadable.slice(0, 5).map(showPath).join(", ");
  const more = unreadable.length > 5 ? ` and ${unreadable.length - 5} more` : "";
  return [`[Not readable: ${some}${more}.]`];
}
