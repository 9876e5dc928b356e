// Where a path really leads, also when its end does not exist yet.
import { readlink, realpath } from "node:fs/promises";
import { posix } from "node:path";
import { systemCode, toWorkspaceError } from "./local-errors.ts";
import { workspaceError } from "./workspace-sentences.ts";

/** As many links in a row as Linux itself follows. */
const MAX_LINKS = 40;

/**
 * `path` (absolute) with all links resolved. Of a path that does not exist, the part that does is resolved and the rest kept;
 * a link to nothing leads to the place where its target would be. Rejects with a WorkspaceError.
 */
export async function realPathOnDisk(path: string): Promise<string> {
  try {
    return await follow(path, { links: 0 });
  } catch (error) {
    throw toWorkspaceError(error, path);
  }
}

async function follow(path: string, seen: { links: number }): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const code = systemCode(error);
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
  }
  const parent = posix.dirname(path);
  if (parent === path) return path;
  const realParent = await follow(parent, seen);
  const target = await linkTarget(path);
  if (target === undefined) return posix.join(realParent, posix.basename(path));
  seen.links += 1;
  if (seen.links > MAX_LINKS) throw workspaceError("link_cycle", path);
  return follow(posix.resolve(realParent, target), seen);
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EINVAL") return undefined;
    throw error;
  }
}
