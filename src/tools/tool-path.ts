// From the path that a model wrote to the file that it means, and what to say when there is none.
import { posix } from "node:path";
import type { Claim } from "../core/tool.ts";
import { nearestNames } from "../lib/text/nearest-names.ts";
import { pathReadings } from "../workspace/resolve-path.ts";
import { showPath } from "../workspace/show-path.ts";
import type { OpenFile, Workspace } from "../workspace/workspace.ts";
import { WorkspaceError } from "../workspace/workspace.ts";

/** How many names an error offers. */
const MAX_NEAREST = 5;

/**
 * The absolute path that `written` means for something that shall exist: the first of its readings that does, else the one name in
 * its folder that only looks the same (other spaces, quotes or accents), else its usual reading. Throws on unusable paths.
 */
export async function existingPath(workspace: Workspace, written: string): Promise<string> {
  const { inOrder, preferred } = pathReadings(written, workspace);
  for (const path of inOrder) {
    if (await isThere(workspace, path)) return path;
  }
  return (await lookAlike(workspace, preferred)) ?? preferred;
}

/**
 * Opens the file that `written` means, by the same rules, without looking it up first. Rejects with what a model can use: the nearest
 * names, what else is there instead of a file.
 */
export async function openExisting(
  workspace: Workspace,
  written: string,
): Promise<{ path: string; file: OpenFile }> {
  const { inOrder, preferred } = pathReadings(written, workspace);
  for (const path of inOrder) {
    const file = await openIfThere(workspace, path);
    if (file !== undefined) return { path, file };
  }
  const path = (await lookAlike(workspace, preferred)) ?? preferred;
  const file = path === preferred ? undefined : await openIfThere(workspace, path);
  if (file !== undefined) return { path, file };
  throw new Error(await missingText(workspace, preferred));
}

async function openIfThere(workspace: Workspace, path: string): Promise<OpenFile | undefined> {
  try {
    return await workspace.open(path);
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    if (error.code === "not_found" || error.code === "not_a_folder") return undefined;
    if (error.code !== "is_a_folder") throw error;
    const message = `${showPath(path)} is a folder, not a file. List it with ls, or name a file in it.`;
    throw new Error(message, { cause: error });
  }
}

async function missingText(workspace: Workspace, path: string): Promise<string> {
  const link = await workspace.stat(path, { followLinks: false }).catch(() => undefined);
  if (link?.kind !== "link") return notFoundText(workspace, path, "File");
  return `${showPath(path)} is a link to ${showPath(await workspace.readLink(path))}, which does not exist.`;
}

/**
 * The absolute path that `written` means for something to be written, which need not exist. Throws on unusable paths and on
 * names of folders.
 */
export async function writablePath(workspace: Workspace, written: string): Promise<string> {
  const { inOrder, preferred } = pathReadings(written, workspace);
  if (written.endsWith("/") && written.length > 1) {
    const message = `${showPath(written)} ends with "/", which names a folder: name a file in it.`;
    throw new WorkspaceError("is_a_folder", preferred, message);
  }
  // Nearly always there is one reading, and nothing to look up.
  if (inOrder.length === 1) return preferred;
  for (const path of inOrder) {
    if (await isThere(workspace, path)) return path;
  }
  // A new file in a folder really named "@scope" belongs there.
  const literal = inOrder[0] ?? preferred;
  const folder = posix.dirname(literal);
  return folder !== workspace.cwd && (await isThere(workspace, folder)) ? literal : preferred;
}

/** The claim on what `path()` leads to, links resolved. A path that cannot be used claims nothing: its call only fails. */
export async function claimPath(
  workspace: Workspace,
  access: "read" | "write",
  path: () => Promise<string>,
): Promise<readonly Claim[]> {
  let meant: string;
  try {
    meant = await path();
  } catch (error) {
    if (error instanceof WorkspaceError) return [];
    throw error;
  }
  return [{ on: "path", path: await realOrSame(workspace, meant), access }];
}

/** The sentence for something that is not there: what was looked for, and the nearest names at the place where the path ends. */
export async function notFoundText(
  workspace: Workspace,
  path: string,
  what: "File" | "Folder",
): Promise<string> {
  const shown = showPath(path);
  const { folder, missing } = await deepestFolder(workspace, path);
  const start = `${what} not found: ${shown}.`;
  const isParent = folder === posix.dirname(path);
  const where = isParent
    ? ""
    : ` The folder ${showPath(posix.join(folder, missing))} does not exist either.`;
  const names = await namesIn(workspace, folder);
  const nearest = nearestNames(missing, names, MAX_NEAREST).map(showPath);
  if (nearest.length > 0)
    return `${start}${where} Nearest names in ${showPath(folder)}: ${nearest.join(", ")}`;
  const hint =
    names.length === 0
      ? "is empty or cannot be listed"
      : `has ${names.length} entries, none of a similar name`;
  return `${start}${where} The folder ${showPath(folder)} ${hint}.`;
}

async function isThere(workspace: Workspace, path: string): Promise<boolean> {
  try {
    return (await workspace.stat(path, { followLinks: false })) !== undefined;
  } catch (error) {
    // A folder on the way that may not be entered: opening will say so.
    if (error instanceof WorkspaceError) return false;
    throw error;
  }
}

async function lookAlike(workspace: Workspace, path: string): Promise<string | undefined> {
  const folder = posix.dirname(path);
  const wanted = appearance(posix.basename(path));
  const alike = (await namesIn(workspace, folder)).filter((name) => appearance(name) === wanted);
  return alike.length === 1 && alike[0] !== undefined ? posix.join(folder, alike[0]) : undefined;
}

/** Equal for names that a reader cannot tell apart, as with screenshots named by macOS. */
function appearance(name: string): string {
  return name
    .normalize("NFC")
    .replace(/[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g, " ")
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201c\u201d]/g, '"');
}

async function namesIn(workspace: Workspace, folder: string): Promise<string[]> {
  try {
    return (await workspace.list(folder)).map((entry) => entry.name);
  } catch (error) {
    if (error instanceof WorkspaceError) return [];
    throw error;
  }
}

/** The lowest folder above `path` that exists, and the name in it that does not. */
async function deepestFolder(
  workspace: Workspace,
  path: string,
): Promise<{ folder: string; missing: string }> {
  let missing = posix.basename(path);
  let folder = posix.dirname(path);
  while (folder !== "/" && !(await isThere(workspace, folder))) {
    missing = posix.basename(folder);
    folder = posix.dirname(folder);
  }
  return { folder, missing };
}

async function realOrSame(workspace: Workspace, path: string): Promise<string> {
  try {
    return await workspace.realPath(path);
  } catch (error) {
    if (error instanceof WorkspaceError) return path;
    throw error;
  }
}
