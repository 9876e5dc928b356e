// A queue of events between one producer and one reader.

/**
 * Events pushed by one side, read by the other with `for await`, with a result at the end.
 * Nothing is lost when nobody reads yet; pushes after the end are ignored.
 */
export class EventStream<T, R = T> implements AsyncIterable<T> {
  #unread: T[] = [];
  #head = 0;
  #pushed = 0;
  #ended = false;
  #waiting: ((step: IteratorResult<T>) => void)[] = [];
  readonly #result = Promise.withResolvers<R>();
  readonly #isLast: (event: T) => boolean;
  readonly #resultOf: (event: T) => R;

  /** `isLast` names the event that ends the stream, `resultOf` the result that it carries. */
  constructor(isLast: (event: T) => boolean, resultOf: (event: T) => R) {
    this.#isLast = isLast;
    this.#resultOf = resultOf;
    // A result nobody asks for is no unhandled rejection.
    this.#result.promise.catch(() => {});
  }

  /** How many events wait for the reader. */
  get unread(): number {
    return this.#unread.length - this.#head;
  }

  /** How many events were pushed so far. */
  get pushed(): number {
    return this.#pushed;
  }

  /** The newest unread event. */
  get lastUnread(): T | undefined {
    return this.unread > 0 ? this.#unread[this.#unread.length - 1] : undefined;
  }

  /** Puts another event in the place of the newest unread one. */
  replaceLastUnread(event: T): void {
    if (this.unread > 0) this.#unread[this.#unread.length - 1] = event;
  }

  push(event: T): void {
    if (this.#ended) return;
    this.#pushed++;
    const last = this.#isLast(event);
    const reader = this.#waiting.shift();
    if (reader) reader({ value: event, done: false });
    else this.#unread.push(event);
    if (last) {
      this.#result.resolve(this.#resultOf(event));
      this.#finish();
    }
  }

  /** Ends without a last event; `result()` then gives `result`, if one is given. */
  end(result?: R): void {
    if (this.#ended) return;
    if (result !== undefined) this.#result.resolve(result);
    this.#finish();
  }

  /** Ends the stream, and rejects `result()`: for a bug of ours. */
  fail(error: unknown): void {
    if (this.#ended) return;
    this.#result.reject(error);
    this.#finish();
  }

  result(): Promise<R> {
    return this.#result.promise;
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    return {
      next: () => this.#next(),
      return: () => Promise.resolve({ value: undefined, done: true }),
    };
  }

  #next(): Promise<IteratorResult<T>> {
    if (this.unread > 0) {
      const event = this.#unread[this.#head] as T;
      this.#head++;
      // Dropping the read part at half keeps each read O(1) amortised.
      if (this.#head * 2 >= this.#unread.length) {
        this.#unread = this.#unread.slice(this.#head);
        this.#head = 0;
      }
      return Promise.resolve({ value: event, done: false });
    }
    if (this.#ended) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #finish(): void {
    this.#ended = true;
    for (const reader of this.#waiting) reader({ value: undefined, done: true });
    this.#waiting = [];
  }
}
