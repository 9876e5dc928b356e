/** Whether lists and objects lie more than `max` levels deep in each other. Linear, never recurses, follows no circle. */
export function isDeeperThan(value: unknown, max: number): boolean {
  let level: object[] = isContainer(value) ? [value] : [];
  const seen = new Set<object>();
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > max) return true;
    const next: object[] = [];
    for (const container of level) {
      for (const part of Array.isArray(container) ? container : Object.values(container)) {
        if (!isContainer(part) || seen.has(part)) continue;
        seen.add(part);
        next.push(part);
      }
    }
    level = next;
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
