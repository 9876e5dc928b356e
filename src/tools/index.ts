// The table of tools: one line each. Who adds a tool adds a file and a line.
import type { AgentTool, ToolDefinition } from "../core/tool.ts";
import { toAgentTool } from "../core/tool.ts";
import { showPath } from "../workspace/show-path.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { bashDefinition } from "./bash.ts";
import { editDefinition } from "./edit.ts";
import { findDefinition } from "./find.ts";
import { grepDefinition } from "./grep.ts";
import { lsDefinition } from "./ls.ts";
import { readDefinition } from "./read.ts";
import type { ToolPlugs } from "./tool-plugs.ts";
import { writeDefinition } from "./write.ts";

/** A tool as `--help` and the settings know it. */
export interface ListedTool {
  name: string;
  /** For people, a few words. */
  summary: string;
  /** Their names; those that may be left out have a question mark. */
  arguments: string;
  defaultActive: boolean;
  /** Declared in read-only mode. */
  readOnly: boolean;
  make(workspace: Workspace, plugs?: ToolPlugs): ToolDefinition;
}

export const toolTable: readonly ListedTool[] = [
  {
    name: "read",
    summary: "Read a file: text by lines, images",
    arguments: "path, offset?, limit?, column?",
    defaultActive: true,
    readOnly: true,
    make: (workspace) => readDefinition(workspace),
  },
  {
    name: "bash",
    summary: "Run a command line",
    arguments: "command, timeout?, parallel?",
    defaultActive: true,
    readOnly: false,
    make: (workspace, plugs) => bashDefinition(workspace, plugs),
  },
  {
    name: "edit",
    summary: "Replace exact text in a file",
    arguments: "path, edits",
    defaultActive: true,
    readOnly: false,
    make: (workspace) => editDefinition(workspace),
  },
  {
    name: "write",
    summary: "Create or replace a file",
    arguments: "path, content",
    defaultActive: true,
    readOnly: false,
    make: (workspace) => writeDefinition(workspace),
  },
  {
    name: "grep",
    summary: "Search the contents of files",
    arguments: "pattern, path?, glob?, ignoreCase?, literal?, context?, limit?, ignored?",
    defaultActive: false,
    readOnly: true,
    make: (workspace) => grepDefinition(workspace),
  },
  {
    name: "find",
    summary: "Find files by name",
    arguments: "pattern, path?, limit?, ignored?",
    defaultActive: false,
    readOnly: true,
    make: (workspace) => findDefinition(workspace),
  },
  {
    name: "ls",
    summary: "List a folder",
    arguments: "path?, limit?",
    defaultActive: false,
    readOnly: true,
    make: (workspace) => lsDefinition(workspace),
  },
];

/**
 * The definitions of the named tools in the table's order; the default ones if no names are given. Throws for a name that is not in the
 * table.
 */
export function toolDefinitions(
  workspace: Workspace,
  names?: readonly string[],
  plugs: ToolPlugs = {},
): ToolDefinition[] {
  const known = toolTable.map(({ name }) => name);
  const unknown = names?.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new Error(`There is no tool named ${showPath(unknown)}. There are: ${known.join(", ")}.`);
  }
  return toolTable
    .filter(({ name, defaultActive }) => (names ? names.includes(name) : defaultActive))
    .map(({ make }) => make(workspace, plugs));
}

/** The named tools as the loop runs them, in the table's order; the default ones if no names are given. */
export function createTools(workspace: Workspace, names?: readonly string[]): AgentTool[] {
  return toolDefinitions(workspace, names).map((definition) =>
    toAgentTool(definition, () => ({ cwd: workspace.cwd })),
  );
}
