// A workspace in memory, for tests and for agents that shall touch no disk. Folders, links, modes and errors are those of a
// real disk used by an ordinary user who owns every file.
import { posix } from "node:path";
import { createMemoryTree, may, statOf } from "./memory-tree.ts";
import type { MemoryNode, MemoryTree } from "./memory-tree.ts";
import { showPath } from "./show-path.ts";
import { WorkspaceError } from "./workspace.ts";
import type { FileStat, OpenFile, ProcessEnd, ProcessRequest, Workspace } from "./workspace.ts";
import { notAFile, workspaceError } from "./workspace-sentences.ts";

/** What lies at a path at the start; a text or bytes are a file's content. */
export type MemoryEntry =
  | string
  | Uint8Array
  | { readonly file: string | Uint8Array; readonly mode?: number }
  | { readonly folder: true; readonly mode?: number }
  | { readonly link: string }
  /** One more name of a file listed before. */
  | { readonly sameFileAs: string }
  | { readonly special: "fifo" | "socket" | "device" };

export interface MemoryWorkspaceOptions {
  /** By path; relative ones start at `cwd`. Folders above are made. */
  readonly files?: Readonly<Record<string, MemoryEntry>>;
  /** Absolute; `/work` if left out. Made if it is missing. */
  readonly cwd?: string;
  readonly home?: string;
  /** Stands for the machine's processes; without it `run` rejects as unsupported. */
  readonly run?: (request: ProcessRequest) => Promise<ProcessEnd>;
}

const PROGRAM_FOLDERS = ["/usr/local/bin", "/usr/bin", "/bin"];

/** A workspace whose files live in this process. `cwd` and `files` must make sense together, else it throws. */
export function createMemoryWorkspace(options: MemoryWorkspaceOptions = {}): Workspace {
  const tree = createMemoryTree();
  const startFolder = posix.resolve("/", options.cwd ?? "/work");
  makeFolders(tree, startFolder);
  const closing: (() => void)[] = [];
  for (const [path, entry] of Object.entries(options.files ?? {})) {
    plant(tree, posix.resolve(startFolder, path), { entry, cwd: startFolder, closing });
  }
  // Modes that forbid come last, or a folder could not be filled.
  for (const close of closing) close();
  return workspaceOver(tree, { ...options, cwd: tree.realPath(startFolder) });
}

function workspaceOver(
  tree: MemoryTree,
  options: MemoryWorkspaceOptions & { cwd: string },
): Workspace {
  const run = options.run ?? refuseToRun;
  return {
    cwd: options.cwd,
    ...(options.home === undefined ? {} : { home: options.home }),
    realPath: async (path) => tree.realPath(path),
    stat: async (path, how) => statPath(tree, path, how),
    readLink: async (path) => {
      const node = existing(tree, path, { followLinks: false });
      if (node.kind !== "link") throw workspaceError("unsupported", path);
      return node.target;
    },
    list: async (path) => {
      const node = existing(tree, path);
      if (node.kind !== "folder") throw workspaceError("not_a_folder", path);
      if (!may.read(node)) throw workspaceError("denied", path);
      return [...node.children].map(([name, child]) => ({ name, kind: child.kind }));
    },
    open: async (path) => openNode(existing(tree, path), path),
    replaceFile: async (path, bytes) => replaceFile(tree, path, bytes),
    makeFolder: async (path) => {
      makeFolders(tree, path);
    },
    remove: async (path) => remove(tree, path),
    findProgram: async (name) => findProgram(tree, name, options.cwd),
    run: (request) => run(request),
  };
}

function refuseToRun(request: ProcessRequest): Promise<ProcessEnd> {
  const command = typeof request.command === "string" ? request.command : request.command[0];
  const message = `This workspace runs no commands: ${showPath(command.slice(0, 200))}`;
  return Promise.reject(new WorkspaceError("unsupported", command, message));
}

function existing(tree: MemoryTree, path: string, how?: { followLinks?: boolean }): MemoryNode {
  const { node } = tree.find(path, how);
  if (node === undefined) throw workspaceError("not_found", path);
  return node;
}

function statPath(
  tree: MemoryTree,
  path: string,
  how?: { followLinks?: boolean },
): FileStat | undefined {
  try {
    const { node } = tree.find(path, how);
    return node && statOf(node);
  } catch (error) {
    if (
      error instanceof WorkspaceError &&
      (error.code === "not_found" || error.code === "not_a_folder")
    ) {
      return undefined;
    }
    throw error;
  }
}

function openNode(node: MemoryNode, path: string): OpenFile {
  if (node.kind !== "file") throw notAFile(node.kind, path);
  if (!may.read(node)) throw workspaceError("denied", path);
  const bytes = node.bytes;
  let open = true;
  return {
    stat: statOf(node),
    read: async (into, position) => {
      if (!open) throw new WorkspaceError("other", path, `${showPath(path)} is closed already.`);
      const part = bytes.subarray(position, position + into.length);
      into.set(part);
      return part.length;
    },
    close: async () => {
      open = false;
    },
  };
}

function replaceFile(tree: MemoryTree, path: string, bytes: Uint8Array): { created: boolean } {
  const target = tree.realPath(path);
  makeFolders(tree, posix.dirname(target), path);
  const found = tree.find(target);
  if (found.node === undefined) {
    tree.put(found, tree.create("file", { bytes: bytes.slice() }), path);
    return { created: true };
  }
  if (found.node.kind !== "file") throw notAFile(found.node.kind, path);
  if (!may.write(found.node)) throw workspaceError("denied", path);
  found.node.bytes = bytes.slice();
  tree.touch(found.node);
  return { created: false };
}

function makeFolders(tree: MemoryTree, path: string, asked = path): void {
  const missing: string[] = [];
  let folder = path;
  for (; ; folder = posix.dirname(folder)) {
    const stat = statPath(tree, folder);
    if (stat?.kind === "folder") break;
    if (stat) throw workspaceError(folder === asked ? "exists" : "not_a_folder", asked);
    missing.push(folder);
  }
  for (const next of missing.toReversed()) {
    tree.put(tree.find(next, { followLinks: false }), tree.create("folder"), asked);
  }
}

function remove(tree: MemoryTree, path: string): void {
  const found = tree.find(path, { followLinks: false });
  if (found.node === undefined) throw workspaceError("not_found", path);
  if (found.node.kind === "folder" && found.node.children.size > 0) {
    const message = `${showPath(path)} cannot be used: the folder is not empty.`;
    throw new WorkspaceError("other", path, message);
  }
  if (found.node === tree.root) throw workspaceError("denied", path);
  tree.takeAway(found, path);
}

function findProgram(tree: MemoryTree, name: string, cwd: string): string | undefined {
  if (name === "") return undefined;
  const folders = name.includes("/") ? [cwd] : PROGRAM_FOLDERS;
  return folders.map((folder) => posix.resolve(folder, name)).find((path) => isProgram(tree, path));
}

function isProgram(tree: MemoryTree, path: string): boolean {
  try {
    const { node } = tree.find(path);
    return node?.kind === "file" && may.enter(node);
  } catch {
    return false;
  }
}

interface Planting {
  readonly entry: MemoryEntry;
  readonly cwd: string;
  /** What to do when all is planted. */
  readonly closing: (() => void)[];
}

function plant(tree: MemoryTree, path: string, { entry, cwd, closing }: Planting): void {
  if (typeof entry === "object" && "folder" in entry) {
    makeFolders(tree, path);
    const node = existing(tree, path);
    const { mode } = entry;
    if (mode !== undefined) closing.push(() => (node.mode = mode));
    return;
  }
  makeFolders(tree, posix.dirname(path));
  tree.put(tree.find(path, { followLinks: false }), nodeFor(tree, entry, cwd), path);
}

function nodeFor(
  tree: MemoryTree,
  entry: Exclude<MemoryEntry, { folder: true }>,
  cwd: string,
): MemoryNode {
  if (typeof entry === "string" || entry instanceof Uint8Array) {
    return tree.create("file", { bytes: toBytes(entry) });
  }
  if ("link" in entry) return tree.create("link", { target: entry.link });
  if ("special" in entry) return tree.create(entry.special);
  if ("sameFileAs" in entry) return existing(tree, posix.resolve(cwd, entry.sameFileAs));
  const mode = entry.mode === undefined ? {} : { mode: entry.mode };
  return tree.create("file", { bytes: toBytes(entry.file), ...mode });
}

function toBytes(content: string | Uint8Array): Uint8Array {
  return typeof content === "string" ? new TextEncoder().encode(content) : content.slice();
}
