// Where outputs lie that are too long to show: a folder of the user's own, which nobody else can read, and which does not fill up.
import { chmodSync, lstatSync, mkdirSync, opendirSync, rmdirSync, rmSync } from "node:fs";
import type { Stats } from "node:fs";
import { homedir } from "node:os";
import { join, posix } from "node:path";

/** Files are removed this long after they were last written. */
const MAX_AGE_MS: number = 7 * 24 * 3600 * 1000;
/** Beyond that, the oldest make room. Bytes. */
const MAX_TOTAL_BYTES: number = 2 * 1024 ** 3;
/** Entries that one sweep looks at, and files that it removes. */
const MAX_ENTRIES = 10_000;
const MAX_REMOVED = 500;

/** What a spill file is called, and a private temporary folder for some. */
const FILE_NAME = /^[a-z]+-[0-9a-f]{12}-\d{1,9}\.log$/;
const FOLDER_NAME = /^errand-output-\w{6}$/;

/** `errand/output` in the user's state folder, by `XDG_STATE_HOME` or the home folder; made when it is missing. Throws if it cannot be used. */
export function stateOutputFolder(env: Readonly<Record<string, string | undefined>>): string {
  const { XDG_STATE_HOME: stateHome = "", HOME: home = "" } = env;
  const base = posix.isAbsolute(stateHome)
    ? stateHome
    : join(home === "" ? homedir() : home, ".local/state");
  const folder = join(base, "errand/output");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stat = lstatSync(folder);
  if (!stat.isDirectory() || !isOwn(stat)) throw new Error(`${folder} is no folder of your own`);
  if ((stat.mode & 0o077) !== 0) chmodSync(folder, 0o700);
  return folder;
}

/**
 * Removes the spill files in `folder` that are too old, and the oldest of those that take too much room. Looks at nothing but regular
 * files of the user's under the names of spill files, and follows no link. Never throws.
 */
export function sweepFiles(folder: string, now: number): void {
  const files = entriesOf(folder, FILE_NAME).filter(({ stat }) => stat.isFile());
  files.sort((one, other) => other.stat.mtimeMs - one.stat.mtimeMs);
  let total = 0;
  const leaving = files.filter(({ stat }) => {
    total += stat.size;
    return now - stat.mtimeMs > MAX_AGE_MS || total > MAX_TOTAL_BYTES;
  });
  // The oldest first, should they be too many for one time.
  for (const { path } of leaving.toReversed().slice(0, MAX_REMOVED)) quietly(() => rmSync(path));
}

/** Removes private temporary folders of earlier sessions that are too old, with the spill files in them. Never throws. */
export function sweepTemporaryFolders(parent: string, now: number): void {
  for (const { path, stat } of entriesOf(parent, FOLDER_NAME).slice(0, MAX_REMOVED)) {
    if (!stat.isDirectory() || now - stat.mtimeMs <= MAX_AGE_MS) continue;
    sweepFiles(path, now);
    quietly(() => rmdirSync(path));
  }
}

interface Entry {
  path: string;
  stat: Stats;
}

function entriesOf(folder: string, name: RegExp): Entry[] {
  const entries: Entry[] = [];
  quietly(() => {
    const open = opendirSync(folder);
    try {
      for (let seen = 0; seen < MAX_ENTRIES; seen++) {
        const entry = open.readSync();
        if (entry === null) break;
        if (!name.test(entry.name)) continue;
        const path = join(folder, entry.name);
        const stat = lstatSync(path, { throwIfNoEntry: false });
        if (stat && isOwn(stat)) entries.push({ path, stat });
      }
    } finally {
      open.closeSync();
    }
  });
  return entries;
}

function isOwn({ uid }: { uid: number }): boolean {
  return process.getuid === undefined || uid === process.getuid();
}

/** What cannot be removed now is tried again by the next session. */
function quietly(step: () => void): void {
  try {
    step();
  } catch {}
}
