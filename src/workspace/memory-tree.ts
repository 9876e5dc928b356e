// A file tree in memory: nodes with modes and links, and the walk from a path to a node as a disk does it.
import { posix } from "node:path";
import type { FileKind, FileStat } from "./workspace.ts";
import { workspaceError } from "./workspace-sentences.ts";

/** A thing with any number of names. */
export interface MemoryNode {
  readonly kind: FileKind;
  readonly id: number;
  mode: number;
  mtimeMs: number;
  links: number;
  /** A file's content; replaced as a whole, never changed inside, so that open readers keep what they opened. */
  bytes: Uint8Array;
  /** A folder's entries. */
  readonly children: Map<string, MemoryNode>;
  /** Where a link points. */
  readonly target: string;
}

/** Where a path led: `node` is undefined if its last part does not exist in `parent`, which does. */
export interface Found {
  readonly node: MemoryNode | undefined;
  readonly parent: MemoryNode;
  readonly name: string;
  /** Links resolved. */
  readonly realPath: string;
}

const READ = 0o400;
const WRITE = 0o200;
const ENTER = 0o100;
const MAX_LINKS = 40;
const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 4095;
const utf8 = new TextEncoder();

/** What the owner may do with a node. */
export const may = {
  read: (node: MemoryNode): boolean => (node.mode & READ) !== 0,
  write: (node: MemoryNode): boolean => (node.mode & WRITE) !== 0,
  enter: (node: MemoryNode): boolean => (node.mode & ENTER) !== 0,
};

/** One tree with its root folder. Failures are WorkspaceErrors that name the path asked for. */
export interface MemoryTree {
  readonly root: MemoryNode;
  create(
    kind: FileKind,
    content?: { mode?: number; target?: string; bytes?: Uint8Array },
  ): MemoryNode;
  /** Walks to `path`; rejects what a disk would: a missing or unreadable folder on the way, a cycle, a name too long. */
  find(path: string, options?: { followLinks?: boolean }): Found;
  /** Puts a node under a name; the folder must allow it. */
  put(found: Found, node: MemoryNode, path: string): void;
  takeAway(found: Found, path: string): void;
  /** Marks a change of content or of entries. */
  touch(node: MemoryNode): void;
  /** As in the port: the part that exists is resolved, the rest kept. */
  realPath(path: string): string;
}

/** An empty tree. Its clock counts changes, so that no two have the same time. */
export function createMemoryTree(): MemoryTree {
  let ids = 0;
  let changes = 0;
  const touch = (node: MemoryNode): void => {
    node.mtimeMs = ++changes;
  };
  const create: MemoryTree["create"] = (kind, content = {}) => {
    const node: MemoryNode = {
      kind,
      id: ++ids,
      mode: content.mode ?? usualMode(kind),
      mtimeMs: 0,
      links: 0,
      bytes: content.bytes ?? new Uint8Array(),
      children: new Map(),
      target: content.target ?? "",
    };
    touch(node);
    return node;
  };
  const root = create("folder");
  root.links = 1;
  const find: MemoryTree["find"] = (path, options) =>
    walk({ root, asked: path, links: 0 }, path, options?.followLinks !== false);
  return {
    root,
    create,
    touch,
    find,
    put(found, node, path) {
      if (!may.write(found.parent) || !may.enter(found.parent))
        throw workspaceError("denied", path);
      const old = found.parent.children.get(found.name);
      if (old) old.links--;
      found.parent.children.set(found.name, node);
      node.links++;
      touch(found.parent);
    },
    takeAway(found, path) {
      if (!may.write(found.parent) || !may.enter(found.parent))
        throw workspaceError("denied", path);
      if (found.node) found.node.links--;
      found.parent.children.delete(found.name);
      touch(found.parent);
    },
    realPath: (path) => realPathIn({ root, asked: path, links: 0 }, path),
  };
}

/** What the port says of a node. */
export function statOf(node: MemoryNode): FileStat {
  const size = node.kind === "link" ? utf8.encode(node.target).length : node.bytes.length;
  const { kind, mtimeMs, mode } = node;
  return { kind, size, mtimeMs, mode, links: node.links, identity: `memory:${node.id}` };
}

function usualMode(kind: FileKind): number {
  if (kind === "link") return 0o777;
  return kind === "folder" ? 0o755 : 0o644;
}

interface Walk {
  readonly root: MemoryNode;
  /** The path that errors name. */
  readonly asked: string;
  /** Links followed so far. */
  links: number;
}

function walk(state: Walk, path: string, followLast: boolean): Found {
  if (utf8.encode(path).length > MAX_PATH_BYTES) throw workspaceError("name_too_long", state.asked);
  const names = path.split("/").filter((name) => name !== "");
  let folder = state.root;
  let realFolder = "/";
  if (names.length === 0) return { node: folder, parent: folder, name: "", realPath: "/" };
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1;
    const node = step(state, folder, name);
    if (node?.kind === "link" && (!isLast || followLast)) {
      if (++state.links > MAX_LINKS) throw workspaceError("link_cycle", state.asked);
      const rest = names.slice(index + 1);
      return walk(state, posix.resolve(realFolder, node.target, ...rest), followLast);
    }
    if (isLast) return { node, parent: folder, name, realPath: posix.join(realFolder, name) };
    if (node === undefined) throw workspaceError("not_found", state.asked);
    folder = node;
    realFolder = posix.join(realFolder, name);
  }
  throw workspaceError("not_found", state.asked);
}

function step(state: Walk, folder: MemoryNode, name: string): MemoryNode | undefined {
  if (folder.kind !== "folder") throw workspaceError("not_a_folder", state.asked);
  if (!may.enter(folder)) throw workspaceError("denied", state.asked);
  if (utf8.encode(name).length > MAX_NAME_BYTES) throw workspaceError("name_too_long", state.asked);
  return folder.children.get(name);
}

function realPathIn(state: Walk, path: string): string {
  const names = path.split("/").filter((name) => name !== "");
  let folder: MemoryNode | undefined = state.root;
  let real = "/";
  for (const [index, name] of names.entries()) {
    const node: MemoryNode | undefined =
      folder?.kind === "folder" ? step(state, folder, name) : undefined;
    if (node?.kind === "link") {
      if (++state.links > MAX_LINKS) throw workspaceError("link_cycle", state.asked);
      return realPathIn(state, posix.resolve(real, node.target, ...names.slice(index + 1)));
    }
    folder = node;
    real = posix.join(real, name);
  }
  return real;
}
