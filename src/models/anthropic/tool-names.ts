// Tool names on the wire. Names of one's own may hold what the API refuses, and so may a name that a model made up.

const LEGAL = /^[a-zA-Z0-9_-]{1,128}$/;
/** Leaves room for a suffix. */
const MAX_MADE = 120;

/** The declared names, legal ones as they are and others made legal and unique, and the way back. */
export class ToolNames {
  readonly #toWire = new Map<string, string>();
  readonly #fromWire = new Map<string, string>();
  /** Equal for equal mappings; empty where every declared name is legal. */
  readonly key: string;

  constructor(names: readonly string[]) {
    const taken = new Set(names.filter((name) => LEGAL.test(name)));
    for (const name of names) {
      if (LEGAL.test(name) || this.#toWire.has(name)) continue;
      const wire = firstFree(legalName(name), taken);
      taken.add(wire);
      this.#toWire.set(name, wire);
      this.#fromWire.set(wire, name);
    }
    this.key = this.#toWire.size === 0 ? "" : JSON.stringify([...this.#toWire]);
  }

  /** Also for tools that are not declared: a history is not refused for the name of a call. */
  toWire(name: unknown): string {
    const own = typeof name === "string" ? name : "";
    return this.#toWire.get(own) ?? legalName(own);
  }

  fromWire(name: string): string {
    return this.#fromWire.get(name) ?? name;
  }
}

function legalName(name: string): string {
  if (LEGAL.test(name)) return name;
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, MAX_MADE) || "unnamed";
}

function firstFree(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name}_${number}`;
  return free;
}
