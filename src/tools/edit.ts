// The `edit` tool: replaces places in a file that are named by their text, and leaves every other byte as it is.
import { Type } from "typebox";
import type { TArray, TBoolean, TObject, TOptional, TString } from "typebox";
import type { AgentTool, RenderedLine, ToolDefinition, ToolResult } from "../core/tool.ts";
import { toAgentTool } from "../core/tool.ts";
import { formatBytes } from "../lib/text/truncate.ts";
import { showPath } from "../workspace/show-path.ts";
import type { FileStat, Workspace } from "../workspace/workspace.ts";
import { diffOfSplices, headOf } from "./edit-diff.ts";
import { wholeContent } from "./file-chunks.ts";
import { viewFile } from "./file-view.ts";
import { inTurn } from "./in-turn.ts";
import { applySplices, planEdits } from "./match-edit.ts";
import type { Edit } from "./match-edit.ts";
import { claimPath, existingPath, openExisting } from "./tool-path.ts";

/** The file is held in memory. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** How much of the diff the model sees. */
const MAX_SHOWN_BYTES = 4000;
const MAX_SHOWN_LINES = 60;

export type EditParameters = TObject<{
  path: TString;
  edits: TArray<TObject<{ oldText: TString; newText: TString; all: TOptional<TBoolean> }>>;
}>;

export interface EditDetails {
  /** Absolute, as found. */
  path: string;
  /** Hunks as in a unified diff; at most 64 KB. */
  diff: string;
  /** 1-based, in the new content. */
  firstChangedLine: number;
  /** Lines. */
  additions: number;
  removals: number;
}

/** The tool as the loop runs it, over the files of `workspace`. */
export function createEditTool(workspace: Workspace): AgentTool<EditParameters, EditDetails> {
  return toAgentTool(editDefinition(workspace), () => ({ cwd: workspace.cwd }));
}

/** The tool with what front ends and the system prompt want of it. */
export function editDefinition(workspace: Workspace): ToolDefinition<EditParameters, EditDetails> {
  return {
    name: "edit",
    label: "Edit",
    description:
      "Change parts of one file. Each oldText must be found exactly once in the file as it is now (or set all: true); " +
      "edits must not overlap. Either all edits are made or none.",
    parameters: Type.Object({
      path: Type.String({ description: "File to change, relative or absolute" }),
      edits: Type.Array(
        Type.Object({
          oldText: Type.String({
            description: "Text as it stands in the file, enough of it to be unique",
          }),
          newText: Type.String({ description: "What shall stand there instead" }),
          all: Type.Optional(Type.Boolean({ description: "Replace every occurrence" })),
        }),
        { minItems: 1, description: "All are matched against the original file" },
      ),
    }),
    promptSnippet: "Change parts of files by exact text",
    promptGuidelines: [
      "Put all changes of one file into one edit call, each oldText as short as it can be and still unique.",
    ],
    defaultActive: true,
    prepareArguments,
    claims: (args) => claimPath(workspace, "write", () => existingPath(workspace, args.path)),
    execute: (_id, args, signal) => edit(workspace, args, signal),
    renderCall: (args) => ({
      title: `edit ${showPath(args.path)}`,
      lines: args.edits.flatMap(renderEdit),
    }),
    renderResult: (result, args) => ({
      title: `edit ${showPath(args.path)}`,
      lines: (result.details?.diff ?? "").split("\n").map(renderDiffLine),
    }),
  };
}

/** Takes a single pair at the top level, and `edits` that is one pair instead of a list. Changes nothing in what it gets. */
function prepareArguments(raw: unknown): unknown {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) return raw;
  const { oldText, newText, all, ...rest } = raw as Record<string, unknown>;
  const { edits } = rest;
  if (edits === undefined && typeof oldText === "string" && typeof newText === "string") {
    return { ...rest, edits: [{ oldText, newText, ...(all === undefined ? {} : { all }) }] };
  }
  const isOne = typeof edits === "object" && edits !== null && !Array.isArray(edits);
  return isOne ? { ...raw, edits: [edits] } : raw;
}

interface EditArguments {
  path: string;
  edits: Edit[];
}

async function edit(
  workspace: Workspace,
  { path: written, edits }: EditArguments,
  signal: AbortSignal | undefined,
): Promise<ToolResult<EditDetails>> {
  const meant = await workspace.realPath(await existingPath(workspace, written));
  return inTurn(workspace, meant, async () => {
    const { path, content, stat } = await contentOf(workspace, written, signal);
    const view = viewFile(content);
    const { splices, problems } = planEdits(view, edits);
    if (problems.length > 0) {
      throw new Error(`${showPath(path)} was not changed.\n${problems.join("\n")}`);
    }
    if (splices.length === 0) {
      throw new Error(
        `${showPath(path)} was not changed: with these edits it would be as it is already.`,
      );
    }
    const diff = await diffOfSplices(view, splices);
    await refuseIfChanged(workspace, path, stat);
    // The last moment at which nothing has happened.
    signal?.throwIfAborted();
    await workspace.replaceFile(path, applySplices(content, view, splices));
    const places = `${splices.length} ${splices.length === 1 ? "place" : "places"}`;
    const head = `Edited ${showPath(written)}: ${places}, +${diff.additions} -${diff.removals} lines`;
    const text = `${head}\n${headOf(diff.diff, MAX_SHOWN_BYTES, MAX_SHOWN_LINES)}`;
    return { content: [{ type: "text", text }], details: { path, ...diff } };
  });
}

async function contentOf(
  workspace: Workspace,
  written: string,
  signal: AbortSignal | undefined,
): Promise<{ path: string; content: Buffer; stat: FileStat }> {
  const { path, file } = await openExisting(workspace, written);
  try {
    const content = await wholeContent(file, MAX_FILE_BYTES, { signal });
    if (content !== undefined) return { path, content, stat: file.stat };
    const size = `${formatBytes(file.stat.size)}, more than edit takes (${formatBytes(MAX_FILE_BYTES)})`;
    throw new Error(`${showPath(path)} has ${size}. Change it with a command such as sed.`);
  } finally {
    await file.close();
  }
}

/** Someone else may have written the file while the edit was worked out; that change must not get lost. */
async function refuseIfChanged(
  workspace: Workspace,
  path: string,
  before: FileStat,
): Promise<void> {
  const now = await workspace.stat(path);
  const isSame =
    now !== undefined &&
    now.identity === before.identity &&
    now.size === before.size &&
    now.mtimeMs === before.mtimeMs;
  if (isSame) return;
  throw new Error(
    `${showPath(path)} was changed by something else just now, and not by this edit. Read it again, then edit.`,
  );
}

function renderEdit({ oldText, newText }: Edit): RenderedLine[] {
  const lines = (text: string, role: "added" | "removed"): RenderedLine[] =>
    text.split("\n", MAX_SHOWN_LINES).map((line) => ({ role, text: line }));
  return [...lines(oldText, "removed"), ...lines(newText, "added")];
}

function renderDiffLine(text: string): RenderedLine {
  if (text.startsWith("+")) return { role: "added", text: text.slice(1) };
  if (text.startsWith("-")) return { role: "removed", text: text.slice(1) };
  return {
    role: text.startsWith("@@") ? "muted" : "text",
    text: text.startsWith(" ") ? text.slice(1) : text,
  };
}
