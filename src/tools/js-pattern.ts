// A pattern as ripgrep takes it, as a regular expression of JavaScript's that is tried on one line after another.

const POSIX_CLASSES: Readonly<Record<string, string>> = {
  alpha: "a-zA-Z",
  digit: "0-9",
  alnum: "a-zA-Z0-9",
  upper: "A-Z",
  lower: "a-z",
  space: "\\s",
  blank: " \\t",
  punct: "!-\\/:-@\\[-`{-~",
  word: "\\w",
  xdigit: "0-9A-Fa-f",
  cntrl: "\\x00-\\x1f\\x7f",
  print: "\\x20-\\x7e",
  graph: "\\x21-\\x7e",
};

/** How a pattern is tried. */
export interface LinePattern {
  /** For one line without its end. */
  line: RegExp;
  /** For a whole text: finds each place where a line may match. Undefined if the two could differ. */
  text: RegExp | undefined;
  /** Some texts may take it forever. */
  isRisky: boolean;
}

/** Throws a SyntaxError for a pattern that is no regular expression. */
export function linePattern(
  pattern: string,
  { literal, ignoreCase }: { literal: boolean; ignoreCase: boolean },
): LinePattern {
  const { source, flags } = literal
    ? { source: pattern.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), flags: "" }
    : translated(pattern);
  const all = new Set([...flags, ...(ignoreCase ? ["i"] : [])]);
  const make = (more: string): RegExp => compiled(source, [...all, ...more].join(""));
  return {
    line: make("s"),
    text: literal || isBoundToLines(source) ? make("gm") : undefined,
    isRisky: !literal && (source.match(/[*+]|\{\d*,/g)?.length ?? 0) > 1,
  };
}

/** Nothing in it sees or takes a line break, so that it matches in a text where it matches in the line. */
function isBoundToLines(source: string): boolean {
  return !/\(\?<?!|\[\^|\\[WDspPcuxnr]|\\t-/.test(source.replaceAll("\\\\", ""));
}

function compiled(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, `${flags}u`);
  } catch (error) {
    // Without `u` more escapes of single characters are allowed, as ripgrep allows them.
    try {
      return new RegExp(source, flags);
    } catch {
      throw error;
    }
  }
}

function translated(pattern: string): { source: string; flags: string } {
  const [, flags = ""] = /^\(\?([is]+)\)/.exec(pattern) ?? [];
  const rest = flags === "" ? pattern : pattern.slice(flags.length + 3);
  const source = rest.replaceAll(
    /\\[^]|\[:(\w+):\]|\(\?P</g,
    (part: string, posixClass: string | undefined) => {
      if (posixClass !== undefined) return POSIX_CLASSES[posixClass] ?? part;
      if (part === "(?P<") return "(?<";
      if (part === "\\A") return "^";
      if (part === "\\z" || part === "\\Z") return "$";
      if (part === "\\<") return "\\b(?=\\w)";
      if (part === "\\>") return "\\b(?<=\\w)";
      return part;
    },
  );
  return { source, flags: flags.replaceAll("s", "") };
}
