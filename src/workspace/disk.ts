// The file operations of a replacement, on the machine's disk. What touches names and attributes only is done at once: it takes
// microseconds, a thread of its own ten times that. What moves many bytes or flushes them may take long and is waited for.
import {
  accessSync,
  closeSync,
  fchmodSync,
  fchownSync,
  fdatasync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  read,
  renameSync,
  unlinkSync,
  write,
  writeSync,
} from "node:fs";
import type { Stats } from "node:fs";
import { mkdir } from "node:fs/promises";

/** So few bytes are copied to the system's cache at once. */
const AT_ONCE_BYTES = 65_536;

/** A stretch of a file: the bytes at `offset` to `offset + length` of a buffer, at `position` in the file. */
export interface Stretch {
  readonly offset: number;
  readonly length: number;
  readonly position: number;
}

/** What `replaceOnDisk` needs of a disk; tests let each of these fail on a real one. All throw or reject as node does. */
export interface Disk {
  access(path: string, mode: number): void;
  lstat(path: string): Stats;
  makeFolder(path: string): Promise<unknown>;
  /** Gives a descriptor. */
  open(path: string, flags: number, mode?: number): number;
  fstat(file: number): Stats;
  chown(file: number, user: number, group: number): void;
  chmod(file: number, mode: number): void;
  truncate(file: number, size: number): void;
  /** Gives how many bytes were written, which may be fewer. */
  write(file: number, bytes: Uint8Array, stretch: Stretch): Promise<number>;
  /** Resolves when the bytes will outlive a power cut. */
  flush(file: number): Promise<void>;
  close(file: number): void;
  rename(from: string, to: string): void;
  unlink(path: string): void;
}

export const machineDisk: Disk = {
  access: accessSync,
  lstat: (path) => lstatSync(path),
  makeFolder: (path) => mkdir(path, { recursive: true }),
  open: openSync,
  fstat: (file) => fstatSync(file),
  chown: fchownSync,
  chmod: fchmodSync,
  truncate: ftruncateSync,
  // Not a plain function: what it throws at once must be a rejection too.
  write: async (file, bytes, { offset, length, position }) =>
    length <= AT_ONCE_BYTES
      ? writeSync(file, bytes, offset, length, position)
      : new Promise((resolve, reject) => {
          write(file, bytes, offset, length, position, (error, written) =>
            error ? reject(error) : resolve(written),
          );
        }),
  flush: (file) =>
    new Promise((resolve, reject) => {
      fdatasync(file, (error) => (error ? reject(error) : resolve()));
    }),
  close: closeSync,
  rename: renameSync,
  unlink: unlinkSync,
};

/** How many bytes from `position` on the file gave, 0 at its end. */
export function readFrom(file: number, into: Uint8Array, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(file, into, 0, into.length, position, (error, length) =>
      error ? reject(error) : resolve(length),
    );
  });
}
