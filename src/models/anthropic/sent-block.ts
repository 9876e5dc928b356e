// Content blocks as bytes that are made once: joining bytes is many times cheaper than making a request's text anew.

/** A block of the API; its bytes are a JSON object. */
export interface SentBlock {
  /** The API's word for it, for instance `tool_use`. */
  readonly kind: string;
  readonly bytes: Uint8Array;
}

/** A block out of its JSON text. */
export function sentBlock(kind: string, text: string): SentBlock {
  return { kind, bytes: Buffer.from(text) };
}

/** The block with a cache mark as its last member. */
export function marked({ bytes }: Pick<SentBlock, "bytes">): Uint8Array {
  return Buffer.concat([bytes.subarray(0, -1), MARK]);
}

const MARK = Buffer.from(',"cache_control":{"type":"ephemeral"}}');

/** The blocks as the members of a list. */
export function* listed(
  blocks: readonly SentBlock[],
  marks: "mark the last" | "no mark",
): Generator<Uint8Array> {
  for (const [index, block] of blocks.entries()) {
    if (index > 0) yield COMMA;
    yield marks === "mark the last" && index === blocks.length - 1 ? marked(block) : block.bytes;
  }
}

const COMMA = Buffer.from(",");

/**
 * JSON text that every server takes: half a surrogate pair, which a model can write as an escape, becomes U+FFFD, also
 * in a key. The API refuses it in a request, and would for ever. Throws for a circle.
 */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  // Whole pairs stand as themselves; only a half one is escaped so. An escaped backslash before "ud" is skipped.
  if (!text.includes("\\ud")) return text;
  return text.replaceAll(/\\\\|\\ud[89a-f][0-9a-f]{2}/g, (found) =>
    found === "\\\\" ? found : "\ufffd",
  );
}
