// Replacing a file's content so that nobody ever sees a part of it, and a failure changes nothing.
//
// The usual way: a temporary file in the same folder gets all bytes, is flushed, and takes the name. Where that would lose
// something (other names of the file, its owner, a mount point on it, a folder that takes no new files) the file is
// written in place: first the part that grows it, which is where a full disk shows, then the rest.
// Deliberately not done: flushing the folder. After a power cut the name may still hold the old content, whole.
import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import { constants } from "node:fs";
import type * as files from "node:fs/promises";
import { posix } from "node:path";
import { systemCode } from "./local-errors.ts";
import { kindOf } from "./local-stat.ts";
import { notAFile } from "./workspace-sentences.ts";

/** The file operations that a replacement uses, so that tests can let each of them fail on a real disk. */
export type Disk = Pick<typeof files, "access" | "lstat" | "mkdir" | "open" | "rename" | "unlink">;

type Handle = Awaited<ReturnType<Disk["open"]>>;

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_WRONLY, W_OK } = constants;
const MODE_BITS = 0o7777;
/** A name of random letters that is taken already is bad luck or malice; more than this many in a row is malice. */
const NAME_ATTEMPTS = 4;

/** Failures of the usual way that say nothing about writing in place. */
const SWAP_REFUSED: ReadonlySet<string> = new Set([
  "EACCES",
  "EPERM",
  "EROFS",
  "EBUSY",
  "EXDEV",
  "ENAMETOOLONG",
]);

/** `path` must have its links resolved. Rejects with what the operating system said, or a WorkspaceError for no file. */
export async function replaceOnDisk(
  disk: Disk,
  path: string,
  bytes: Uint8Array,
): Promise<{ created: boolean }> {
  const before = await statIfThere(disk, path);
  if (before === undefined) {
    await createWithFolders(disk, path, bytes);
    return { created: true };
  }
  if (!before.isFile()) throw notAFile(kindOf(before), path);
  // The swap would get around a file's own write protection.
  await disk.access(path, W_OK);
  if (before.nlink > 1 || (await swap(disk, { path, bytes, before })) === "refused") {
    await writeInPlace(disk, path, bytes);
  }
  return { created: false };
}

async function statIfThere(disk: Disk, path: string): Promise<Stats | undefined> {
  try {
    return await disk.lstat(path);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function createWithFolders(disk: Disk, path: string, bytes: Uint8Array): Promise<void> {
  try {
    await putUnderName(disk, { path, bytes });
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
    await disk.mkdir(posix.dirname(path), { recursive: true });
    await putUnderName(disk, { path, bytes });
  }
}

interface Replacement {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** What the file was like, where there is one: its mode and owner are kept. */
  readonly before?: Stats;
}

async function swap(disk: Disk, replacement: Replacement): Promise<"done" | "refused"> {
  try {
    await putUnderName(disk, replacement);
    return "done";
  } catch (error) {
    if (SWAP_REFUSED.has(systemCode(error))) return "refused";
    throw error;
  }
}

async function putUnderName(disk: Disk, { path, bytes, before }: Replacement): Promise<void> {
  const temporary = await openTemporary(disk, posix.dirname(path), before?.mode);
  try {
    await closing(temporary.handle, async (handle) => {
      if (before !== undefined) await takeOver(handle, before);
      await writeAll(handle, bytes, 0, bytes.length);
      await handle.datasync();
    });
    await disk.rename(temporary.path, path);
  } catch (error) {
    // The first failure is the one to tell; a folder that lost its permission meanwhile keeps the leftover.
    await disk.unlink(temporary.path).catch(() => {});
    throw error;
  }
}

async function openTemporary(
  disk: Disk,
  folder: string,
  mode?: number,
): Promise<{ handle: Handle; path: string }> {
  for (let attempt = 1; ; attempt++) {
    // Not derived from the file's own name, which may be as long as a name can be.
    const path = posix.join(folder, `.errand-${randomBytes(8).toString("hex")}.tmp`);
    try {
      const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
      // Never wider open than the file that it will become.
      const handle = await disk.open(path, flags, mode === undefined ? 0o666 : mode & 0o777);
      return { handle, path };
    } catch (error) {
      if (systemCode(error) !== "EEXIST" || attempt === NAME_ATTEMPTS) throw error;
    }
  }
}

async function takeOver(handle: Handle, before: Stats): Promise<void> {
  const own = await handle.stat();
  const sameOwner = own.uid === before.uid && own.gid === before.gid;
  if (!sameOwner) await handle.chown(before.uid, before.gid);
  // After chown, which clears the set-user bits.
  if (!sameOwner || (own.mode & MODE_BITS) !== (before.mode & MODE_BITS)) {
    await handle.chmod(before.mode & MODE_BITS);
  }
}

async function writeInPlace(disk: Disk, path: string, bytes: Uint8Array): Promise<void> {
  const handle = await disk.open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
  await closing(handle, async () => {
    const stat = await handle.stat();
    if (!stat.isFile()) throw notAFile(kindOf(stat), path);
    if (bytes.length > stat.size) await grow(handle, bytes, stat.size);
    await writeAll(handle, bytes, 0, Math.min(bytes.length, stat.size));
    if (bytes.length < stat.size) await handle.truncate(bytes.length);
    await handle.datasync();
  });
}

async function grow(handle: Handle, bytes: Uint8Array, oldSize: number): Promise<void> {
  try {
    await writeAll(handle, bytes, oldSize, bytes.length);
    // A disk that reserves late tells only now that it is full.
    await handle.datasync();
  } catch (error) {
    await handle.truncate(oldSize).catch(() => {});
    throw error;
  }
}

async function writeAll(
  handle: Handle,
  bytes: Uint8Array,
  from: number,
  to: number,
): Promise<void> {
  for (let position = from; position < to;) {
    const { bytesWritten } = await handle.write(bytes, position, to - position, position);
    if (bytesWritten <= 0) throw new Error("the disk took no more bytes");
    position += bytesWritten;
  }
}

/** Closes whatever happens; a failure of `use` wins over a failure to close, which counts too: some disks tell of it only then. */
async function closing(handle: Handle, use: (handle: Handle) => Promise<void>): Promise<void> {
  try {
    await use(handle);
  } catch (error) {
    await handle.close().catch(() => {});
    throw error;
  }
  await handle.close();
}
