// Which of the known names was meant: for unknown tools, files, flags and properties.

/** Longer names are compared by their start. */
const MAX_COMPARED = 64;
/** More candidates than this are not looked at. */
const MAX_CANDIDATES = 2000;

/** The candidates that `name` may have meant, best first; none where nothing is near. */
export function nearestNames(name: string, candidates: readonly string[], max = 3): string[] {
  const wanted = name.slice(0, MAX_COMPARED).toLowerCase();
  if (wanted === "") return [];
  return candidates
    .slice(0, MAX_CANDIDATES)
    .map((candidate) => ({ candidate, distance: distanceTo(wanted, candidate) }))
    .filter(({ distance }) => distance !== undefined)
    .toSorted((a, b) => (a.distance ?? 0) - (b.distance ?? 0))
    .slice(0, max)
    .map(({ candidate }) => candidate);
}

/** Undefined when the two have too little in common. */
function distanceTo(wanted: string, candidate: string): number | undefined {
  const other = candidate.slice(0, MAX_COMPARED).toLowerCase();
  const shorter = Math.min(wanted.length, other.length);
  const contained = wanted.includes(other) || other.includes(wanted);
  const longer = Math.max(wanted.length, other.length);
  const allowed = Math.max(1, Math.floor(longer / 3));
  const near = contained && shorter >= 3;
  // The difference in length is a lower bound, so that most of many names cost nothing.
  if (longer - shorter > allowed) return near ? 2 : undefined;
  const distance = editDistance(wanted, other);
  if (near) return Math.min(distance, 2);
  return distance <= allowed && distance < shorter ? distance : undefined;
}

/** Insertions, deletions, replacements and swaps of neighbours. */
function editDistance(a: string, b: string): number {
  const width = b.length + 1;
  let beforeLast = new Uint8Array(width);
  let last = Uint8Array.from({ length: width }, (_, at) => at);
  let row = new Uint8Array(width);
  for (let i = 1; i <= a.length; i++) {
    row[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const equal = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      let best = Math.min(cell(last, j) + 1, cell(row, j - 1) + 1);
      best = Math.min(best, cell(last, j - 1) + (equal ? 0 : 1));
      const swapped =
        i > 1 &&
        j > 1 &&
        a.charCodeAt(i - 1) === b.charCodeAt(j - 2) &&
        a.charCodeAt(i - 2) === b.charCodeAt(j - 1);
      row[j] = swapped ? Math.min(best, cell(beforeLast, j - 2) + 1) : best;
    }
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  return cell(last, b.length);
}

function cell(row: Uint8Array, at: number): number {
  return row[at] ?? 0;
}
