import { describeError } from "../text/describe-error.ts";
import { utf8Length } from "../text/truncate.ts";

/** A plain copy of a value, or why there is none. */
export type PlainCopy = { ok: true; value: unknown; bytes: number } | { ok: false; reason: string };

/**
 * Copies anything as JSON would hold it; functions are left out. Fails for cycles, big integers, throwing getters, and
 * past `maxBytes` of UTF-8, then mostly without building the text.
 */
export function toJsonValue(value: unknown, maxBytes: number): PlainCopy {
  try {
    if (leastBytes(value, maxBytes) > maxBytes) {
      return { ok: false, reason: `more than ${maxBytes} bytes as JSON` };
    }
    const text = JSON.stringify(value);
    if (text === undefined) return { ok: false, reason: `a ${typeof value} is no JSON` };
    const bytes = utf8Length(text);
    if (bytes > maxBytes) {
      return { ok: false, reason: `${bytes} bytes as JSON, more than ${maxBytes}` };
    }
    return { ok: true, value: JSON.parse(text) as unknown, bytes };
  } catch (error) {
    const why = describeError(error).split("\n")[0] ?? "";
    return { ok: false, reason: `cannot be held as JSON: ${why.slice(0, 200)}` };
  }
}

/** Deeper parts are not counted: what holds itself is left for JSON itself to name. */
const MAX_DEPTH = 200;

/** A lower bound of a value's bytes as JSON, from a walk that ends once it is over `max`. */
function leastBytes(value: unknown, max: number, depth = 0): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 0;
  if (depth > MAX_DEPTH || "toJSON" in value) return 0;
  if (Array.isArray(value)) {
    let bytes = 1;
    for (let at = 0; at < value.length && bytes <= max; at++) {
      bytes += 1 + leastBytes(value[at], max - bytes, depth + 1);
    }
    return bytes;
  }
  let bytes = 2;
  for (const [key, part] of Object.entries(value)) {
    if (part === undefined || typeof part === "function" || typeof part === "symbol") continue;
    bytes += key.length + 3 + leastBytes(part, max - bytes, depth + 1);
    if (bytes > max) break;
  }
  return bytes;
}
