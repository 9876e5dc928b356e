// The one strict parse: only what it returns is ever executed.
import { cutUtf8, formatBytes, utf8Length } from "../text/truncate.ts";
import { findJsonError } from "./find-json-error.ts";
import { isDeeperThan } from "./json-depth.ts";

/** Bytes of a broken text that its error repeats. */
const MAX_QUOTED_BYTES = 2048;

/** Lists and objects within each other; deeper ones are refused, since what prints them later would overflow. */
export const MAX_ARGUMENT_DEPTH = 500;

export type ParsedArguments =
  | { ok: true; value: Record<string, unknown> }
  | { ok: false; error: string };

/**
 * Reads a call's argument text. Empty, blank, `null` and `[]` mean no arguments. Raw control characters inside strings
 * of a text that is otherwise complete are escaped; nothing else is repaired. The error names the place and what was
 * found there, and quotes the text, capped at 2 KB.
 */
export function parseArguments(text: string): ParsedArguments {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed === "null" || trimmed === "[]") return { ok: true, value: {} };
  const parsed = parseText(text);
  if (!parsed) {
    const { at, what } = findJsonError(text) ?? { at: 0, what: "the text cannot be read" };
    return refuse(`The arguments are no JSON: at position ${at} of ${text.length}, ${what}`, text);
  }
  const { value } = parsed;
  if (Array.isArray(value) && value.length === 0) return { ok: true, value: {} };
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const kind = Array.isArray(value) ? "a list" : `a ${typeof value}`;
    return refuse(`The arguments are ${kind}, wanted an object`, text);
  }
  // Two characters a level: shorter texts cannot be too deep.
  if (text.length > MAX_ARGUMENT_DEPTH * 2 && isDeeperThan(value, MAX_ARGUMENT_DEPTH)) {
    const limit = `more than ${MAX_ARGUMENT_DEPTH} levels deep`;
    return refuse(`The arguments are nested ${limit}, send flatter ones`, text);
  }
  return { ok: true, value: value as Record<string, unknown> };
}

/** Strict JSON, or JSON but for raw control characters inside its strings; undefined for everything else. */
export function parseText(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    const escaped = escapeControls(text);
    if (escaped === text) return undefined;
    try {
      return { value: JSON.parse(escaped) as unknown };
    } catch {
      return undefined;
    }
  }
}

function refuse(why: string, text: string): ParsedArguments {
  const size = utf8Length(text);
  const isCut = size > MAX_QUOTED_BYTES;
  const part = ` (the first ${formatBytes(MAX_QUOTED_BYTES)} of ${formatBytes(size)})`;
  const quote = isCut ? cutUtf8(text, MAX_QUOTED_BYTES) : text;
  return { ok: false, error: `${why}. Received${isCut ? part : ""}: ${quote}` };
}

/** Escapes what JSON forbids raw inside strings; everything outside strings stays. */
function escapeControls(text: string): string {
  const parts: string[] = [];
  let kept = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (!inString) {
      inString = code === QUOTE;
      continue;
    }
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) inString = false;
    else if (code < 0x20) {
      parts.push(text.slice(kept, at), `\\u${code.toString(16).padStart(4, "0")}`);
      kept = at + 1;
    }
  }
  return kept === 0 ? text : parts.join("") + text.slice(kept);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
