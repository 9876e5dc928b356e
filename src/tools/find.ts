// The `find` tool: files and folders by name, as git would see the tree.
import picomatch from "picomatch";
import { Type } from "typebox";
import type { TBoolean, TInteger, TObject, TOptional, TString } from "typebox";
import type { AgentTool, ToolDefinition, ToolResult } from "../core/tool.ts";
import { toAgentTool } from "../core/tool.ts";
import { utf8Length } from "../lib/text/truncate.ts";
import { showPath } from "../workspace/show-path.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { claimPath } from "./tool-path.ts";
import { searchRoot, skippedNote, unreadableNote } from "./search-root.ts";
import { walk, type WalkedEntry } from "./walk.ts";

const DEFAULT_LIMIT = 1000;
const MAX_BYTES = 51_200;

export type FindParameters = TObject<{
  pattern: TString;
  path: TOptional<TString>;
  limit: TOptional<TInteger>;
  ignored: TOptional<TBoolean>;
}>;

export interface FindDetails {
  /** Absolute. */
  root: string;
  total: number;
  shown: number;
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
  const matches = matcherOf(pattern);
  const look = (parents: boolean): ReturnType<typeof walk> =>
    walk(workspace, root.path, { ignored, parents, signal });
  let walked = await look(true);
  // A folder that was named is looked into, whatever rules above it say.
  if (walked.entries.length === 0 && walked.skipped > 0 && root.isNamed) walked = await look(false);
  const found = walked.entries.filter(matches);
  const { lines, shown } = withinBounds(found, limit);
  const notes = [
    ...(shown < found.length
      ? [`[Showing ${shown} of ${found.length} paths. Use a narrower pattern or a higher limit.]`]
      : []),
    ...(walked.isPartial
      ? ["[The tree is too large: not everything was looked at. Name a folder in it.]"]
      : []),
    ...unreadableNote(walked.unreadable),
    ...(found.length === 0 ? skippedNote(walked.skipped) : []),
  ];
  const text = found.length === 0 ? "No files found." : lines.join("\n");
  return {
    content: [{ type: "text", text: [text, ...notes].join("\n\n") }],
    details: { root: root.path, total: found.length, shown },
  };
}

function withinBounds(
  found: readonly WalkedEntry[],
  limit: number,
): { lines: string[]; shown: number } {
  const lines: string[] = [];
  let bytes = 0;
  for (const { path, kind } of found.slice(0, limit)) {
    const line = showPath(path) + (kind === "folder" ? "/" : "");
    bytes += utf8Length(line) + 1;
    if (bytes - 1 > MAX_BYTES) break;
    lines.push(line);
  }
  return { lines, shown: lines.length };
}

/** Without a slash a pattern is about names, with one about whole paths. Throws for a pattern that is none. */
function matcherOf(pattern: string): (entry: WalkedEntry) => boolean {
  const wanted = pattern.replace(/^\.\//, "").replace(/\/$/, "");
  if (wanted === "" || wanted.length > 1000) {
    throw new Error("The pattern is empty or too long: give a glob such as *.ts or src/**/*.md.");
  }
  const isMatch = picomatch(wanted.replace(/^\//, ""), {
    dot: true,
    nocase: wanted === wanted.toLowerCase(),
  });
  const byName = !wanted.includes("/");
  return ({ path }) => isMatch(byName ? path.slice(path.lastIndexOf("/") + 1) : path);
}
