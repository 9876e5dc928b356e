// What was measured, by who was measured and by the figure's name, and how it is printed.

/** The name of whom the others are held against. */
export const BASE = "bare";

/** Figures of several runs of several contenders; lower is better. */
export class Report {
  readonly #seen = new Map<string, Map<string, number[]>>();
  readonly #failed = new Map<string, string>();

  add(contender: string, figures: Readonly<Record<string, number | undefined>>): void {
    const own = this.#seen.get(contender) ?? new Map<string, number[]>();
    this.#seen.set(contender, own);
    for (const [name, value] of Object.entries(figures)) {
      if (value !== undefined) own.set(name, [...(own.get(name) ?? []), value]);
    }
  }

  /** Whoever failed once is not asked again. */
  fail(contender: string, why: unknown): void {
    this.#failed.set(contender, why instanceof Error ? why.message : String(why));
  }

  hasFailed(contender: string): boolean {
    return this.#failed.has(contender);
  }

  /** A block of lines for each figure: median, range, ratio to the base. */
  print(): void {
    const names = new Set([...this.#seen.values()].flatMap((own) => [...own.keys()]));
    for (const name of names) {
      console.log(name);
      const base = median(this.#seen.get(BASE)?.get(name) ?? []);
      for (const [contender, own] of this.#seen) {
        const figures = own.get(name);
        if (!figures) continue;
        const middle = median(figures);
        const range = `${format(Math.min(...figures))} – ${format(Math.max(...figures))}`;
        const ratio = contender === BASE ? "" : `  ${(middle / base).toFixed(2)} × ${BASE}`;
        console.log(
          `  ${contender.padEnd(20)} ${format(middle).padStart(9)}  (${range})${Number.isNaN(base) ? "" : ratio}`,
        );
      }
    }
    for (const [contender, why] of this.#failed)
      console.log(`  ${contender}: ${why.split("\n")[0]}`);
    console.log("");
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function format(value: number): string {
  return value >= 1000 ? value.toFixed(0) : value.toFixed(value < 10 ? 2 : 1);
}
