// What exit code 1 means for programs that answer a question by it and report failures by other codes.

const ANSWERS: ReadonlyMap<string, string> = new Map([
  ["grep", "no match"],
  ["egrep", "no match"],
  ["fgrep", "no match"],
  ["zgrep", "no match"],
  ["rg", "no match"],
  ["pgrep", "no match"],
  ["git grep", "no match"],
  ["diff", "differences found"],
  ["cmp", "differences found"],
  ["git diff", "differences found"],
  ["test", "the condition is false"],
  ["[", "the condition is false"],
  ["[[", "the condition is false"],
]);

/** Commands after which an exit code may be another's than the last command's. */
const DIVERTING: ReadonlySet<string> = new Set(["set", "shopt", "trap", "eval", "source", "."]);

/** What exit code 1 says, and whether it can only be that command's. */
export interface ExitMeaning {
  meaning: string;
  isCertain: boolean;
}

/**
 * What exit code 1 of a command line says, if its last simple command is known to answer by it. Not certain after `&&`: then the
 * code may be an earlier command's. Undefined for anything that is not understood.
 */
export function meaningOfExitOne(command: string): ExitMeaning | undefined {
  const commands = simpleCommands(command);
  const last = commands?.at(-1);
  if (commands === undefined || last === undefined) return undefined;
  if (commands.some(({ words }) => DIVERTING.has(words[0] ?? ""))) return undefined;
  const words = last.words.slice(last.words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word)));
  const program = words[0] ?? "";
  const name = program.slice(program.lastIndexOf("/") + 1);
  const meaning = ANSWERS.get(name) ?? ANSWERS.get(`${name} ${words[1] ?? ""}`);
  return meaning === undefined ? undefined : { meaning, isCertain: !isAfterAnd(commands) };
}

interface SimpleCommand {
  words: string[];
  /** The operator before it; empty for the first. */
  after: string;
}

/** The last pipeline runs only if what stands before its `&&` succeeded. */
function isAfterAnd(commands: readonly SimpleCommand[]): boolean {
  const start = commands.findLast(({ after }) => after !== "|" && after !== "|&");
  return start?.after === "&&";
}

/** One token: an operator, a quoted part, an escaped character, blanks, or plain characters. */
const TOKEN =
  /(?<operator>\|\||&&|\|&|[|;\n]|&(?!>))|'(?<single>[^']*)'|"(?<double>(?:[^"\\]|\\[^])*)"|\\(?<escaped>[^])|(?<blank>[ \t]+)|(?<comment>#)|(?<redirect>&?[<>]+&?)|(?<plain>[^\s|&;'"\\<>#]+|[^])/y;

/** The simple commands of a line; undefined for lines with substitutions, groups, functions or here documents. */
function simpleCommands(line: string): SimpleCommand[] | undefined {
  const commands: SimpleCommand[] = [];
  let current: SimpleCommand = { words: [], after: "" };
  let word: string | undefined;
  const endWord = (): void => {
    if (word !== undefined) current.words.push(word);
    word = undefined;
  };
  const endCommand = (operator: string): void => {
    endWord();
    if (current.words.length === 0) return;
    commands.push(current);
    current = { words: [], after: operator };
  };
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < line.length) {
    const part = TOKEN.exec(line)?.groups;
    if (part === undefined) return undefined;
    const { operator, single, double, escaped, blank, comment, redirect, plain } = part;
    if (operator !== undefined) endCommand(operator);
    else if (blank !== undefined) endWord();
    else if (redirect !== undefined) {
      // A here document; else the descriptor before and the target after it count as words, which changes no name.
      if (redirect.includes("<<")) return undefined;
      endWord();
    } else if (comment !== undefined) {
      if (word === undefined) TOKEN.lastIndex = endOfLine(line, TOKEN.lastIndex);
      else word += "#";
    } else {
      const isMore = plain === undefined ? /`|\$\(/.test(double ?? "") : /[`()'"]/.test(plain);
      if (isMore) return undefined;
      word = (word ?? "") + (single ?? double ?? escaped ?? plain ?? "");
    }
  }
  endCommand("");
  return commands;
}

function endOfLine(line: string, from: number): number {
  const end = line.indexOf("\n", from);
  return end < 0 ? line.length : end;
}
