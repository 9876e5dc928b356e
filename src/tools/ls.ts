// The `ls` tool: the names in a folder. What cannot be looked at closer is marked on its line and never left out.
import { posix } from "node:path";
import { Type } from "typebox";
import type { TInteger, TObject, TOptional, TString } from "typebox";
import type { AgentTool, ToolDefinition, ToolResult } from "../core/tool.ts";
import { toAgentTool } from "../core/tool.ts";
import { showPath } from "../workspace/show-path.ts";
import type { FileKind, FolderEntry, Workspace } from "../workspace/workspace.ts";
import { WorkspaceError } from "../workspace/workspace.ts";
import { claimPath, existingPath, notFoundText } from "./tool-path.ts";

const DEFAULT_LIMIT = 500;
const MAX_BYTES = 51_200;
/** Links are followed this many at a time. */
const AT_ONCE = 32;

export type LsParameters = TObject<{ path: TOptional<TString>; limit: TOptional<TInteger> }>;

export interface LsDetails {
  /** Absolute, as found. */
  path: string;
  /** Entries in the folder, and how many of them are shown. */
  total: number;
  shown: number;
}

/** The tool as the loop runs it, over the files of `workspace`. */
export function createLsTool(workspace: Workspace): AgentTool<LsParameters, LsDetails> {
  return toAgentTool(lsDefinition(workspace), () => ({ cwd: workspace.cwd }));
}

/** The tool with what front ends and the system prompt want of it. */
export function lsDefinition(workspace: Workspace): ToolDefinition<LsParameters, LsDetails> {
  const folderOf = (args: { path?: string }): string => args.path ?? ".";
  return {
    name: "ls",
    label: "List",
    description:
      "List the names in one folder, sorted, hidden ones too. Folders end with /, links show their target.",
    parameters: Type.Object({
      path: Type.Optional(Type.String({ description: "Folder; the working folder if left out" })),
      limit: Type.Optional(Type.Integer({ minimum: 1, description: "Most entries to show (500)" })),
    }),
    promptSnippet: "List the names in a folder",
    defaultActive: false,
    pure: true,
    claims: (args) => claimPath(workspace, "read", () => existingPath(workspace, folderOf(args))),
    execute: (_id, args, signal) =>
      list(workspace, { written: folderOf(args), limit: args.limit ?? DEFAULT_LIMIT, signal }),
    renderCall: (args) => ({ title: `ls ${showPath(folderOf(args))}`, lines: [] }),
    renderResult: (result, args) => ({
      title: `ls ${showPath(folderOf(args))}`,
      lines: result.content.flatMap((block) =>
        block.type === "text"
          ? block.text.split("\n").map((text) => ({ role: "text" as const, text }))
          : [],
      ),
    }),
  };
}

interface LsRequest {
  readonly written: string;
  readonly limit: number;
  readonly signal: AbortSignal | undefined;
}

async function list(
  workspace: Workspace,
  { written, limit, signal }: LsRequest,
): Promise<ToolResult<LsDetails>> {
  const path = await existingPath(workspace, written);
  const entries = inOrder(await entriesOrExplain(workspace, path));
  const total = entries.length;
  if (total === 0)
    return result(`${showPath(path)} is an empty folder.`, { path, total, shown: 0 });
  const lines: string[] = [];
  let bytes = 0;
  let isFull = false;
  while (!isFull && lines.length < Math.min(limit, total)) {
    signal?.throwIfAborted();
    const some = entries.slice(lines.length, Math.min(limit, lines.length + AT_ONCE));
    for (const line of await Promise.all(some.map((entry) => describe(workspace, path, entry)))) {
      bytes += Buffer.byteLength(line) + 1;
      isFull = bytes - 1 > MAX_BYTES;
      if (isFull) break;
      lines.push(line);
    }
  }
  const shown = lines.length;
  const note = shown === total ? "" : `\n\n${cutNote({ shown, total, isFull })}`;
  return result(lines.join("\n") + note, { path, total, shown });
}

function result(text: string, details: LsDetails): ToolResult<LsDetails> {
  return { content: [{ type: "text", text }], details };
}

function cutNote({
  shown,
  total,
  isFull,
}: {
  shown: number;
  total: number;
  isFull: boolean;
}): string {
  const start = `[Showing ${shown} of ${total} entries`;
  return isFull
    ? `${start} (50 KB limit). Use find with a pattern for fewer.]`
    : `${start}. Use limit=${total} to see all.]`;
}

async function entriesOrExplain(workspace: Workspace, path: string): Promise<FolderEntry[]> {
  try {
    return await workspace.list(path);
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    const shown = showPath(path);
    if (error.code === "denied") {
      throw new Error(
        `${shown} cannot be listed: permission denied. It may hold files all the same.`,
        { cause: error },
      );
    }
    const stat = await workspace.stat(path).catch(() => undefined);
    if (stat !== undefined && stat.kind !== "folder") {
      throw new Error(`${shown} is a file, not a folder. Use read to see what is in it.`, {
        cause: error,
      });
    }
    if (error.code !== "not_found" && error.code !== "not_a_folder") throw error;
    throw new Error(await notFoundText(workspace, path, "Folder"), { cause: error });
  }
}

/** By name, capitals and small letters alike; equal ones by code unit, so that the order is the same everywhere. */
function inOrder(entries: readonly FolderEntry[]): FolderEntry[] {
  const keyed = entries.map((entry) => ({ entry, key: entry.name.toLowerCase() }));
  keyed.sort((a, b) => compare(a.key, b.key) || compare(a.entry.name, b.entry.name));
  return keyed.map(({ entry }) => entry);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

const MARKS: Readonly<Record<Exclude<FileKind, "link">, string>> = {
  file: "",
  folder: "/",
  fifo: " (FIFO)",
  socket: " (socket)",
  device: " (device)",
};

async function describe(workspace: Workspace, folder: string, entry: FolderEntry): Promise<string> {
  const name = showPath(entry.name);
  if (entry.kind !== "link") return name + MARKS[entry.kind];
  const path = posix.join(folder, entry.name);
  const target = await workspace.readLink(path).catch(() => undefined);
  if (target === undefined) return `${name} -> ?`;
  try {
    const stat = await workspace.stat(path);
    if (stat === undefined) return `${name} -> missing (${showPath(target)})`;
    const mark = stat.kind === "folder" && !target.endsWith("/") ? "/" : "";
    return `${name} -> ${showPath(target)}${mark}`;
  } catch (error) {
    const why =
      error instanceof WorkspaceError && error.code === "link_cycle"
        ? "a cycle of links"
        : "unreadable";
    return `${name} -> ${showPath(target)} (${why})`;
  }
}
