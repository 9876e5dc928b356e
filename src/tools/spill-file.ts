// Where the output of a command lies that is too long to show. Failing to keep it is told, and never fails the command.
import { randomBytes } from "node:crypto";
import {
  accessSync,
  close,
  constants,
  mkdtempSync,
  openSync,
  rmSync,
  write,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeError } from "../lib/text/describe-error.ts";
import { sweepFiles, sweepTemporaryFolders } from "./output-folder.ts";

/** The most of one output that is kept. Bytes. */
export const MAX_SPILL_BYTES: number = 64 * 1024 * 1024;
/** Older files of one store make room: it holds 1 GB at most. */
const MAX_FILES = 16;
/** What is written at once, and how much may be on its way to the disk; beyond, the writer waits. */
const BATCH_BYTES = 262_144;
const MAX_UNDER_WAY = 12;

/** What was kept of an output, or why nothing was. */
export type Spilled = { path: string; isWhole: boolean } | { failure: string };

/** Files of one tool in one session. */
export interface SpillStore {
  /** Never throws: a file that cannot be made tells so when it is closed. */
  create(): SpillFile;
}

export interface SpillFile {
  /** Nothing more is kept. */
  readonly isFull: boolean;
  /** Keeps a copy, up to 64 MB in all. Never throws. */
  write(chunk: Uint8Array): void;
  close(): Promise<Spilled>;
}

/**
 * Files of mode 0600 in what `folder` gives, or in a private temporary folder without it, or where it fails. What was left there more
 * than 7 days ago is removed before the first one is made.
 */
export function createSpillStore(name: string, folder?: () => string): SpillStore {
  const session = randomBytes(6).toString("hex");
  let place: string | undefined;
  let made = 0;
  const pathOf = (count: number): string => join(place ?? "", `${name}-${session}-${count}.log`);
  const open = (): { path: string; file: number } => {
    place ??= choosePlace(folder);
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
        return { isFull: true, write: () => {}, close: () => Promise.resolve({ failure }) };
      }
    },
  };
}

/** Fails only if there is no temporary folder either. */
function choosePlace(folder: (() => string) | undefined): string {
  if (folder) {
    try {
      const place = folder();
      sweepFiles(place, Date.now());
      accessSync(place, constants.W_OK);
      return place;
    } catch {}
  }
  sweepTemporaryFolders(tmpdir(), Date.now());
  return mkdtempSync(join(tmpdir(), "errand-output-"));
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
  readonly #free: Buffer[] = [];
  #batch: Buffer = Buffer.allocUnsafeSlow(BATCH_BYTES);
  #batchBytes = 0;
  /** Where the batch goes in the file. */
  #position = 0;
  #failure: string | undefined;
  #isFull = false;

  constructor({ path, file }: { path: string; file: number }) {
    this.#path = path;
    this.#file = file;
  }

  get isFull(): boolean {
    return this.#isFull || this.#failure !== undefined;
  }

  write(chunk: Uint8Array): void {
    let rest = chunk.subarray(0, MAX_SPILL_BYTES - this.#position - this.#batchBytes);
    if (rest.length < chunk.length) this.#isFull = true;
    while (rest.length > 0 && this.#failure === undefined) {
      const part = rest.subarray(0, BATCH_BYTES - this.#batchBytes);
      this.#batch.set(part, this.#batchBytes);
      this.#batchBytes += part.length;
      rest = rest.subarray(part.length);
      if (this.#batchBytes === BATCH_BYTES) this.#flush();
    }
  }

  async close(): Promise<Spilled> {
    this.#flush();
    await Promise.all(this.#underWay);
    await new Promise<void>((resolve) => close(this.#file, () => resolve()));
    if (this.#failure === undefined) return { path: this.#path, isWhole: !this.#isFull };
    rmSync(this.#path, { force: true });
    return { failure: this.#failure };
  }

  #flush(): void {
    const batch = this.#batch;
    const bytes = this.#batchBytes;
    const position = this.#position;
    if (bytes === 0) return;
    this.#batchBytes = 0;
    this.#position += bytes;
    if (this.#underWay.size >= MAX_UNDER_WAY) {
      try {
        this.#wrote(writeSync(this.#file, batch, 0, bytes, position), bytes);
      } catch (error) {
        this.#failure ??= describeError(error);
      }
      return;
    }
    this.#batch = this.#free.pop() ?? Buffer.allocUnsafeSlow(BATCH_BYTES);
    const writing = new Promise<void>((resolve) => {
      write(this.#file, batch, 0, bytes, position, (error, written) => {
        this.#free.push(batch);
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
