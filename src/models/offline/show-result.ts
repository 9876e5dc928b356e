// A tool's result as it is told: its first lines, quoted, and how many more there are.

/** What is shown, and how much is not. */
export interface ShownResult {
  /** Each line behind a `> `; empty if the result is. */
  quoted: string;
  /** Lines that are not shown, those that the tool itself left out among them. */
  more: number;
}

/** Characters of one line. */
const MAX_LINE = 200;

/** The first `most` lines of a result's text. */
export function showResult(text: string, most: number): ShownResult {
  const { body, left } = withoutNote(text);
  const lines = body.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const quoted = lines.slice(0, most).map((line) => `> ${cut(line)}`.trimEnd());
  return { quoted: quoted.join("\n"), more: Math.max(0, lines.length - most) + left };
}

/** The note at the end that says how many lines a tool left out, read as a number. */
function withoutNote(text: string): { body: string; left: number } {
  const note = /\n\n\[(?:(\d+) more lines? in file|Showing lines \d+-(\d+) of (\d+))[^\n]*\]$/.exec(
    text,
  );
  if (!note) return { body: text === "(no output)" ? "" : text, left: 0 };
  const [, more, last, total] = note;
  const left = more === undefined ? Number(total) - Number(last) : Number(more);
  return { body: text.slice(0, note.index), left: Math.max(0, left) };
}

function cut(line: string): string {
  if (line.length <= MAX_LINE) return line;
  return `${Array.from(line.slice(0, MAX_LINE * 2))
    .slice(0, MAX_LINE)
    .join("")}…`;
}
