/** A value's own copy, or why there is none. */
export type Copy = { ok: true; value: unknown; parts: number } | { ok: false; why: string };

/** Levels and parts of a value; more are refused before anything recurses into them. */
const MAX_DEPTH = 500;
const MAX_PARTS = 1_000_000;

/**
 * Copies plain data; strings are shared, `__proto__` stays a property of its own. Values that are no plain data but can
 * be cloned (dates, bytes) are. Never throws.
 */
export function copyValue(value: unknown): Copy {
  const work = { parts: 0 };
  try {
    return { ok: true, value: copyPart(value, 0, work), parts: work.parts };
  } catch (error) {
    return { ok: false, why: error instanceof Refusal ? error.message : "holds what is no data" };
  }
}

class Refusal extends Error {}

function copyPart(value: unknown, depth: number, work: { parts: number }): unknown {
  if (++work.parts > MAX_PARTS) {
    throw new Refusal(`holds more than ${MAX_PARTS} values, send fewer`);
  }
  if (typeof value === "function" || typeof value === "symbol") {
    throw new Refusal(`holds a ${typeof value}, which is no data`);
  }
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) {
    throw new Refusal(`nested more than ${MAX_DEPTH} levels deep, send a flatter value`);
  }
  if (Array.isArray(value)) return value.map((part) => copyPart(part, depth + 1, work));
  if (Object.prototype.toString.call(value) !== "[object Object]") return structuredClone(value);
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const part = copyPart((value as Record<string, unknown>)[key], depth + 1, work);
    if (key === "__proto__") {
      Object.defineProperty(copy, key, {
        value: part,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    } else copy[key] = part;
  }
  return copy;
}
