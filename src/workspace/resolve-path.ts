// What a model or a user writes as a path, and where that leads. Nothing here looks at a disk.
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { showPath } from "./show-path.ts";
import { WorkspaceError } from "./workspace.ts";

/** Where relative paths start, and what `~` stands for (left out: `~` is refused). */
export interface PathBase {
  readonly cwd: string;
  readonly home?: string;
}

/** Longer texts are no path on any system we run on. Characters. */
const MAX_PATH = 4096;

const UNICODE_SPACES = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;

/**
 * The absolute path that `path` means: `~` and `~/` are the home folder, `file://` URLs are decoded, a leading `@` (a
 * mention) is dropped, the rest is relative to `cwd`. Throws a WorkspaceError on an empty path and on NUL bytes.
 */
export function resolvePath(path: string, base: PathBase): string {
  return pathReadings(path, base).preferred;
}

/** What a written path may mean. */
export interface PathReadings {
  /** What to take if none of the existing ones is found. */
  readonly preferred: string;
  /** To be tried in this order: the first that exists is meant. Holds `preferred`. */
  readonly inOrder: readonly string[];
}

/**
 * All that `path` can mean, the literal reading first: a file really named `@notes` or with a no-break space in its name wins
 * over what the mention mark and the plain space would say. Throws as `resolvePath` does.
 */
export function pathReadings(path: string, base: PathBase): PathReadings {
  refuseUnusable(path);
  if (/^file:\/\//i.test(path)) {
    const decoded = decodeFileUrl(path);
    return { preferred: decoded, inOrder: [decoded] };
  }
  const plain = path.startsWith("@") && path.length > 1 ? path.slice(1) : path;
  const spellings = [
    path,
    plain,
    path.replace(UNICODE_SPACES, " "),
    plain.replace(UNICODE_SPACES, " "),
  ];
  const inOrder = new Set(spellings.map((spelling) => absolute(spelling, base)));
  return { preferred: absolute(plain, base), inOrder: [...inOrder] };
}

function refuseUnusable(path: string): void {
  if (path === "") throw new WorkspaceError("not_found", path, "The path is empty: name a file.");
  if (path.includes("\0")) {
    const message = `The path holds a NUL byte, which no file name can: ${showPath(path.slice(0, 200))}`;
    throw new WorkspaceError("unsupported", path, message);
  }
  if (path.length > MAX_PATH) {
    const message = `The path has ${path.length} characters; ${MAX_PATH} are the most: ${showPath(path.slice(0, 80))}…`;
    throw new WorkspaceError("name_too_long", path, message);
  }
}

function decodeFileUrl(url: string): string {
  let decoded: string;
  try {
    decoded = fileURLToPath(url);
  } catch (error) {
    const message = `${showPath(url)} is no file URL of this machine; write file:///folder/name, or a plain path.`;
    throw new WorkspaceError("unsupported", url, message, { cause: error });
  }
  refuseUnusable(decoded);
  return posix.resolve(decoded);
}

function absolute(path: string, base: PathBase): string {
  if (path !== "~" && !path.startsWith("~/")) return posix.resolve(base.cwd, path);
  if (base.home === undefined) {
    const message = `There is no home folder here, so ${showPath(path)} means nothing; write the whole path.`;
    throw new WorkspaceError("unsupported", path, message);
  }
  return posix.resolve(base.home, `.${path.slice(1)}`);
}
