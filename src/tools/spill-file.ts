// Where the output of a command lies that is too long to show. Failing to keep it is told, and never fails the command.
import { close, mkdtempSync, openSync, rmSync, writevSync, writev } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeError } from "../lib/text/describe-error.ts";

/** The most of one output that is kept. Bytes. */
export const MAX_SPILL_BYTES: number = 64 * 1024 * 1024;
/** Older files of one store make room: it holds 1 GB at most. */
const MAX_FILES = 16;
/** Small pieces are written together. */
const BATCH_BYTES = 262_144;
const BATCH_PIECES = 512;
/** Bytes on their way to the disk; beyond, the writer waits for the disk. */
const MAX_PENDING_BYTES = 4 * 1024 * 1024;

/** What was kept of an output, or why nothing was. */
export type Spilled = { path: string; bytes: number } | { failure: string };

/** Files of one tool, in a private folder that is made for the first of them. */
export interface SpillStore {
  /** Never throws: a file that cannot be made tells so when it is closed. */
  create(): SpillFile;
}

export interface SpillFile {
  /** Keeps the chunk, which must not change any more, up to 64 MB in all. Never throws. */
  write(chunk: Uint8Array): void;
  close(): Promise<Spilled>;
}

/** Files named `<name>-1.log`, … of mode 0600. `folder` makes a folder for them; a private temporary one if left out. */
export function createSpillStore(
  name: string,
  folder: () => string = () => mkdtempSync(join(tmpdir(), "errand-output-")),
): SpillStore {
  let place: string | undefined;
  let made = 0;
  const pathOf = (count: number): string => join(place ?? "", `${name}-${count}.log`);
  const open = (): { path: string; file: number } => {
    place ??= folder();
    made++;
    return { path: pathOf(made), file: openSync(pathOf(made), "wx", 0o600) };
  };
  return {
    create: () => {
      try {
        const opened = openAgain(open, () => (place = undefined));
        if (made > MAX_FILES) rmSync(pathOf(made - MAX_FILES), { force: true });
        return new OpenSpill(opened);
      } catch (error) {
        const failure = describeError(error);
        return { write: () => {}, close: () => Promise.resolve({ failure }) };
      }
    },
  };
}

/** Temporary folders are cleaned away at times: then once more, in a new one. */
function openAgain<T>(open: () => T, forget: () => void): T {
  try {
    return open();
  } catch {
    forget();
    return open();
  }
}

class OpenSpill implements SpillFile {
  readonly #path: string;
  readonly #file: number;
  readonly #underWay = new Set<Promise<void>>();
  #batch: Uint8Array[] = [];
  #batchBytes = 0;
  #position = 0;
  #taken = 0;
  #pendingBytes = 0;
  #failure: string | undefined;

  constructor({ path, file }: { path: string; file: number }) {
    this.#path = path;
    this.#file = file;
  }

  write(chunk: Uint8Array): void {
    const room = MAX_SPILL_BYTES - this.#taken;
    if (room <= 0 || this.#failure !== undefined) return;
    const part = chunk.length > room ? chunk.subarray(0, room) : chunk;
    this.#taken += part.length;
    this.#batch.push(part);
    this.#batchBytes += part.length;
    if (this.#batchBytes >= BATCH_BYTES || this.#batch.length >= BATCH_PIECES) this.#flush();
  }

  async close(): Promise<Spilled> {
    this.#flush();
    await Promise.all(this.#underWay);
    await new Promise<void>((resolve) => close(this.#file, () => resolve()));
    if (this.#failure === undefined) return { path: this.#path, bytes: this.#taken };
    rmSync(this.#path, { force: true });
    return { failure: this.#failure };
  }

  #flush(): void {
    const pieces = this.#batch;
    const bytes = this.#batchBytes;
    const position = this.#position;
    if (bytes === 0) return;
    this.#batch = [];
    this.#batchBytes = 0;
    this.#position += bytes;
    if (this.#pendingBytes > MAX_PENDING_BYTES) {
      try {
        this.#wrote(writevSync(this.#file, pieces, position), bytes);
      } catch (error) {
        this.#failure ??= describeError(error);
      }
      return;
    }
    this.#pendingBytes += bytes;
    const writing = new Promise<void>((resolve) => {
      writev(this.#file, pieces, position, (error, written) => {
        this.#pendingBytes -= bytes;
        if (error) this.#failure ??= describeError(error);
        else this.#wrote(written, bytes);
        resolve();
      });
    });
    this.#underWay.add(writing);
    void writing.then(() => this.#underWay.delete(writing));
  }

  #wrote(written: number, wanted: number): void {
    if (written < wanted) this.#failure ??= "the disk took only a part";
  }
}
