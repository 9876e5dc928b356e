// Where a text stops being JSON. The platform's own message names no position for many errors, and no two versions agree.

/** `at` counts UTF-16 units from 0. */
export interface JsonError {
  at: number;
  /** For instance `unexpected "}", wanted a value`. */
  what: string;
}

/** The first place where a text is no JSON; undefined if the whole text is. Linear, never recurses. */
export function findJsonError(text: string): JsonError | undefined {
  return new Scanner(text).scan();
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const WORD = /true|false|null/y;
const BLANK = /[ \t\n\r]*/y;
// oxlint-disable-next-line no-control-regex
const STRING_PART = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

class Scanner {
  readonly #text: string;
  #at = 0;
  /** The open lists and objects, as their closing brackets. */
  readonly #open: ("]" | "}")[] = [];
  #error: JsonError | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): JsonError | undefined {
    while (this.#value() && this.#afterValue());
    if (this.#error) return this.#error;
    return this.#at < this.#text.length ? this.#fail("the end of the text") : undefined;
  }

  /** Reads one leaf, or opens lists and objects down to one. */
  #value(): boolean {
    for (;;) {
      this.#skip(BLANK);
      const character = this.#text.charAt(this.#at);
      if (character !== "[" && character !== "{") return this.#leaf(character);
      this.#at++;
      this.#skip(BLANK);
      const close = character === "[" ? "]" : "}";
      if (this.#text.charAt(this.#at) === close) {
        this.#at++;
        return true;
      }
      this.#open.push(close);
      if (close === "}" && !this.#key("a property name in double quotes, or }")) return false;
    }
  }

  #leaf(character: string): boolean {
    if (character === '"') return this.#string();
    if (this.#skip(NUMBER) || this.#skip(WORD)) return true;
    this.#fail("a value");
    return false;
  }

  /** After a value: closes what ends, and gives whether another value follows. */
  #afterValue(): boolean {
    for (;;) {
      this.#skip(BLANK);
      const close = this.#open.at(-1);
      if (close === undefined) return false;
      const character = this.#text.charAt(this.#at);
      if (character === ",") {
        this.#at++;
        return close === "]" || this.#key("a property name in double quotes");
      }
      if (character !== close) {
        this.#fail(`a comma or ${close}`);
        return false;
      }
      this.#at++;
      this.#open.pop();
    }
  }

  #key(wanted: string): boolean {
    this.#skip(BLANK);
    if (this.#text.charAt(this.#at) !== '"') {
      this.#fail(wanted);
      return false;
    }
    if (!this.#string()) return false;
    this.#skip(BLANK);
    if (this.#text.charAt(this.#at) !== ":") {
      this.#fail("a colon");
      return false;
    }
    this.#at++;
    return true;
  }

  #string(): boolean {
    const start = this.#at;
    this.#at++;
    for (;;) {
      this.#skip(STRING_PART);
      const character = this.#text.charAt(this.#at);
      if (character === '"') {
        this.#at++;
        return true;
      }
      if (character === "") {
        this.#error = { at: this.#at, what: `the string that begins at ${start} never ends` };
        return false;
      }
      if (character !== "\\") {
        this.#fail("it escaped, as in \\n");
        return false;
      }
      if (!this.#skip(ESCAPE)) {
        this.#fail("an escape that JSON knows");
        return false;
      }
    }
  }

  /** Passes over what the pattern matches here; whether that was anything. */
  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const [found = ""] = pattern.exec(this.#text) ?? [];
    this.#at += found.length;
    return found !== "";
  }

  #fail(wanted: string): JsonError {
    const code = this.#text.codePointAt(this.#at);
    const found = code === undefined ? "end" : JSON.stringify(String.fromCodePoint(code));
    this.#error = { at: this.#at, what: `unexpected ${found}, wanted ${wanted}` };
    return this.#error;
  }
}
