// The `write` tool: makes a text the whole content of a file.
import { Type } from "typebox";
import type { TObject, TString } from "typebox";
import type { AgentTool, RenderedLine, ToolDefinition, ToolResult } from "../core/tool.ts";
import { toAgentTool } from "../core/tool.ts";
import { formatBytes } from "../lib/text/truncate.ts";
import { showPath } from "../workspace/show-path.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { inTurn } from "./in-turn.ts";
import { claimPath, writablePath } from "./tool-path.ts";

/** How many lines of the content a front end is given. */
const MAX_RENDERED_LINES = 200;

export type WriteParameters = TObject<{ path: TString; content: TString }>;

interface WriteArguments {
  path: string;
  content: string;
}

export interface WriteDetails {
  /** Absolute, as meant; links not resolved. */
  path: string;
  created: boolean;
  lines: number;
  bytes: number;
}

/** The tool as the loop runs it, over the files of `workspace`. */
export function createWriteTool(workspace: Workspace): AgentTool<WriteParameters, WriteDetails> {
  return toAgentTool(writeDefinition(workspace), () => ({ cwd: workspace.cwd }));
}

/** The tool with what front ends and the system prompt want of it. */
export function writeDefinition(
  workspace: Workspace,
): ToolDefinition<WriteParameters, WriteDetails> {
  return {
    name: "write",
    label: "Write",
    description:
      "Write a whole file: creates it with its folders, or replaces all of its content. Use edit to change a part.",
    parameters: Type.Object({
      path: Type.String({ description: "File to write, relative or absolute" }),
      content: Type.String({ description: "The whole new content" }),
    }),
    promptSnippet: "Create or replace whole files",
    promptGuidelines: ["Use write for new files and full rewrites only."],
    defaultActive: true,
    claims: (args) => claimPath(workspace, "write", () => writablePath(workspace, args.path)),
    execute: (_id, args, signal) => write(workspace, args, signal),
    renderCall: (args) => ({
      title: `write ${showPath(args.path)}`,
      lines: contentLines(args.content),
    }),
    renderResult: (result, args) => ({
      title: `write ${showPath(args.path)}`,
      lines: result.content.flatMap((block) =>
        block.type === "text"
          ? [{ role: result.isError ? "error" : "muted", text: block.text } as const]
          : [],
      ),
    }),
  };
}

async function write(
  workspace: Workspace,
  { path: written, content }: WriteArguments,
  signal: AbortSignal | undefined,
): Promise<ToolResult<WriteDetails>> {
  const path = await writablePath(workspace, written);
  if (!content.isWellFormed()) {
    throw new Error(
      "The content holds half of a surrogate pair (an escape like \\ud83d without its second half), which no file can hold. " +
        "Nothing was written. Send the whole character.",
    );
  }
  const bytes = Buffer.from(content, "utf8");
  const lines = countLines(content);
  const { created } = await inTurn(workspace, await workspace.realPath(path), () => {
    // The last moment at which nothing has happened.
    signal?.throwIfAborted();
    return workspace.replaceFile(path, bytes);
  });
  const size = `${lines} ${lines === 1 ? "line" : "lines"}, ${bytes.length} ${bytes.length === 1 ? "byte" : "bytes"}`;
  const text = `${created ? "Created" : "Replaced"} ${showPath(written)} (${size})`;
  return {
    content: [{ type: "text", text }],
    details: { path, created, lines, bytes: bytes.length },
  };
}

/** As `read` counts: a line end at the very end begins no line. */
function countLines(content: string): number {
  let lines = 0;
  for (let at = content.indexOf("\n"); at >= 0; at = content.indexOf("\n", at + 1)) lines++;
  return lines + (content === "" || content.endsWith("\n") ? 0 : 1);
}

function contentLines(content: string): RenderedLine[] {
  const lines = content.split("\n", MAX_RENDERED_LINES + 1);
  const shown = lines.slice(0, MAX_RENDERED_LINES).map((text) => ({ role: "code" as const, text }));
  if (lines.length <= MAX_RENDERED_LINES) return shown;
  const rest = `… ${formatBytes(Buffer.byteLength(content))} in all`;
  return [...shown, { role: "muted", text: rest }];
}
