// Replacing a file's content so that nobody ever sees a part of it, and a failure changes nothing.
//
// The usual way: a temporary file in the same folder gets all bytes, is flushed, and takes the name. Where that would lose
// something (other names of the file, its owner, a mount point on it, a folder that takes no new files) the file is
// written in place: first the part that grows it, which is where a full disk shows, then the rest.
// Deliberately not done: flushing the folder. After a power cut the name may still hold the old content, whole.
import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import { constants } from "node:fs";
import { posix } from "node:path";
import type { Disk } from "./disk.ts";
import { systemCode } from "./local-errors.ts";
import { kindOf } from "./local-stat.ts";
import { notAFile } from "./workspace-sentences.ts";

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
  const before = statIfThere(disk, path);
  if (before === undefined) {
    await createWithFolders(disk, path, bytes);
    return { created: true };
  }
  if (!before.isFile()) throw notAFile(kindOf(before), path);
  // The swap would get around a file's own write protection.
  disk.access(path, W_OK);
  if (before.nlink > 1 || (await swap(disk, { path, bytes, before })) === "refused") {
    await writeInPlace(disk, path, bytes);
  }
  return { created: false };
}

function statIfThere(disk: Disk, path: string): Stats | undefined {
  try {
    return disk.lstat(path);
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
    await disk.makeFolder(posix.dirname(path));
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
  const temporary = openTemporary(disk, posix.dirname(path), before?.mode);
  try {
    await closing(disk, temporary.file, async (file) => {
      if (before !== undefined) takeOver(disk, file, before);
      await writeAll(disk, file, { bytes, from: 0, to: bytes.length });
      await disk.flush(file);
    });
    disk.rename(temporary.path, path);
  } catch (error) {
    removeLeftover(disk, temporary.path);
    throw error;
  }
}

function openTemporary(disk: Disk, folder: string, mode?: number): { file: number; path: string } {
  for (let attempt = 1; ; attempt++) {
    // Not derived from the file's own name, which may be as long as a name can be.
    const path = posix.join(folder, `.errand-${randomBytes(8).toString("hex")}.tmp`);
    try {
      const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
      // Never wider open than the file that it will become.
      return { file: disk.open(path, flags, mode === undefined ? 0o666 : mode & 0o777), path };
    } catch (error) {
      if (systemCode(error) !== "EEXIST" || attempt === NAME_ATTEMPTS) throw error;
    }
  }
}

function removeLeftover(disk: Disk, path: string): void {
  try {
    disk.unlink(path);
  } catch {
    // The first failure is the one to tell; a folder that lost its permission meanwhile keeps the leftover.
  }
}

function takeOver(disk: Disk, file: number, before: Stats): void {
  const own = disk.fstat(file);
  const sameOwner = own.uid === before.uid && own.gid === before.gid;
  if (!sameOwner) disk.chown(file, before.uid, before.gid);
  // After the change of owner, which clears the set-user bits.
  if (!sameOwner || (own.mode & MODE_BITS) !== (before.mode & MODE_BITS)) {
    disk.chmod(file, before.mode & MODE_BITS);
  }
}

async function writeInPlace(disk: Disk, path: string, bytes: Uint8Array): Promise<void> {
  await closing(disk, disk.open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK), async (file) => {
    const stat = disk.fstat(file);
    if (!stat.isFile()) throw notAFile(kindOf(stat), path);
    if (bytes.length > stat.size)
      await grow(disk, file, { bytes, from: stat.size, to: bytes.length });
    await writeAll(disk, file, { bytes, from: 0, to: Math.min(bytes.length, stat.size) });
    if (bytes.length < stat.size) disk.truncate(file, bytes.length);
    await disk.flush(file);
  });
}

/** Bytes `from` to `to`, which go to the same places in the file. */
interface Part {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
}

async function grow(disk: Disk, file: number, part: Part): Promise<void> {
  try {
    await writeAll(disk, file, part);
    // A disk that reserves late tells only now that it is full.
    await disk.flush(file);
  } catch (error) {
    try {
      disk.truncate(file, part.from);
    } catch {
      // The first failure is the one to tell.
    }
    throw error;
  }
}

async function writeAll(disk: Disk, file: number, { bytes, from, to }: Part): Promise<void> {
  for (let position = from; position < to;) {
    const written = await disk.write(file, bytes, {
      offset: position,
      length: to - position,
      position,
    });
    if (written <= 0) throw new Error("the disk took no more bytes");
    position += written;
  }
}

/** Closes whatever happens; a failure of `use` wins over a failure to close, which counts too: some disks tell of it only then. */
async function closing(
  disk: Disk,
  file: number,
  use: (file: number) => Promise<void>,
): Promise<void> {
  try {
    await use(file);
  } catch (error) {
    try {
      disk.close(file);
    } catch {
      // The first failure is the one to tell.
    }
    throw error;
  }
  disk.close(file);
}
