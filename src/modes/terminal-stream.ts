// A model's text on its way to a terminal, piece by piece: shown at once, and never with an escape sequence in it.
import { sanitizeText } from "../lib/text/sanitize.ts";

/** What may begin an escape sequence: its text is held back until the line is whole. */
// oxlint-disable-next-line no-control-regex
const OPENER = /[\u001b\u0080-\u009f]/;

/** Cleans pieces of one text; joined, they are the same as the whole text cleaned. */
export class TerminalStream {
  readonly #write: (text: string) => void;
  #held = "";
  #isAtLineStart = true;
  #hasWritten = false;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** Something was shown since the last `begin`. */
  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  /** A new text begins. */
  begin(): void {
    this.end();
    this.#hasWritten = false;
  }

  push(piece: string): void {
    const text = this.#held + piece;
    const ready = readyLength(text);
    this.#held = text.slice(ready);
    this.#show(text.slice(0, ready));
  }

  /** Shows what was held back, and ends the line. */
  end(): void {
    this.#show(this.#held);
    this.#held = "";
    if (!this.#isAtLineStart) this.#write("\n");
    this.#isAtLineStart = true;
  }

  #show(text: string): void {
    const clean = sanitizeText(text);
    if (clean === "") return;
    this.#write(clean);
    this.#isAtLineStart = clean.endsWith("\n");
    this.#hasWritten = true;
  }
}

/** Whole lines, and of the last one all that holds neither the start of a sequence nor half a character. */
function readyLength(text: string): number {
  const lineStart = text.lastIndexOf("\n") + 1;
  const opener = OPENER.exec(text.slice(lineStart));
  const end = opener ? lineStart + opener.index : text.length;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
