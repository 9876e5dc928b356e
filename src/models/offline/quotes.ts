// Quoted pieces of a prompt, taken out of the way, so that no rule looks inside them.

/** A text in which each quoted piece is one character, and what those characters stand for. */
export interface Masked {
  text: string;
  pieces: readonly Piece[];
}

interface Piece {
  /** As written, with its quotes. */
  raw: string;
  /** What the quotes hold; `undefined` for a character of the prompt's that only looks like ours. */
  inner: string | undefined;
}

// One character of Unicode's private area stands for each piece.
const FIRST = 0xe000;
const MOST_PIECES = 6000;

const CLOSING: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "`": "`",
  "“": "”",
  "‘": "’",
  "「": "」",
  "『": "』",
};

/** Replaces each quoted piece by one character. A quote that is never closed is left as it is. */
export function mask(source: string): Masked {
  const pieces: Piece[] = [];
  let text = "";
  for (let at = 0; at < source.length;) {
    const char = source.charAt(at);
    const closing = CLOSING[char];
    if (pieces.length < MOST_PIECES) {
      if (isPrivate(char)) {
        text += placeholder(pieces.push({ raw: char, inner: undefined }));
        at++;
        continue;
      }
      const end = closing === undefined ? -1 : closingPlace(source, at, closing);
      if (end > at) {
        const raw = source.slice(at, end + 1);
        text += placeholder(pieces.push({ raw, inner: source.slice(at + 1, end) }));
        at = end + 1;
        continue;
      }
    }
    text += char;
    at++;
  }
  return { text, pieces };
}

/** A piece of masked text as it was written. */
export function unmask(text: string, masked: Masked): string {
  return text.replace(/[\uE000-\uF8FF]/g, (char) => pieceOf(char, masked)?.raw ?? char);
}

/** What an argument means: inside its quotes if it is one quoted piece, else as it was written. */
export function valueOf(text: string, masked: Masked): string {
  return quotedValue(text, masked) ?? unmask(text.trim(), masked);
}

/** What the quotes hold, if the argument is one quoted piece. */
export function quotedValue(text: string, masked: Masked): string | undefined {
  const trimmed = text.trim();
  return trimmed.length === 1 ? pieceOf(trimmed, masked)?.inner : undefined;
}

function placeholder(count: number): string {
  return String.fromCharCode(FIRST + count - 1);
}

function pieceOf(char: string, masked: Masked): Piece | undefined {
  return isPrivate(char) ? masked.pieces[char.charCodeAt(0) - FIRST] : undefined;
}

function isPrivate(char: string): boolean {
  return char >= "\uE000" && char <= "\uF8FF";
}

/** Where the quote that opens at `at` closes, or -1. An apostrophe inside a word neither opens nor closes. */
function closingPlace(source: string, at: number, closing: string): number {
  if (closing === "'" && isLatin(source.charAt(at - 1))) return -1;
  const mayBeApostrophe = closing === "'" || closing === "’";
  for (let end = at; ;) {
    end = source.indexOf(closing, end + 1);
    if (end < 0 || !mayBeApostrophe || !isLatin(source.charAt(end + 1))) return end;
  }
}

function isLatin(char: string): boolean {
  return /^[\p{Script=Latin}\p{Nd}]$/u.test(char);
}
