// The one strict parse: only what it returns is ever executed.
import { describeError } from "../text/describe-error.ts";
import { cutUtf8, formatBytes, utf8Length } from "../text/truncate.ts";

/** Bytes of a broken text that its error repeats. */
const MAX_QUOTED_BYTES = 2048;

export type ParsedArguments =
  | { ok: true; value: Record<string, unknown> }
  | { ok: false; error: string };

/**
 * Reads a call's argument text. Empty, blank, `null` and `[]` mean no arguments. Raw control characters inside strings
 * of a text that is otherwise complete are escaped; nothing else is repaired. The error quotes the text, capped at 2 KB.
 */
export function parseArguments(text: string): ParsedArguments {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed === "null" || trimmed === "[]") return { ok: true, value: {} };
  const parsed = parseStrict(text);
  if ("error" in parsed) return { ok: false, error: `${parsed.error}. ${quote(text)}` };
  const { value } = parsed;
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return { ok: true, value: value as Record<string, unknown> };
  }
  if (Array.isArray(value) && value.length === 0) return { ok: true, value: {} };
  const kind = Array.isArray(value) ? "a list" : `a ${typeof value}`;
  return { ok: false, error: `The arguments are ${kind}, wanted an object. ${quote(text)}` };
}

function parseStrict(text: string): { value: unknown } | { error: string } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    const escaped = escapeControls(text);
    if (escaped !== text) {
      try {
        return { value: JSON.parse(escaped) as unknown };
      } catch {
        // Something else is wrong: told as the text stands.
      }
    }
    return { error: firstLine(describeError(error)) };
  }
}

function firstLine(text: string): string {
  return (text.split("\n")[0] ?? "").slice(0, 200);
}

function quote(text: string): string {
  const size = utf8Length(text);
  if (size <= MAX_QUOTED_BYTES) return `Received: ${text}`;
  return `Received (the first ${formatBytes(MAX_QUOTED_BYTES)} of ${formatBytes(size)}): ${cutUtf8(text, MAX_QUOTED_BYTES)}`;
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
