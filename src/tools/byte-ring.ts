// The last bytes of a stream, in a buffer that never grows past its size however the bytes come in.

/** Bytes to begin with: most outputs are short. */
const FIRST_CAPACITY = 16_384;

/** Keeps the last `maxBytes` bytes. */
export class ByteRing {
  readonly #maxBytes: number;
  #buffer = Buffer.alloc(0);
  /** Where the next byte goes, once the buffer is full size and full. */
  #next = 0;
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** How many bytes are kept. */
  get length(): number {
    return this.#length;
  }

  push(chunk: Uint8Array): void {
    const part =
      chunk.length > this.#maxBytes ? chunk.subarray(chunk.length - this.#maxBytes) : chunk;
    this.#makeRoom(this.#length + part.length);
    const size = this.#buffer.length;
    const first = Math.min(part.length, size - this.#next);
    this.#buffer.set(part.subarray(0, first), this.#next);
    this.#buffer.set(part.subarray(first), 0);
    this.#next = (this.#next + part.length) % size || 0;
    this.#length = Math.min(size, this.#length + part.length);
  }

  /** The last `count` of the kept bytes, or all of them; a copy. */
  last(count: number = this.#length): Buffer {
    const length = Math.min(count, this.#length);
    const size = this.#buffer.length;
    const start = size === 0 ? 0 : (this.#next - length + size) % size;
    if (length === 0) return Buffer.alloc(0);
    if (start + length <= size) return Buffer.from(this.#buffer.subarray(start, start + length));
    return Buffer.concat([
      this.#buffer.subarray(start),
      this.#buffer.subarray(0, length - (size - start)),
    ]);
  }

  #makeRoom(bytes: number): void {
    const size = this.#buffer.length;
    if (bytes <= size || size === this.#maxBytes) return;
    let wanted = Math.max(size, FIRST_CAPACITY);
    while (wanted < bytes) wanted *= 4;
    const larger = Buffer.alloc(Math.min(wanted, this.#maxBytes));
    this.last().copy(larger);
    this.#buffer = larger;
    this.#next = this.#length % larger.length;
  }
}
