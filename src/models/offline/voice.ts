// The form of what the offline model says, the same in both languages.
import type { Action } from "./phrase.ts";

/** Sentences of one language. */
export interface Voice {
  /** What is about to be done. */
  announce(actions: readonly Action[]): string;
  /** The heading over what came of an action; `empty` if nothing did. */
  did(action: Action, empty: boolean): string;
  failed(action: Action, tool: string): string;
  notDone(actions: readonly Action[]): string;
  missing(tools: readonly string[]): string;
  unsure(actions: readonly Action[]): string;
  /** How many lines are not shown. */
  more(lines: number): string;
  image: string;
  hello: string;
  unknown: string;
  /** Who speaks, and how to get a real model. */
  signature: string;
}
