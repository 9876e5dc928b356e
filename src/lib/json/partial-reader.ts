// Reads a JSON text while it grows, to show what a model is writing. For display only: what runs is parsed strictly at
// its end. Linear in the text's length however it is cut; never throws, whatever comes; agrees with JSON.parse on whole
// texts. Deliberately not a validator: what does not belong is passed over.

/** Deeper containers are read but not kept. */
export const MAX_DEPTH = 500;

export interface PartialReader {
  /** Takes the next piece of the text, cut anywhere. */
  append(chunk: string): void;
  /**
   * What stands there so far: the same live tree each time, with open strings as far as they go. Costs what came since
   * the last snapshot. Undefined before the first value.
   */
  snapshot(): unknown;
}

/** A reader for one text. */
export function createPartialReader(): PartialReader {
  return new Reader();
}

type Container = Record<string, unknown> | unknown[];

interface Frame {
  container: Container;
  isList: boolean;
  /** The key whose value is awaited. */
  key: string | undefined;
  /** A string read now is a key. */
  wantsKey: boolean;
  kept: boolean;
}

interface OpenString {
  parts: string[];
  isKey: boolean;
  /** An escape that is not complete yet, with its backslash. */
  escape: string;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

class Reader implements PartialReader {
  #root: unknown;
  #hasRoot = false;
  readonly #frames: Frame[] = [];
  #string: OpenString | undefined;
  #scalar = "";

  append(chunk: string): void {
    let at = 0;
    while (at < chunk.length) {
      at = this.#string ? this.#readString(this.#string, chunk, at) : this.#readOther(chunk, at);
    }
  }

  snapshot(): unknown {
    const { parts, isKey } = this.#string ?? { parts: [], isKey: true };
    if (this.#string && !isKey) {
      const text = parts.join("");
      // One part again, so that the next snapshot joins only what is new.
      this.#string.parts = [text];
      this.#put(text, false);
    } else if (this.#scalar !== "") {
      const value = scalarValue(this.#scalar);
      if (value !== undefined) this.#put(value, false);
    }
    return this.#root;
  }

  /** Reads within a string; gives where to go on. */
  #readString(open: OpenString, chunk: string, from: number): number {
    if (open.escape !== "") return this.#readEscape(open, chunk, from);
    for (let at = from; at < chunk.length; at++) {
      const code = chunk.charCodeAt(at);
      if (code !== 0x22 && code !== 0x5c) continue;
      if (at > from) open.parts.push(chunk.slice(from, at));
      if (code === 0x5c) open.escape = "\\";
      else this.#closeString(open);
      return at + 1;
    }
    open.parts.push(chunk.slice(from));
    return chunk.length;
  }

  #readEscape(open: OpenString, chunk: string, at: number): number {
    const character = chunk.charAt(at);
    if (open.escape === "\\") {
      if (character === "u") open.escape = "\\u";
      else {
        open.parts.push(ESCAPES[character] ?? character);
        open.escape = "";
      }
      return at + 1;
    }
    if (!/[0-9a-fA-F]/.test(character)) {
      open.parts.push("\uFFFD");
      open.escape = "";
      return at;
    }
    open.escape += character;
    if (open.escape.length === 6) {
      open.parts.push(String.fromCharCode(Number.parseInt(open.escape.slice(2), 16)));
      open.escape = "";
    }
    return at + 1;
  }

  #closeString(open: OpenString): void {
    this.#string = undefined;
    const text = open.parts.join("");
    const frame = this.#frames.at(-1);
    if (open.isKey && frame) {
      frame.key = text;
      frame.wantsKey = false;
    } else this.#put(text, true);
  }

  /** Reads between strings; gives where to go on. */
  #readOther(chunk: string, at: number): number {
    const character = chunk.charAt(at);
    if (isScalarCharacter(character)) {
      this.#scalar += character;
      return at + 1;
    }
    this.#closeScalar();
    const frame = this.#frames.at(-1);
    switch (character) {
      case '"':
        this.#string = { parts: [], isKey: frame?.wantsKey === true, escape: "" };
        break;
      case "{":
        this.#open({}, false);
        break;
      case "[":
        this.#open([], true);
        break;
      case "}":
      case "]":
        if (frame && frame.isList === (character === "]")) this.#frames.pop();
        break;
      case ",":
        if (frame && !frame.isList) {
          frame.key = undefined;
          frame.wantsKey = true;
        } else if (frame) frame.key = undefined;
        break;
      default:
    }
    return at + 1;
  }

  #closeScalar(): void {
    if (this.#scalar === "") return;
    const value = scalarValue(this.#scalar);
    this.#scalar = "";
    if (value !== undefined) this.#put(value, true);
  }

  #open(container: Container, isList: boolean): void {
    const kept = this.#frames.length < MAX_DEPTH;
    this.#put(kept ? container : null, true);
    this.#frames.push({ container, isList, key: undefined, wantsKey: !isList, kept });
  }

  /** Sets the value that is being read; `done` when it is complete, else it is set again later. */
  #put(value: unknown, done: boolean): void {
    const frame = this.#frames.at(-1);
    if (!frame) {
      // What follows a whole value is passed over.
      if (this.#hasRoot) return;
      this.#root = value;
      this.#hasRoot = done;
      return;
    }
    if (!frame.kept) return;
    if (Array.isArray(frame.container)) {
      const place = frame.key === undefined ? frame.container.length : Number(frame.key);
      frame.container[place] = value;
      frame.key = done ? undefined : String(place);
      return;
    }
    if (frame.key === undefined) return;
    Object.defineProperty(frame.container, frame.key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
    if (done) frame.key = undefined;
  }
}

function isScalarCharacter(character: string): boolean {
  return /[-+.0-9A-Za-z]/.test(character);
}

function scalarValue(text: string): unknown {
  if (text === "true") return true;
  if (text === "false") return false;
  if (text === "null") return null;
  // Only what JSON itself takes for a number.
  return /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(text) ? Number(text) : undefined;
}
