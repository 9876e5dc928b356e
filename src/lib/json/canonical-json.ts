/** One text for equal data: JSON with sorted keys. What JSON cannot hold is shown by its kind; never throws. */
export function canonicalJson(value: unknown): string {
  return print(value, new Set());
}

function print(value: unknown, above: Set<object>): string {
  if (typeof value === "bigint") return `"[${value}n]"`;
  if (typeof value !== "object" || value === null) {
    return JSON.stringify(value) ?? `"[${typeof value}]"`;
  }
  if (above.has(value) || above.size > MAX_DEPTH) return '"[deeper]"';
  above.add(value);
  const text = Array.isArray(value)
    ? `[${value.map((part) => print(part, above)).join(",")}]`
    : printObject(value as Record<string, unknown>, above);
  above.delete(value);
  return text;
}

/** Levels of nesting that are told apart. */
const MAX_DEPTH = 500;

function printObject(value: Record<string, unknown>, above: Set<object>): string {
  const parts = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${print(value[key], above)}`);
  return `{${parts.join(",")}}`;
}
