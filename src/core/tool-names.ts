// Finds the tool that a model meant, and makes a call's id and name right.
import { nearestNames } from "../lib/text/nearest-names.ts";
import type { ToolCall } from "./messages.ts";

/** Prefixes that models put before a tool's name, from their training on other interfaces. */
const NAMESPACES = ["functions", "default_api", "tools", "tool", "default"] as const;
/** The longest part of an unknown name that an error repeats, in characters. */
const MAX_SHOWN_NAME = 100;
const MAX_LISTED_TOOLS = 30;

/** The real name behind `name`: itself, its unique case variant, or either behind a known namespace. */
export function resolveToolName(name: string, known: readonly string[]): string | undefined {
  return directMatch(name, known) ?? directMatch(withoutNamespace(name.trim()), known);
}

function directMatch(name: string, known: readonly string[]): string | undefined {
  if (known.includes(name)) return name;
  const lower = name.trim().toLowerCase();
  const variants = known.filter((other) => other.toLowerCase() === lower);
  return variants.length === 1 ? variants[0] : undefined;
}

function withoutNamespace(name: string): string {
  for (const namespace of NAMESPACES) {
    const separator = name.charAt(namespace.length);
    if (!".:/".includes(separator) || separator === "") continue;
    if (name.slice(0, namespace.length).toLowerCase() === namespace) {
      return name.slice(namespace.length + 1);
    }
  }
  return name;
}

/** What a model is told when no tool has the name it used. */
export function describeUnknownTool(name: string, known: readonly string[]): string {
  const shown = name.length > MAX_SHOWN_NAME ? `${name.slice(0, MAX_SHOWN_NAME)}…` : name;
  const nearest = nearestNames(name.slice(0, MAX_SHOWN_NAME), known);
  if (nearest.length > 0) return `Tool ${shown} not found. Nearest: ${nearest.join(", ")}.`;
  if (known.length === 0) return `Tool ${shown} not found. No tools are active.`;
  const more = known.length > MAX_LISTED_TOOLS ? ", …" : "";
  return `Tool ${shown} not found. Available tools: ${known.slice(0, MAX_LISTED_TOOLS).join(", ")}${more}.`;
}

/** Makes the ids of one message's calls present and different, in the order in which the calls end. */
export class CallNames {
  readonly #taken = new Set<string>();
  readonly #byContentIndex = new Map<number, { id: string; name: string }>();
  readonly #known: readonly string[];

  constructor(knownTools: readonly string[]) {
    this.#known = knownTools;
  }

  /** The right id and name of the call at this place of the message; the same answer each time. */
  settle(contentIndex: number, toolCall: ToolCall): { id: string; name: string } {
    const settled = this.#byContentIndex.get(contentIndex);
    if (settled) return settled;
    const id = this.#freeId(toolCall.id, contentIndex);
    const sent = typeof toolCall.name === "string" ? toolCall.name : "";
    const name = resolveToolName(sent, this.#known) ?? sent;
    this.#taken.add(id);
    this.#byContentIndex.set(contentIndex, { id, name });
    return { id, name };
  }

  /** An empty id becomes `call_<index>`; one already taken gets the first free suffix. */
  #freeId(sent: unknown, contentIndex: number): string {
    const base = typeof sent === "string" && sent !== "" ? sent : `call_${contentIndex}`;
    let id = base;
    for (let suffix = 2; this.#taken.has(id); suffix++) id = `${base}_${suffix}`;
    return id;
  }
}
