// What the operating system says of a file, in the workspace's words.
import type { BigIntStats } from "node:fs";
import type { FileKind, FileStat } from "./workspace.ts";

/** The questions that both a stat and a folder's entry answer. */
interface KindQuestions {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
  isFIFO(): boolean;
  isSocket(): boolean;
}

/** What kind of thing it is; whatever is none of the others counts as a device, which nothing here opens. */
export function kindOf(entry: KindQuestions): FileKind {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  if (entry.isSymbolicLink()) return "link";
  if (entry.isFIFO()) return "fifo";
  if (entry.isSocket()) return "socket";
  return "device";
}

/** From a stat of 64-bit numbers: inode numbers of network disks do not fit into a double. */
export function toFileStat(stat: BigIntStats): FileStat {
  return {
    kind: kindOf(stat),
    size: Number(stat.size),
    mtimeMs: Number(stat.mtimeNs) / 1e6,
    mode: Number(stat.mode) & 0o7777,
    links: Number(stat.nlink),
    identity: `${stat.dev}:${stat.ino}`,
  };
}
