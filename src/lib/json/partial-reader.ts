// Reads a JSON text while it grows, to show what a model is writing. For display only: what runs is parsed strictly at
// its end. Linear in the text's length however it is cut; never throws, whatever comes; agrees with JSON.parse on whole
// texts. Deliberately not a validator: what does not belong is passed over.

/** Deeper lists and objects are passed over and stand as `null`. */
export const MAX_DEPTH = 500;
/** Characters of an unfinished number that are shown. */
const MAX_SHOWN_SCALAR = 64;

export interface PartialReader {
  /** Takes the next piece of the text, cut anywhere. */
  append(chunk: string): void;
  /**
   * What stands there so far: the same live tree each time, with open strings as far as they go in whole characters.
   * Costs what came since the last snapshot, also within one long string. Undefined before the first value.
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
}

interface OpenString {
  /** What snapshots have shown. Only ever appended to: looking into it would make each snapshot cost the whole. */
  shown: string;
  /** What came since. */
  parts: string[];
  use: "key" | "value" | "none";
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
  /** How many containers are open below the deepest that is kept. */
  #passedOver = 0;

  append(chunk: string): void {
    let at = 0;
    while (at < chunk.length) {
      at = this.#string ? this.#readString(this.#string, chunk, at) : this.#readOther(chunk, at);
    }
  }

  snapshot(): unknown {
    if (this.#string?.use === "value") this.#put(showOpen(this.#string), false);
    else if (this.#scalar !== "" && this.#scalar.length <= MAX_SHOWN_SCALAR) {
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
      if (at > from) keep(open, chunk.slice(from, at));
      if (code === 0x5c) open.escape = "\\";
      else this.#closeString(open);
      return at + 1;
    }
    keep(open, chunk.slice(from));
    return chunk.length;
  }

  #readEscape(open: OpenString, chunk: string, at: number): number {
    const character = chunk.charAt(at);
    if (open.escape === "\\") {
      if (character === "u") open.escape = "\\u";
      else {
        keep(open, ESCAPES[character] ?? character);
        open.escape = "";
      }
      return at + 1;
    }
    if (!/[0-9a-fA-F]/.test(character)) {
      keep(open, "\uFFFD");
      open.escape = "";
      return at;
    }
    open.escape += character;
    if (open.escape.length === 6) {
      keep(open, String.fromCharCode(Number.parseInt(open.escape.slice(2), 16)));
      open.escape = "";
    }
    return at + 1;
  }

  #closeString(open: OpenString): void {
    this.#string = undefined;
    if (open.use === "none") return;
    const text = open.shown + open.parts.join("");
    const frame = this.#frames.at(-1);
    if (open.use === "key" && frame) {
      frame.key = text;
      frame.wantsKey = false;
    } else this.#put(text, true);
  }

  /** Reads between strings; gives where to go on. */
  #readOther(chunk: string, from: number): number {
    let at = from;
    while (at < chunk.length && isScalarCode(chunk.charCodeAt(at))) at++;
    if (at > from) {
      if (this.#passedOver === 0) this.#scalar += chunk.slice(from, at);
      return at;
    }
    this.#closeScalar();
    const character = chunk.charAt(at);
    if (character === '"') this.#openString();
    else if (this.#passedOver === 0) this.#structure(character);
    else if (character === "{" || character === "[") this.#passedOver++;
    else if (character === "}" || character === "]") this.#passedOver--;
    return at + 1;
  }

  #openString(): void {
    const use = this.#frames.at(-1)?.wantsKey === true ? "key" : "value";
    this.#string = {
      shown: "",
      parts: [],
      use: this.#passedOver > 0 ? "none" : use,
      escape: "",
    };
  }

  #structure(character: string): void {
    const frame = this.#frames.at(-1);
    switch (character) {
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
        if (frame) {
          frame.key = undefined;
          frame.wantsKey = !frame.isList;
        }
        break;
      default:
    }
  }

  #closeScalar(): void {
    if (this.#scalar === "") return;
    const value = scalarValue(this.#scalar);
    this.#scalar = "";
    if (value !== undefined) this.#put(value, true);
  }

  #open(container: Container, isList: boolean): void {
    if (this.#frames.length >= MAX_DEPTH) {
      this.#put(null, true);
      this.#passedOver = 1;
      return;
    }
    this.#put(container, true);
    this.#frames.push({ container, isList, key: undefined, wantsKey: !isList });
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

function keep(open: OpenString, part: string): void {
  if (open.use !== "none") open.parts.push(part);
}

/** The open string in whole characters; what it holds back comes with the next piece. */
function showOpen(open: OpenString): string {
  const fresh = open.parts.join("");
  const isTorn = (fresh.charCodeAt(fresh.length - 1) & 0xfc00) === 0xd800;
  open.parts = isTorn ? [fresh.slice(-1)] : [];
  open.shown += isTorn ? fresh.slice(0, -1) : fresh;
  return open.shown;
}

/** Letters, digits, and what else is in a number. */
function isScalarCode(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    code === 0x2b ||
    code === 0x2d ||
    code === 0x2e
  );
}

function scalarValue(text: string): unknown {
  if (text === "true") return true;
  if (text === "false") return false;
  if (text === "null") return null;
  // Only what JSON itself takes for a number.
  return /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(text) ? Number(text) : undefined;
}
