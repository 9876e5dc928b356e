// The `grep` tool: lines that match, by ripgrep where there is one, else by our own search with the same answers.
import { Type } from "typebox";
import type { TBoolean, TInteger, TObject, TOptional, TString } from "typebox";
import type { AgentTool, ToolDefinition, ToolResult } from "../core/tool.ts";
import { toAgentTool } from "../core/tool.ts";
import { describeError } from "../lib/text/describe-error.ts";
import { sanitizeText } from "../lib/text/sanitize.ts";
import { utf8Length } from "../lib/text/truncate.ts";
import { showPath } from "../workspace/show-path.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { globTest } from "./path-glob.ts";
import { findRipgrep, searchByRipgrep } from "./ripgrep.ts";
import type { FoundFile, Search, SearchBounds, SearchOutcome } from "./search.ts";
import { searchByWalk } from "./search-own.ts";
import { countSkipped, ruleScope, searchRoot, skippedNote, unreadableNote } from "./search-root.ts";
import type { Skipped } from "./search-root.ts";
import { claimPath } from "./tool-path.ts";
import { comparePaths } from "./walk.ts";

const DEFAULT_LIMIT = 100;
const MAX_LINES = 2000;
const MAX_BYTES = 51_200;
const MAX_CONTEXT = 50;
/** A search ends by itself beyond these: enough to tell the total of any search that is of use. */
const BOUNDS: SearchBounds = { matches: 10_000, lines: 50_000, timeMs: 60_000 };
/** What counting what was skipped may take, beside the search: a part of its time, and at least so many milliseconds. */
const COUNT_SHARE = 0.1;
const COUNT_MS = 25;
/** If nothing was found, what was skipped matters more. */
const COUNT_NONE_MS = 100;

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
  /** Absolute, links resolved. */
  root: string;
  /** Matching lines found, the files they are in, and how many of them are shown. */
  matches: number;
  files: number;
  shown: number;
  /** There may be more matches than were counted. */
  isPartial: boolean;
  /** Files and folders that ignore rules left out, as far as they were counted. */
  skipped: number;
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

interface GrepCall {
  options: GrepOptions;
  signal: AbortSignal | undefined;
}

async function grep(
  workspace: Workspace,
  args: GrepArgs,
  { options, signal }: GrepCall,
): Promise<ToolResult<GrepDetails>> {
  refuseUnusable(args);
  const root = await searchRoot(workspace, args.path);
  const scope = await ruleScope(workspace, root, args.ignored === true);
  const search: Search = {
    root,
    scope,
    pattern: args.pattern,
    literal: args.literal === true,
    ignoreCase: args.ignoreCase === true,
    context: args.context ?? 0,
    isWanted: args.glob === undefined || !root.isFolder ? () => true : globTest(args.glob),
    glob: root.isFolder ? args.glob : undefined,
    bounds: BOUNDS,
    signal,
  };
  const startedAt = performance.now();
  const outcome = await searched(workspace, search, options);
  const took = performance.now() - startedAt;
  const none = outcome.files.length === 0 ? COUNT_NONE_MS : COUNT_MS;
  const budgetMs = Math.max(none, took * COUNT_SHARE);
  const skipped = await countSkipped(workspace, root, { scope, budgetMs, signal });
  return describe(outcome, { search, skipped, limit: args.limit ?? DEFAULT_LIMIT });
}

function refuseUnusable({ pattern, literal }: GrepArgs): void {
  if (pattern === "") throw new Error("The pattern is empty: say what to search for.");
  if (pattern.includes("\0"))
    throw new Error("The pattern holds a NUL character, which no text does.");
  const hasBreak = pattern.includes("\n") || (!literal && /(?<!\\)(?:\\\\)*\\n/.test(pattern));
  if (!hasBreak) return;
  throw new Error(
    "The pattern holds a line break, but lines are searched one by one: search for one of the lines, with context.",
  );
}

/** A pattern that is no regular expression is told with the way out. */
async function searched(
  workspace: Workspace,
  search: Search,
  options: GrepOptions,
): Promise<SearchOutcome> {
  const ripgrep = options.ripgrep === false ? undefined : await findRipgrep(workspace);
  try {
    return ripgrep === undefined
      ? await searchByWalk(workspace, search)
      : await searchByRipgrep(workspace, ripgrep, search);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const words = sanitizeText(describeError(error));
    throw new Error(
      `The pattern is no valid regular expression: ${words}\nTo search for the text as it stands, set literal=true.`,
      { cause: error },
    );
  }
}

interface Report {
  search: Search;
  skipped: Skipped;
  limit: number;
}

function describe(
  outcome: SearchOutcome,
  { search, skipped, limit }: Report,
): ToolResult<GrepDetails> {
  const files = outcome.files.toSorted((a, b) => comparePaths(a.path, b.path));
  const matches = files.reduce((sum, file) => sum + file.matches, 0);
  const { lines, shown } = withinBounds(files, { limit, hasContext: search.context > 0 });
  const isPartial = outcome.endedBy !== undefined;
  const found = matches === 0 ? nothing(outcome, search) : lines.join("\n");
  const notes = [
    ...totalNote({ shown, matches, files: files.length }, outcome),
    ...unreadableNote(outcome.unreadable),
    ...skippedNote(skipped),
  ];
  return {
    content: [{ type: "text", text: [found, notes.join("\n")].filter(Boolean).join("\n\n") }],
    details: {
      root: search.root.path,
      matches,
      files: files.length,
      shown,
      isPartial,
      skipped: skipped.count,
    },
  };
}

function nothing({ isBinaryRoot }: SearchOutcome, { root }: Search): string {
  return isBinaryRoot
    ? `${showPath(root.path)} is a binary file, which is not searched.`
    : "No matches found.";
}

function totalNote(
  { shown, matches, files }: { shown: number; matches: number; files: number },
  { endedBy }: SearchOutcome,
): string[] {
  const inFiles = `in ${files} ${files === 1 ? "file" : "files"}`;
  const advice = "Use a narrower pattern, path or glob";
  if (endedBy === "time") {
    const seconds = BOUNDS.timeMs / 1000;
    return [
      `[Showing ${shown} of the ${matches} matches found in ${seconds} s; not everything was searched. ${advice}.]`,
    ];
  }
  if (endedBy === "matches") {
    return [
      `[Showing ${shown} of more than ${Math.min(matches, BOUNDS.matches)} matches. ${advice}.]`,
    ];
  }
  if (shown === matches) return [];
  return [`[Showing ${shown} of ${matches} matches ${inFiles}. ${advice}, or a higher limit.]`];
}

/** As many matches as the limits allow, with the context that belongs to them. */
function withinBounds(
  files: readonly FoundFile[],
  { limit, hasContext }: { limit: number; hasContext: boolean },
): { lines: string[]; shown: number } {
  const lines: string[] = [];
  let bytes = 0;
  let shown = 0;
  for (const file of files) {
    const path = showPath(file.path);
    let before: number | undefined;
    for (const { line, text, isMatch } of upToMatches(file, limit - shown)) {
      const separator = isMatch ? ":" : "-";
      const whole = `${path}${separator}${line}${separator} ${sanitizeText(text)}`;
      const isApart = hasContext && lines.length > 0 && before !== line - 1;
      bytes += utf8Length(whole) + 1 + (isApart ? 3 : 0);
      if (bytes > MAX_BYTES || lines.length + (isApart ? 2 : 1) > MAX_LINES)
        return { lines, shown };
      if (isApart) lines.push("--");
      lines.push(whole);
      before = line;
      if (isMatch) shown++;
    }
    if (shown >= limit) break;
  }
  return { lines, shown };
}

/** The lines up to the last match that may be shown, and the context after it. */
function upToMatches(file: FoundFile, limit: number): FoundFile["lines"] {
  if (file.matches <= limit) return file.lines;
  let matches = 0;
  const end = file.lines.findIndex(({ isMatch }) => isMatch && ++matches > limit);
  const lines = file.lines.slice(0, end);
  const last = lines.findLastIndex(({ isMatch }) => isMatch);
  // What stands after it without a gap may as well be the context before the next; it ends where a gap is.
  const gap = lines.findIndex(({ line }, n) => n > last && line !== (lines[n - 1]?.line ?? 0) + 1);
  return gap < 0 ? lines : lines.slice(0, gap);
}
