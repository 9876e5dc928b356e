// File names are chosen by whoever made the file: they may hold line breaks, escape codes or marks that turn the
// direction of writing, and so forge lines of a text or commands to a terminal.

const UNSAFE = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;
const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** A name or path as one visible line: control characters, direction marks and lone surrogates become `\n`, `\x1b` or `\u{202e}`. */
export function showPath(path: string): string {
  const visible = path.replace(UNSAFE, escapeCharacter);
  return visible.isWellFormed()
    ? visible
    : visible.replace(/\p{Surrogate}/gu, (half) => escapeCharacter(half));
}

function escapeCharacter(character: string): string {
  const code = character.charCodeAt(0);
  return (
    SHORT[character] ??
    (code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`)
  );
}
