// The rows that measure one tool by itself, through the workspace port, against the least that does the same job. A row is a
// file in rows/ and a line here.
import type { BASE } from "./report.ts";
import { searchRow } from "./rows/search.ts";

/** Figures of one run, by name; lower is better. */
export type Figures = Readonly<Record<string, number | undefined>>;

export interface ToolRow {
  name: string;
  /** What the sides need on the disk; `folder` is empty, the row's own, and removed afterwards. */
  prepare(folder: string): void | Promise<void>;
  /** One run each, alternating with the others, in a process of this repository's node. `bare` is the least that does the job. */
  sides: Readonly<Record<typeof BASE | "errand", Side>> & Readonly<Record<string, Side>>;
  /** Sides that need the peers, which lie in `peers`, a folder with node_modules. */
  peerSides?: Readonly<Record<string, (folder: string, peers: string) => Promise<Figures>>>;
  /** Fewer runs for the long ones. */
  runs?: number;
}

export type Side = (folder: string) => Promise<Figures>;

export const toolRows: readonly ToolRow[] = [searchRow];
