// What a model is told about arguments that do not fit: where, what is wrong, what is wanted, and what came.
import { prettyJson } from "../json/pretty-json.ts";
import { formatBytes, truncateLine } from "../text/truncate.ts";
import type { Problem, Problems } from "./find-problems.ts";

/** Bytes of the received arguments that are repeated. */
const MAX_RECEIVED_BYTES = 2048;
/** Characters of the line of one problem. */
const MAX_LINE_CHARS = 500;

/** The whole text for the model: a line for each problem, then what came, capped at 2 KB. */
export function describeProblems({
  toolName,
  problems,
  received,
}: {
  toolName: string;
  problems: Problems;
  received: unknown;
}): string {
  const lines = [...new Set(problems.first.map(describeProblem))];
  const more = problems.count - problems.first.length;
  if (more > 0) lines.push(`  - and ${more} more`);
  const heading = `Validation failed for tool "${toolName}":`;
  return [heading, ...lines, "", "Received arguments:", describeReceived(received)].join("\n");
}

function describeProblem({ path, message, wanted }: Problem): string {
  const text = `  - ${path}: ${message}${wanted === undefined ? "" : `, wanted ${wanted}`}`;
  // A schema library's messages may have lines of their own.
  return truncateLine(text.trimEnd().replaceAll(/\s*[\r\n\u2028\u2029]\s*/g, " "), MAX_LINE_CHARS)
    .text;
}

function describeReceived(received: unknown): string {
  const { text, bytes, isCounted } = prettyJson(received, MAX_RECEIVED_BYTES);
  if (bytes <= MAX_RECEIVED_BYTES) return text;
  const size = `${isCounted ? "" : "more than "}${formatBytes(bytes)}`;
  return `${text}\n[the first ${formatBytes(MAX_RECEIVED_BYTES)} of ${size}]`;
}
