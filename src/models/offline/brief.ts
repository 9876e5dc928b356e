// Texts made short enough to stand in a sentence.

/** A text in one line, shortened to `most` characters. */
export function brief(text: string, most: number = 60): string {
  const start = text.slice(0, most * 4).replace(/\s*\n\s*/g, " ⏎ ");
  const characters = Array.from(start);
  if (characters.length <= most && text.length <= most * 4) return start;
  return `${characters.slice(0, most - 1).join("")}…`;
}
