// The sentences of a workspace's errors, so that the disk and the memory speak alike.
import { showPath } from "./show-path.ts";
import { WorkspaceError } from "./workspace.ts";
import type { FileKind, WorkspaceErrorCode } from "./workspace.ts";

const SENTENCES: Readonly<Record<WorkspaceErrorCode, (path: string) => string>> = {
  not_found: (path) => `${path} does not exist.`,
  not_a_folder: (path) => `${path} is not a folder, or lies below something that is none.`,
  is_a_folder: (path) => `${path} is a folder, not a file.`,
  not_a_file: (path) => `${path} is not a regular file.`,
  denied: (path) => `Permission denied: ${path}.`,
  exists: (path) => `${path} exists already.`,
  no_space: (path) => `There is no space left on the disk for ${path}.`,
  link_cycle: (path) => `${path} leads through links that point at each other.`,
  name_too_long: (path) => `The name is longer than the disk allows: ${shorten(path)}.`,
  unsupported: (path) => `${path} cannot be used here.`,
  other: (path) => `${path} cannot be used.`,
};

const KIND_NAMES: Readonly<Record<FileKind, string>> = {
  file: "a file",
  folder: "a folder",
  link: "a link",
  fifo: "a FIFO",
  socket: "a socket",
  device: "a device",
};

/** The usual error for `code`; the sentence names the path with control characters made visible. */
export function workspaceError(
  code: WorkspaceErrorCode,
  path: string,
  options?: ErrorOptions,
): WorkspaceError {
  return new WorkspaceError(code, path, SENTENCES[code](showPath(path)), options);
}

/** The error for something that is no regular file where one is needed. */
export function notAFile(kind: FileKind, path: string): WorkspaceError {
  if (kind === "folder") return workspaceError("is_a_folder", path);
  const message = `${showPath(path)} is ${KIND_NAMES[kind]}, not a regular file; it was not opened.`;
  return new WorkspaceError("not_a_file", path, message);
}

function shorten(path: string): string {
  return path.length <= 120 ? path : `${path.slice(0, 60)}…${path.slice(-40)}`;
}
