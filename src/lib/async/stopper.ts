// A stop that remembers when it happened, so that every wait after it shares one grace.

/** An abort's reason in the form that `fetch` and tools expect: an error named AbortError. */
export function abortError(message: string): Error {
  const error = new Error(message);
  error.name = "AbortError";
  return error;
}

/** Says stop once, to its signal and to its children, and knows how long ago that was. */
export class Stopper {
  readonly #controller = new AbortController();
  readonly #children = new Set<Stopper>();
  readonly #now: () => number;
  readonly #parent: Stopper | undefined;
  #stoppedAt: number | undefined;

  /** `now` gives monotonic milliseconds. */
  constructor(now: () => number, parent?: Stopper) {
    this.#now = now;
    this.#parent = parent;
    parent?.adopt(this);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get stopped(): boolean {
    return this.#stoppedAt !== undefined;
  }

  /** Milliseconds since the stop; 0 before it. */
  get stoppedForMs(): number {
    return this.#stoppedAt === undefined ? 0 : this.#now() - this.#stoppedAt;
  }

  /** Only the first call counts. */
  stop(reason: unknown): void {
    if (this.#stoppedAt !== undefined) return;
    this.#stoppedAt = this.#now();
    for (const child of this.#children) child.stop(reason);
    this.#children.clear();
    this.#controller.abort(reason);
  }

  /** A stop of its own that also comes with this one. Release it when its work is done. */
  child(): Stopper {
    return new Stopper(this.#now, this);
  }

  /** Lets the parent forget this one. */
  release(): void {
    this.#parent?.disown(this);
  }

  private adopt(child: Stopper): void {
    if (this.stopped) child.stop(this.signal.reason);
    else this.#children.add(child);
  }

  private disown(child: Stopper): void {
    this.#children.delete(child);
  }
}
