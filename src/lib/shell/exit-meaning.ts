// What exit code 1 means for programs that use it to answer a question, not to report a failure.

const ANSWERS: Readonly<Record<string, string>> = {
  grep: "no line matched",
  egrep: "no line matched",
  fgrep: "no line matched",
  zgrep: "no line matched",
  rg: "no line matched",
  diff: "the files differ",
  cmp: "the files differ",
  test: "the condition is false",
  "[": "the condition is false",
};

/** What exit code 1 of this command line says, where its last command is known to answer by it. */
export function meaningOfExitOne(command: string): string | undefined {
  const words = lastCommand(command).split(/\s+/).filter(Boolean);
  const program = words.find((word) => !/^[A-Za-z_][A-Za-z0-9_]*=/.test(word)) ?? "";
  const name = program.slice(program.lastIndexOf("/") + 1);
  return Object.hasOwn(ANSWERS, name) ? ANSWERS[name] : undefined;
}

/** What stands behind the last separator outside quotes. */
function lastCommand(command: string): string {
  let quote = "";
  let start = 0;
  for (let at = 0; at < command.length; at++) {
    const character = command.charAt(at);
    if (character === "\\" && quote !== "'") at++;
    else if (quote !== "") {
      if (character === quote) quote = "";
    } else if (character === "'" || character === '"') quote = character;
    else if (";|&\n(".includes(character) && /\S/.test(command.slice(at + 1))) start = at + 1;
  }
  return command.slice(start).trim();
}
