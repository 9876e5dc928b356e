/**
 * Whether two plain values are the same data; the order of an object's keys does not count. Any depth; values that
 * hold themselves count as different once more than a million parts were compared.
 */
export function jsonEqual(a: unknown, b: unknown): boolean {
  const open: [unknown, unknown][] = [[a, b]];
  let compared = 0;
  for (let pair = open.pop(); pair; pair = open.pop()) {
    const [left, right] = pair;
    if (Object.is(left, right)) continue;
    if (!isContainer(left) || !isContainer(right)) return false;
    if (Array.isArray(left) !== Array.isArray(right)) return false;
    const keys = Object.keys(left);
    if (keys.length !== Object.keys(right).length) return false;
    compared += keys.length + 1;
    if (compared > MAX_COMPARED) return false;
    for (const key of keys) {
      if (!Object.hasOwn(right, key)) return false;
      open.push([left[key], right[key]]);
    }
  }
  return true;
}

const MAX_COMPARED = 1_000_000;

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
