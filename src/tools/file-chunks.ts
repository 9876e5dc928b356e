// Reading a file piece by piece, so that memory stays flat however large it is.
import type { OpenFile } from "../workspace/workspace.ts";

/** Large enough that the calls cost nothing, small enough that an abort is heard soon. Bytes. */
const CHUNK_BYTES = 256 * 1024;

/** What chunksOf may be told. */
export interface ChunkOptions {
  readonly signal?: AbortSignal | undefined;
  /** The first piece, if the caller has read it already. */
  readonly first?: Buffer;
}

/** The first piece: of a small file all of it, of an empty one nothing. */
export async function firstChunk(file: OpenFile): Promise<Buffer> {
  // One byte more than the file has shows its end at once.
  const into = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(4096, file.stat.size + 1)));
  return into.subarray(0, await file.read(into, 0));
}

/**
 * The file's bytes from the start, in order, until it ends; the next piece is fetched while the last one is used. A piece is
 * valid until the next is asked for. Stops with the signal's reason between two pieces.
 */
export async function* chunksOf(
  file: OpenFile,
  options: ChunkOptions = {},
): AsyncGenerator<Buffer> {
  const { signal } = options;
  signal?.throwIfAborted();
  const first = options.first ?? (await firstChunk(file));
  let position = first.length;
  if (position === 0) return;
  yield first;
  if (position === file.stat.size && position < CHUNK_BYTES) return;
  const buffers = [Buffer.allocUnsafeSlow(CHUNK_BYTES), Buffer.allocUnsafeSlow(CHUNK_BYTES)];
  let turn = 0;
  const fetch = (): Promise<Buffer> => {
    const into = buffers[turn++ % 2] ?? Buffer.alloc(0);
    const fetched = file.read(into, position).then((length) => into.subarray(0, length));
    // It may fail before anyone waits for it; whoever then does still gets the error.
    fetched.catch(() => {});
    return fetched;
  };
  let next = fetch();
  try {
    for (;;) {
      const chunk = await next;
      signal?.throwIfAborted();
      if (chunk.length === 0) return;
      position += chunk.length;
      next = fetch();
      yield chunk;
    }
  } finally {
    // A read under way holds the descriptor: who stops early shall not close it before.
    await next.catch(() => {});
  }
}

/** The whole content, or undefined if it has more than `maxBytes`. */
export async function wholeContent(
  file: OpenFile,
  maxBytes: number,
  options: ChunkOptions = {},
): Promise<Buffer | undefined> {
  if (file.stat.size > maxBytes) return undefined;
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunksOf(file, options)) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    parts.push(Buffer.from(chunk));
  }
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
}
