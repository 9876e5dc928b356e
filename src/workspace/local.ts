// The workspace on the machine's own disk.
import { closeSync, constants, fstatSync, openSync, realpathSync, statSync } from "node:fs";
import * as files from "node:fs/promises";
import { posix } from "node:path";
import { machineDisk, readFrom } from "./disk.ts";
import { systemCode, toWorkspaceError } from "./local-errors.ts";
import { realPathOnDisk } from "./local-real-path.ts";
import { kindOf, toFileStat } from "./local-stat.ts";
import { replaceOnDisk } from "./replace-on-disk.ts";
import { showPath } from "./show-path.ts";
import { WorkspaceError } from "./workspace.ts";
import { notAFile, workspaceError } from "./workspace-sentences.ts";
import type { FileStat, FolderEntry, OpenFile, Workspace } from "./workspace.ts";

/** Where programs are looked for if no environment is handed in. */
const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

export interface LocalWorkspaceOptions {
  /** Absolute. Must be a folder. */
  readonly cwd: string;
  /** What `~` stands for. Absolute. */
  readonly home?: string;
  /** The environment of commands, whole; left out: a PATH of the usual places and nothing else. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The machine's files and processes. Throws a WorkspaceError if `cwd` is no folder. */
export function createLocalWorkspace(options: LocalWorkspaceOptions): Workspace {
  const cwd = realFolder(options.cwd);
  const env = options.env ?? { PATH: DEFAULT_PATH };
  return {
    cwd,
    ...(options.home === undefined ? {} : { home: options.home }),
    realPath: realPathOnDisk,
    stat: statPath,
    readLink: (path) => telling(path, () => files.readlink(path), notALink),
    list: listFolder,
    open: openFile,
    replaceFile: (path, bytes) =>
      telling(path, async () => replaceOnDisk(machineDisk, await realPathOnDisk(path), bytes)),
    makeFolder: (path) =>
      telling(path, async () => {
        await files.mkdir(path, { recursive: true });
      }),
    remove: (path) => telling(path, () => removeEntry(path)),
    findProgram: (name) => findProgram(name, { cwd, path: env["PATH"] ?? DEFAULT_PATH }),
    run: async (request) => {
      // Loaded with the first command: many runs have none.
      const { runProcess } = await import("./local-process.ts");
      return runProcess({ ...request, cwd: request.cwd ?? cwd, env: { ...env, ...request.env } });
    },
  };
}

function realFolder(path: string): string {
  try {
    const real = realpathSync.native(path);
    if (!statSync(real).isDirectory()) throw workspaceError("not_a_folder", path);
    return real;
  } catch (error) {
    throw toWorkspaceError(error, path);
  }
}

async function telling<T>(
  path: string,
  act: () => Promise<T>,
  explain: (error: unknown, path: string) => Error = toWorkspaceError,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw explain(error, path);
  }
}

function notALink(error: unknown, path: string): Error {
  return systemCode(error) === "EINVAL"
    ? workspaceError("unsupported", path, { cause: error })
    : toWorkspaceError(error, path);
}

async function statPath(
  path: string,
  options?: { followLinks?: boolean },
): Promise<FileStat | undefined> {
  const look = options?.followLinks === false ? files.lstat : files.stat;
  try {
    return toFileStat(await look(path, { bigint: true }));
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw toWorkspaceError(error, path);
  }
}

function listFolder(path: string): Promise<FolderEntry[]> {
  return telling(path, async () => {
    const entries = await files.readdir(path, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
  });
}

function openFile(path: string): Promise<OpenFile> {
  return telling(path, async () => {
    // Looked at before it is opened: opening alone blocks on a FIFO and acts on some devices. A disk that answers this (a dead
    // network disk does not) is then asked the quick questions without a thread of their own.
    const seen = await files.stat(path);
    if (!seen.isFile()) throw notAFile(kindOf(seen), path);
    const file = openUnfollowed(path);
    try {
      // And again on the open descriptor: the name may have changed hands in between.
      const stat = toFileStat(fstatSync(file, { bigint: true }));
      if (stat.kind !== "file") throw notAFile(stat.kind, path);
      return fileOver(file, stat, path);
    } catch (error) {
      closeSync(file);
      throw error;
    }
  });
}

function openUnfollowed(path: string): number {
  const flags =
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
  try {
    return openSync(path, flags);
  } catch (error) {
    if (systemCode(error) !== "ELOOP") throw error;
    return openSync(realpathSync.native(path), flags);
  }
}

function fileOver(file: number, stat: FileStat, path: string): OpenFile {
  let isOpen = true;
  return {
    stat,
    read: (into, position) =>
      telling(path, () => {
        // The number may be another file's by now.
        if (!isOpen)
          throw new WorkspaceError("other", path, `${showPath(path)} is closed already.`);
        return readFrom(file, into, position);
      }),
    close: () =>
      telling(path, async () => {
        if (!isOpen) return;
        isOpen = false;
        closeSync(file);
      }),
  };
}

async function removeEntry(path: string): Promise<void> {
  const stat = await files.lstat(path);
  await (stat.isDirectory() ? files.rmdir(path) : files.unlink(path));
}

async function findProgram(
  name: string,
  where: { cwd: string; path: string },
): Promise<string | undefined> {
  if (name === "" || name.includes("\0")) return undefined;
  if (name.includes("/")) {
    const path = posix.resolve(where.cwd, name);
    return (await isProgram(path)) ? path : undefined;
  }
  for (const folder of where.path.split(":")) {
    const path = posix.resolve(where.cwd, folder, name);
    if (await isProgram(path)) return path;
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await files.access(path, constants.X_OK);
    return (await files.stat(path)).isFile();
  } catch {
    return false;
  }
}
