// What may run at the same time: claims, their conflicts, and the order in which the calls of a batch start.
// A call starts when no earlier unfinished call conflicts with it and a place is free; earlier means the model's order.
import type { Claim } from "./tool.ts";

/** How many calls run at once, if the config does not say. */
export const DEFAULT_MAX_PARALLEL = 8;

/** The claims of a call that cannot say what it touches. */
export const BARRIER: readonly Claim[] = [{ on: "everything", access: "write" }];

/** Whether two calls must not run at the same time. */
export function callsConflict(a: readonly Claim[], b: readonly Claim[]): boolean {
  if (isBarrier(a) || isBarrier(b)) return true;
  return a.some((one) => b.some((other) => claimsConflict(one, other)));
}

/** Whether any of the claims writes. */
export function writes(claims: readonly Claim[]): boolean {
  return claims.some((claim) => claim.access === "write");
}

/** Whether two lists claim the same, in the same order. */
export function sameClaims(a: readonly Claim[], b: readonly Claim[]): boolean {
  return (
    a.length === b.length && a.every((claim, at) => claimText(claim) === claimText(b[at] as Claim))
  );
}

function isBarrier(claims: readonly Claim[]): boolean {
  return claims.some((claim) => claim.on === "everything" && claim.access === "write");
}

function claimsConflict(a: Claim, b: Claim): boolean {
  if (a.access === "read" && b.access === "read") return false;
  return overlap(a, b);
}

function overlap(a: Claim, b: Claim): boolean {
  if (a.on === "everything" || b.on === "everything") return true;
  if (a.on === "path" && b.on === "path") return covers(a.path, b.path) || covers(b.path, a.path);
  if (a.on === "net" && b.on === "net") return a.host.toLowerCase() === b.host.toLowerCase();
  return a.on === "process" && b.on === "process";
}

/** A folder covers what is inside it. */
function covers(outer: string, inner: string): boolean {
  if (outer === inner) return true;
  return inner.startsWith(outer.endsWith("/") ? outer : `${outer}/`);
}

function claimText(claim: Claim): string {
  const what = claim.on === "path" ? claim.path : claim.on === "net" ? claim.host : "";
  return `${claim.on} ${claim.access} ${what}`;
}

interface Slot {
  claims: readonly Claim[] | undefined;
  state: "open" | "waiting" | "running" | "finished";
  start?: () => void;
  wrote: boolean;
}

/** Grants the calls of one batch their start. Slots are numbered in the model's order. */
export class Scheduler {
  readonly #slots: Slot[] = [];
  readonly #maxParallel: number;
  #running = 0;
  /** All slots before this one are finished. */
  #firstOpen = 0;

  constructor(maxParallel: number = DEFAULT_MAX_PARALLEL) {
    this.#maxParallel = Math.max(1, maxParallel);
  }

  /** Says what a call claims; until it is finished, later calls that conflict wait for it. */
  claim(slot: number, claims: readonly Claim[]): void {
    const entry = this.#slot(slot);
    entry.claims = claims;
    // A call that was discarded may come again.
    if (entry.state === "finished") entry.state = "open";
    this.#firstOpen = Math.min(this.#firstOpen, slot);
  }

  /**
   * Resolves when the call may start; it is then running: take it back with `release` or end it with `finish`.
   * Resolves too when the signal aborts first; then only `finish` is left.
   */
  turn(slot: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    const entry = this.#slot(slot);
    return new Promise((resolve) => {
      const go = (): void => {
        signal?.removeEventListener("abort", go);
        resolve();
      };
      signal?.addEventListener("abort", go, { once: true });
      entry.state = "waiting";
      entry.start = go;
      this.#startAll();
    });
  }

  /** Gives a granted start back; the call is unfinished and may ask for its turn again. */
  release(slot: number): void {
    const entry = this.#slot(slot);
    if (entry.state === "running") this.#running--;
    entry.state = "open";
    this.#startAll();
  }

  /** The call's result is recorded, or it never started; `wrote` if it ran and its claims write. */
  finish(slot: number, wrote: boolean): void {
    const entry = this.#slot(slot);
    if (entry.state === "running") this.#running--;
    entry.state = "finished";
    entry.wrote = wrote;
    while (this.#slots[this.#firstOpen]?.state === "finished") this.#firstOpen++;
    this.#startAll();
  }

  /** Whether an earlier call of the batch ran and wrote. */
  wroteBefore(slot: number): boolean {
    return this.#slots.slice(0, slot).some((entry) => entry.wrote);
  }

  #slot(slot: number): Slot {
    while (this.#slots.length <= slot) {
      this.#slots.push({ claims: undefined, state: "open", wrote: false });
    }
    return this.#slots[slot] as Slot;
  }

  #startAll(): void {
    for (let index = this.#firstOpen; index < this.#slots.length; index++) {
      if (this.#running >= this.#maxParallel) return;
      const entry = this.#slots[index] as Slot;
      if (entry.state !== "waiting" || !this.#isFree(index, entry.claims ?? BARRIER)) continue;
      entry.state = "running";
      this.#running++;
      entry.start?.();
    }
  }

  #isFree(index: number, claims: readonly Claim[]): boolean {
    for (let earlier = this.#firstOpen; earlier < index; earlier++) {
      const entry = this.#slots[earlier] as Slot;
      if (entry.state === "finished") continue;
      // A call that has not said what it touches may touch anything.
      if (callsConflict(entry.claims ?? BARRIER, claims)) return false;
    }
    return true;
  }
}
