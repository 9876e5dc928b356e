// A proof, not a guess, that a command line only reads: one simple command of a program that cannot do anything else.
// What is not understood is not proved.

/** Programs that only read, whatever their arguments are. */
const READERS: ReadonlySet<string> = new Set([
  "sleep",
  "true",
  "echo",
  "pwd",
  "ls",
  "cat",
  "head",
  "tail",
  "wc",
]);

/** Characters that mean only themselves to every shell, outside quotes too. */
const PLAIN = /^[\p{L}\p{N}\p{M}_./,:@+-]$/u;

/** The words of one simple command; undefined for anything that is more than that. */
export function simpleWords(command: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let at = 0;
  while (at < command.length) {
    const character = String.fromCodePoint(command.codePointAt(at) ?? 0);
    if (character === " " || character === "\t") {
      if (word !== undefined) words.push(word);
      word = undefined;
      at++;
      continue;
    }
    const quoted = character === "'" || character === '"';
    const end = quoted ? command.indexOf(character, at + 1) : at + character.length;
    if (end < 0) return undefined;
    const part = quoted ? command.slice(at + 1, end) : character;
    if (!(quoted ? isLiteral(part, character) : PLAIN.test(part))) return undefined;
    word = (word ?? "") + part;
    at = quoted ? end + 1 : end;
  }
  if (word !== undefined) words.push(word);
  return words;
}

function isLiteral(part: string, quote: string): boolean {
  return !part.includes("\0") && !(quote === '"' && /[$`\\!]/.test(part));
}

/** What the proof asks of its surroundings. */
export interface ReadOnlyPort {
  /** Absolute path of the program that a shell would run; undefined if there is none. */
  findProgram(name: string): Promise<string | undefined>;
  /** Whether a path lies where the project could have put it. */
  isInside(path: string): boolean | Promise<boolean>;
}

/** Whether the command line is proved to read only: a known program by its bare name, found outside the workspace. */
export async function isProvedReadOnly(command: string, port: ReadOnlyPort): Promise<boolean> {
  const [name] = simpleWords(command) ?? [];
  if (name === undefined || !READERS.has(name)) return false;
  // A shell runs its own echo, pwd and true; the others are looked up.
  const program = await port.findProgram(name);
  return program !== undefined && !(await port.isInside(program));
}
