// Errors of the operating system as errors of the workspace.
import { showPath } from "./show-path.ts";
import { WorkspaceError } from "./workspace.ts";
import type { WorkspaceErrorCode } from "./workspace.ts";
import { workspaceError } from "./workspace-sentences.ts";

const CODES: Readonly<Record<string, WorkspaceErrorCode>> = {
  ENOENT: "not_found",
  ENOTDIR: "not_a_folder",
  EISDIR: "is_a_folder",
  EACCES: "denied",
  EPERM: "denied",
  EROFS: "denied",
  EEXIST: "exists",
  ENOSPC: "no_space",
  EDQUOT: "no_space",
  ELOOP: "link_cycle",
  ENAMETOOLONG: "name_too_long",
};

/** The operating system's code of a thrown value, for instance `ENOENT`; empty if it has none. */
export function systemCode(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}

/** Whatever a file operation threw, as a WorkspaceError about `path`; one that is that already passes through. */
export function toWorkspaceError(error: unknown, path: string): WorkspaceError {
  if (error instanceof WorkspaceError) return error;
  const systemName = systemCode(error);
  const code = Object.hasOwn(CODES, systemName) ? CODES[systemName] : undefined;
  if (systemName === "EROFS") {
    const message = `${showPath(path)} lies on a disk that is mounted read-only.`;
    return new WorkspaceError("denied", path, message, { cause: error });
  }
  if (code !== undefined) return workspaceError(code, path, { cause: error });
  const reason = systemName === "ENOTEMPTY" ? "the folder is not empty" : describe(error);
  const message = `${showPath(path)} cannot be used: ${reason}.`;
  return new WorkspaceError("other", path, message, { cause: error });
}

function describe(error: unknown): string {
  return showPath(error instanceof Error ? error.message : String(error)).slice(0, 500);
}
