// How failures of the command itself are told on stderr.
import { sanitizeText } from "../lib/text/sanitize.ts";

/** One line for the user; names of files and words of theirs may hold anything. */
export function usageLine(message: string): string {
  return `errand: ${sanitizeText(message)
    .replaceAll(/\s*\n\s*/g, " ")
    .trim()}\n`;
}

/** A failure that must not happen, with what a report needs. */
export function bugReport(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `errand: this is a bug in Errand, please report it with the lines below.\n${sanitizeText(text)}\n`;
}
