// The `find` tool: files and folders by name, as git would see the tree.
import { Type } from "typebox";
import type { TBoolean, TInteger, TObject, TOptional, TString } from "typebox";
import type { AgentTool, ToolDefinition, ToolResult } from "../core/tool.ts";
import { toAgentTool } from "../core/tool.ts";
import { utf8Length } from "../lib/text/truncate.ts";
import { showPath } from "../workspace/show-path.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { claimPath } from "./tool-path.ts";
import { globTest } from "./path-glob.ts";
import type { PathTest } from "./path-glob.ts";
import { ruleScope, searchRoot, skippedNote, unreadableNote } from "./search-root.ts";
import { comparePaths, walk } from "./walk.ts";
import type { WalkedEntry } from "./walk.ts";

const DEFAULT_LIMIT = 1000;
const MAX_LINES = 2000;
const MAX_BYTES = 51_200;
/** Paths that are kept to be put in order; what comes later is only counted. */
const MAX_KEPT = 200_000;
const MAX_MS = 60_000;

export type FindParameters = TObject<{
  pattern: TString;
  path: TOptional<TString>;
  limit: TOptional<TInteger>;
  ignored: TOptional<TBoolean>;
}>;

export interface FindDetails {
  /** Absolute. */
  root: string;
  /** Paths found, and how many of them are shown. */
  total: number;
  shown: number;
  /** There may be more. */
  isPartial: boolean;
  /** Files and folders that ignore rules left out. */
  skipped: number;
}

interface FindArgs {
  pattern: string;
  path?: string;
  limit?: number;
  ignored?: boolean;
}

/** The tool as the loop runs it, over the files of `workspace`. */
export function createFindTool(workspace: Workspace): AgentTool<FindParameters, FindDetails> {
  return toAgentTool(findDefinition(workspace), () => ({ cwd: workspace.cwd }));
}

/** The tool with what front ends and the system prompt want of it. */
export function findDefinition(workspace: Workspace): ToolDefinition<FindParameters, FindDetails> {
  return {
    name: "find",
    label: "Find",
    description:
      "Find files and folders by a glob pattern. A pattern without / matches names anywhere (*.ts), one with / matches paths from the search folder (src/**/*.test.ts). Hidden files too; what ignore files leave out is left out.",
    parameters: Type.Object({
      pattern: Type.String({ description: "Glob; small letters match capitals too" }),
      path: Type.Optional(
        Type.String({ description: "Where to look; the working folder if left out" }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, description: "Most paths to show (1000)" })),
      ignored: Type.Optional(Type.Boolean({ description: "Ignored files too" })),
    }),
    promptSnippet: "Find files by name",
    defaultActive: false,
    pure: true,
    claims: (args) =>
      claimPath(workspace, "read", async () => (await searchRoot(workspace, args.path)).path),
    execute: (_id, args, signal) => find(workspace, args, signal),
    renderCall: (args) => ({ title: `find ${showPath(args.pattern)}`, lines: [] }),
  };
}

async function find(
  workspace: Workspace,
  args: FindArgs,
  signal: AbortSignal | undefined,
): Promise<ToolResult<FindDetails>> {
  const { pattern, limit = DEFAULT_LIMIT, ignored = false } = args;
  const root = await searchRoot(workspace, args.path);
  if (!root.isFolder) {
    throw new Error(`${showPath(root.path)} is a file, not a folder: name the folder to look in.`);
  }
  const isWanted = findTest(pattern);
  const scope = await ruleScope(workspace, root, ignored);
  const until = performance.now() + MAX_MS;
  const found: WalkedEntry[] = [];
  let total = 0;
  const walked = await walk(workspace, root.path, {
    ignored: scope.ignored,
    above: scope.counting,
    isOver: () => performance.now() > until,
    onEntry: (entry) => {
      if (!isWanted(entry.path)) return;
      total++;
      if (found.length < MAX_KEPT) found.push(entry);
    },
    signal,
  });
  const { lines, shown } = withinBounds(mostUseful(found, limit));
  const notes = [
    ...totalNote({ shown, total, isPartial: walked.isPartial }),
    ...unreadableNote(walked.unreadable),
    ...skippedNote({ count: walked.skipped, isExact: !walked.isPartial }),
  ];
  const text = total === 0 ? "No files found." : lines.join("\n");
  return {
    content: [{ type: "text", text: [text, notes.join("\n")].filter(Boolean).join("\n\n") }],
    details: {
      root: root.path,
      total,
      shown,
      isPartial: walked.isPartial,
      skipped: walked.skipped,
    },
  };
}

function totalNote({ shown, total, isPartial }: Omit<FindDetails, "root" | "skipped">): string[] {
  const of = isPartial ? `the ${total} paths found` : `${total} paths`;
  const advice = "Use a narrower pattern or folder";
  if (isPartial) {
    return [`[Showing ${shown} of ${of}; the tree is too large to be seen whole. ${advice}.]`];
  }
  return shown < total ? [`[Showing ${shown} of ${of}. ${advice}, or a higher limit.]`] : [];
}

/** In the order of the paths; if there are too many, those nearest to the root. */
function mostUseful(found: readonly WalkedEntry[], limit: number): WalkedEntry[] {
  const byPath = (a: WalkedEntry, b: WalkedEntry): number => comparePaths(a.path, b.path);
  if (found.length <= limit) return found.toSorted(byPath);
  const keyed = found.map((entry) => ({ entry, depth: entry.path.split("/").length }));
  keyed.sort((a, b) => a.depth - b.depth || byPath(a.entry, b.entry));
  return keyed
    .slice(0, limit)
    .map(({ entry }) => entry)
    .toSorted(byPath);
}

function withinBounds(found: readonly WalkedEntry[]): { lines: string[]; shown: number } {
  const lines: string[] = [];
  let bytes = 0;
  for (const { path, kind } of found) {
    const line = showPath(path) + (kind === "folder" ? "/" : "");
    bytes += utf8Length(line) + 1;
    if (bytes - 1 > MAX_BYTES || lines.length >= MAX_LINES) break;
    lines.push(line);
  }
  return { lines, shown: lines.length };
}

/** A `/` at the end asks for the folder itself, not for what is in it. */
function findTest(pattern: string): PathTest {
  if (pattern.startsWith("!")) throw new Error("The pattern says what to find: leave out the !.");
  const wanted = pattern.length > 1 ? pattern.replace(/\/+$/, "") : pattern;
  return globTest(wanted, { ignoreCase: wanted === wanted.toLowerCase() });
}
