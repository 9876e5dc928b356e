// Finds any of many byte strings in one pass. Where none can begin the search jumps: a table says by two bytes how far
// (Wu and Manber). Where one can, each byte is looked at once (Aho and Corasick). So no input makes it slow.

const ROOT = 0;
/** No jump is longer. Bytes. */
const MAX_WINDOW = 64;

/** A set of needles, each at least 2 bytes long. */
export class Needles {
  /** Bytes of the longest needle; 0 if there are none. */
  readonly longest: number;
  readonly #window: number;
  readonly #jumps = new Uint8Array(65_536);
  readonly #rootNext = new Int32Array(256);
  readonly #bytes: number[] = [0];
  readonly #firstChild: number[] = [0];
  readonly #sibling: number[] = [0];
  readonly #fallback: number[] = [0];
  readonly #depths: number[] = [0];
  /** The longest needle that ends here, as an index; -1 for none. */
  readonly #matches: number[] = [-1];
  readonly #lengths: number[];

  constructor(needles: readonly Uint8Array[]) {
    this.#lengths = needles.map(({ length }) => length);
    this.longest = Math.max(0, ...this.#lengths);
    this.#window = Math.min(MAX_WINDOW, ...this.#lengths);
    for (const [index, needle] of needles.entries()) this.#plant(needle, index);
    this.#linkFallbacks();
    this.#fillJumps(needles);
  }

  /**
   * Goes through `bytes` from a state (0 at the start of a stream) and gives the state after them. `onMatch` gets the end of each match, in
   * bytes from the start of `bytes`, its length, and the needle's index; of those that end at one place, the longest.
   */
  scan(
    bytes: Uint8Array,
    from: number,
    onMatch: (end: number, length: number, needle: number) => void,
  ): number {
    let state = from;
    let at = 0;
    while (at < bytes.length) {
      if (state === ROOT && at + this.#window <= bytes.length) at = this.#jump(bytes, at);
      // From here on every byte counts until nothing is begun; at the end of the bytes, too few are left to jump.
      do {
        const byte = bytes[at];
        if (byte === undefined) break;
        state = this.#step(state, byte);
        at++;
        const needle = this.#matches[state] ?? -1;
        if (needle >= 0) onMatch(at, this.#lengths[needle] ?? 0, needle);
      } while (state !== ROOT || at + this.#window > bytes.length);
    }
    return state;
  }

  /** How many of the bytes before a state may be the start of a needle that is not complete. */
  depth(from: number): number {
    let state = from;
    while (state !== ROOT && this.#firstChild[state] === 0) state = this.#fallback[state] ?? ROOT;
    return this.#depths[state] ?? 0;
  }

  /** The next place where a needle can begin, or where too few bytes are left to tell. */
  #jump(bytes: Uint8Array, from: number): number {
    const jumps = this.#jumps;
    const size = bytes.length;
    let last = from + this.#window - 1;
    while (last < size) {
      const jump = jumps[((bytes[last - 1] as number) << 8) | (bytes[last] as number)] as number;
      if (jump === 0) break;
      last += jump;
    }
    return last - this.#window + 1;
  }

  #step(from: number, byte: number): number {
    for (let state = from; state !== ROOT; state = this.#fallback[state] ?? ROOT) {
      const next = this.#child(state, byte);
      if (next !== 0) return next;
    }
    return this.#rootNext[byte] ?? ROOT;
  }

  #child(state: number, byte: number): number {
    let child = this.#firstChild[state] ?? 0;
    while (child !== 0 && this.#bytes[child] !== byte) child = this.#sibling[child] ?? 0;
    return child;
  }

  #plant(needle: Uint8Array, index: number): void {
    let state = ROOT;
    for (const byte of needle) state = this.#child(state, byte) || this.#grow(state, byte);
    if (this.#matches[state] === -1) this.#matches[state] = index;
  }

  #grow(parent: number, byte: number): number {
    const state = this.#bytes.length;
    this.#bytes.push(byte);
    this.#firstChild.push(0);
    this.#sibling.push(this.#firstChild[parent] ?? 0);
    this.#firstChild[parent] = state;
    this.#fallback.push(ROOT);
    this.#depths.push((this.#depths[parent] ?? 0) + 1);
    this.#matches.push(-1);
    if (parent === ROOT) this.#rootNext[byte] = state;
    return state;
  }

  /** By depth, so that what a state falls back to is linked before it. */
  #linkFallbacks(): void {
    const queue = [...this.#rootNext].filter((state) => state !== ROOT);
    for (const state of queue) {
      for (
        let child = this.#firstChild[state] ?? 0;
        child !== 0;
        child = this.#sibling[child] ?? 0
      ) {
        const fallback = this.#step(this.#fallback[state] ?? ROOT, this.#bytes[child] ?? 0);
        this.#fallback[child] = fallback;
        if (this.#matches[child] === -1) this.#matches[child] = this.#matches[fallback] ?? -1;
        queue.push(child);
      }
    }
  }

  /** By the last two bytes of a window, how far the next one may lie in which a needle can begin. */
  #fillJumps(needles: readonly Uint8Array[]): void {
    const jumps = this.#jumps.fill(Math.max(0, this.#window - 1));
    for (const needle of needles) {
      for (let at = 1; at < this.#window; at++) {
        const pair = ((needle[at - 1] ?? 0) << 8) | (needle[at] ?? 0);
        jumps[pair] = Math.min(jumps[pair] ?? 0, this.#window - 1 - at);
      }
    }
  }
}
