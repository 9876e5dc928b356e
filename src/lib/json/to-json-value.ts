import { utf8Length } from "../text/truncate.ts";

/** A plain copy of a value, or why there is none. */
export type PlainCopy = { ok: true; value: unknown; bytes: number } | { ok: false; reason: string };

/** Copies anything as JSON would hold it. Fails for cycles, big integers, throwing getters, and past `maxBytes` of UTF-8. */
export function toJsonValue(value: unknown, maxBytes: number): PlainCopy {
  try {
    const text = JSON.stringify(value);
    if (text === undefined) return { ok: false, reason: `a ${typeof value} is no JSON` };
    const bytes = utf8Length(text);
    if (bytes > maxBytes) {
      return { ok: false, reason: `${bytes} bytes as JSON, more than ${maxBytes}` };
    }
    return { ok: true, value: JSON.parse(text) as unknown, bytes };
  } catch (error) {
    const why = error instanceof Error ? (error.message.split("\n")[0] ?? "") : "unknown";
    return { ok: false, reason: `cannot be held as JSON: ${why}` };
  }
}
