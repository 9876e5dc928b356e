// A journal that keeps its entries in memory, and can fail as a disk does.
import type { RecordEntry } from "../core/config.ts";

export interface MemoryJournalOptions {
  /** The n-th call (from 1) rejects and keeps nothing; later ones work. */
  failAt?: number;
  /** The n-th call (from 1) never settles and keeps nothing; later ones work. */
  hangAt?: number;
  /** What `failAt` rejects with. */
  error?: unknown;
}

export interface MemoryJournal {
  record(this: void, entries: readonly RecordEntry[]): Promise<void>;
  /** What was recorded, copied when it was, so that a later change shows. */
  readonly entries: readonly RecordEntry[];
  /** The same, one list a call that was kept. */
  readonly calls: readonly (readonly RecordEntry[])[];
}

/** A journal for `config.record`. An entry that cannot be copied as plain data rejects. */
export function createMemoryJournal(options: MemoryJournalOptions = {}): MemoryJournal {
  const { failAt, hangAt, error = new Error("no space left in the journal") } = options;
  const entries: RecordEntry[] = [];
  const calls: RecordEntry[][] = [];
  let count = 0;
  return {
    entries,
    calls,
    record: async (recorded) => {
      count++;
      if (count === failAt) throw error;
      if (count === hangAt) return new Promise(() => {});
      const copies = structuredClone(recorded.slice());
      calls.push(copies);
      entries.push(...copies);
      return undefined;
    },
  };
}
