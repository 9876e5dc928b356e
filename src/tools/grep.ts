// The `grep` tool: lines that match, by ripgrep where there is one, else by our own search with the same answers.
import { Type } from "typebox";
import type { TBoolean, TInteger, TObject, TOptional, TString } from "typebox";
import type { AgentTool, ToolDefinition, ToolResult } from "../core/tool.ts";
import { toAgentTool } from "../core/tool.ts";
import { describeError } from "../lib/text/describe-error.ts";
import { sanitizeText } from "../lib/text/sanitize.ts";
import { truncateLine, utf8Length } from "../lib/text/truncate.ts";
import { showPath } from "../workspace/show-path.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { searchLines } from "./line-search.ts";
import { findRipgrep, searchByRipgrep } from "./ripgrep.ts";
import { type SearchRoot, searchRoot, skippedNote, unreadableNote } from "./search-root.ts";
import { claimPath } from "./tool-path.ts";

const DEFAULT_LIMIT = 100;
const MAX_BYTES = 51_200;
/** Lines that are kept to be put in order; what comes later is only counted. */
const MAX_LINES = 20_000;
/** Past this many matches the search ends. */
const MAX_MATCHES = 100_000;
const MAX_CONTEXT = 50;

export type GrepParameters = TObject<{
  pattern: TString;
  path: TOptional<TString>;
  glob: TOptional<TString>;
  ignoreCase: TOptional<TBoolean>;
  literal: TOptional<TBoolean>;
  context: TOptional<TInteger>;
  limit: TOptional<TInteger>;
  ignored: TOptional<TBoolean>;
}>;

export interface GrepDetails {
  /** Absolute. */
  root: string;
  matches: number;
  shown: number;
}

/** What is searched for, and where. */
export interface Search {
  root: SearchRoot;
  pattern: string;
  glob: string | undefined;
  literal: boolean;
  ignoreCase: boolean;
  context: number;
  ignored: boolean;
  /** Ignore rules above the root count. */
  parents: boolean;
  maxLines: number;
  maxMatches: number;
  signal: AbortSignal | undefined;
}

export interface FoundLine {
  /** Relative to the root; of a root that is a file, its name. */
  path: string;
  line: number;
  text: string;
  /** False for a line of context. */
  isMatch: boolean;
}

export interface SearchOutcome {
  /** By path and line. */
  lines: FoundLine[];
  matches: number;
  /** There are more matches than were counted. */
  isPartial: boolean;
  /** How many files were looked at, where that is known. */
  files: number | undefined;
  skipped: number;
  unreadable: string[];
}

interface GrepArgs {
  pattern: string;
  path?: string;
  glob?: string;
  ignoreCase?: boolean;
  literal?: boolean;
  context?: number;
  limit?: number;
  ignored?: boolean;
}

export interface GrepOptions {
  /** `false`: never ripgrep. */
  ripgrep?: false;
}

/** The tool as the loop runs it, over the files of `workspace`. */
export function createGrepTool(
  workspace: Workspace,
  options: GrepOptions = {},
): AgentTool<GrepParameters, GrepDetails> {
  return toAgentTool(grepDefinition(workspace, options), () => ({ cwd: workspace.cwd }));
}

/** The tool with what front ends and the system prompt want of it. */
export function grepDefinition(
  workspace: Workspace,
  options: GrepOptions = {},
): ToolDefinition<GrepParameters, GrepDetails> {
  return {
    name: "grep",
    label: "Search",
    description:
      "Search the contents of files for a regular expression, as path:line: text. Hidden files too; what ignore files leave out is left out, unless ignored is set. Lines are cut at 500 characters.",
    parameters: Type.Object({
      pattern: Type.String({ description: "Regular expression, or text with literal" }),
      path: Type.Optional(
        Type.String({ description: "File or folder; the working folder if left out" }),
      ),
      glob: Type.Optional(Type.String({ description: "Only files like this, for instance *.ts" })),
      ignoreCase: Type.Optional(Type.Boolean()),
      literal: Type.Optional(Type.Boolean({ description: "The pattern is plain text" })),
      context: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: MAX_CONTEXT,
          description: "Lines around each match (0)",
        }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, description: "Most matches to show (100)" })),
      ignored: Type.Optional(Type.Boolean({ description: "Ignored files too" })),
    }),
    promptSnippet: "Search the contents of files",
    defaultActive: false,
    pure: true,
    claims: (args) =>
      claimPath(workspace, "read", async () => (await searchRoot(workspace, args.path)).path),
    execute: (_id, args, signal) => grep(workspace, args, { options, signal }),
    renderCall: (args) => ({ title: `grep ${showPath(args.pattern)}`, lines: [] }),
  };
}

async function grep(
  workspace: Workspace,
  args: GrepArgs,
  { options, signal }: { options: GrepOptions; signal: AbortSignal | undefined },
): Promise<ToolResult<GrepDetails>> {
  if (args.pattern === "") throw new Error("The pattern is empty: say what to search for.");
  const root = await searchRoot(workspace, args.path);
  const { limit = DEFAULT_LIMIT, ignored = false } = args;
  const program = options.ripgrep === false ? undefined : await findRipgrep(workspace);
  const run = (how: Pick<Search, "ignored" | "parents">): Promise<SearchOutcome> => {
    const search: Search = {
      root,
      pattern: args.pattern,
      glob: args.glob,
      literal: args.literal === true,
      ignoreCase: args.ignoreCase === true,
      context: args.context ?? 0,
      maxLines: MAX_LINES,
      maxMatches: MAX_MATCHES,
      signal,
      ...how,
    };
    return explained(args, () =>
      program === undefined
        ? searchLines(workspace, search)
        : searchByRipgrep(workspace, program, search),
    );
  };
  let outcome = await run({ ignored, parents: true });
  let hidden = 0;
  if (outcome.matches === 0 && !ignored) {
    // Nothing found: look again without the rules, to tell what they hide. A named root is searched whatever they say.
    if (root.isNamed) outcome = await run({ ignored, parents: false });
    if (outcome.matches === 0) hidden = (await run({ ignored: true, parents: false })).matches;
  }
  return describe(outcome, { root, limit, hidden });
}

/** A pattern that is no regular expression is told with the way out. */
async function explained(
  args: GrepArgs,
  search: () => Promise<SearchOutcome>,
): Promise<SearchOutcome> {
  try {
    return await search();
  } catch (error) {
    const isPattern = error instanceof SyntaxError || /regex/i.test(describeError(error));
    if (!isPattern || args.literal) throw error;
    throw new Error(
      `The pattern is no regular expression: ${describeError(error)}\nUse literal=true to search for it as plain text.`,
      { cause: error },
    );
  }
}

function describe(
  outcome: SearchOutcome,
  { root, limit, hidden }: { root: SearchRoot; limit: number; hidden: number },
): ToolResult<GrepDetails> {
  const { matches, isPartial } = outcome;
  const { lines, shown } = withinBounds(outcome.lines, limit);
  const total = isPartial ? `more than ${MAX_MATCHES}` : String(matches);
  const notes = [
    ...(shown < matches
      ? [
          `[Showing ${shown} of ${total} matches. Use a narrower pattern, path or glob, or a higher limit.]`,
        ]
      : []),
    ...unreadableNote(outcome.unreadable),
    ...(hidden > 0
      ? [
          `[${hidden} ${hidden === 1 ? "match is" : "matches are"} in files that ignore rules leave out. Use ignored=true to see them.]`,
        ]
      : matches === 0
        ? skippedNote(outcome.skipped)
        : []),
  ];
  const text = matches === 0 ? "No matches found." : lines.join("\n");
  return {
    content: [{ type: "text", text: [text, ...notes].join("\n\n") }],
    details: { root: root.path, matches, shown },
  };
}

/** As many matches as the limit allows, with the context that belongs to them. */
function withinBounds(
  found: readonly FoundLine[],
  limit: number,
): { lines: string[]; shown: number } {
  const lines: string[] = [];
  let bytes = 0;
  let shown = 0;
  for (const { path, line, text, isMatch } of found) {
    if (isMatch && shown >= limit) break;
    const separator = isMatch ? ":" : "-";
    const cut = truncateLine(sanitizeText(text)).text;
    const whole = `${showPath(path)}${separator}${line}${separator} ${cut}`;
    bytes += utf8Length(whole) + 1;
    if (bytes - 1 > MAX_BYTES) break;
    lines.push(whole);
    if (isMatch) shown++;
  }
  return { lines, shown };
}
