// Which tool does an action, among those that are active.
import type { Action } from "./phrase.ts";

/** A call to make. */
export interface ChosenCall {
  name: string;
  args: Record<string, unknown>;
}

/** The call that does the action with one of the tools, or the name of the tool that is missing. */
export function chooseCall(
  action: Action,
  active: ReadonlySet<string>,
): ChosenCall | { missing: string } {
  const { tool, args, shell } = waysTo(action);
  if (active.has(tool)) return { name: tool, args };
  if (shell !== undefined && active.has("bash")) return { name: "bash", args: { command: shell } };
  return { missing: tool };
}

interface Ways {
  tool: string;
  args: Record<string, unknown>;
  /** A shell command that does the same, where there is a plain one. */
  shell?: string;
}

function waysTo(action: Action): Ways {
  switch (action.do) {
    case "read":
      return { tool: "read", args: { path: action.path }, shell: `cat -- ${word(action.path)}` };
    case "start":
      return {
        tool: "read",
        args: { path: action.path, limit: action.lines },
        shell: `head -n ${action.lines} -- ${word(action.path)}`,
      };
    case "list":
      return { tool: "ls", args: { path: action.path }, shell: `ls -- ${word(action.path)}` };
    case "search":
      return {
        tool: "grep",
        args: { pattern: action.text, path: action.path, literal: true },
        shell: `grep -rnF -e ${word(action.text)} -- ${word(action.path)}`,
      };
    case "findFiles":
      return {
        tool: "find",
        args: { pattern: action.pattern, path: action.path },
        shell: `find ${word(folder(action.path))} -name ${word(action.pattern)}`,
      };
    case "run":
      return { tool: "bash", args: { command: action.command } };
    case "replace": {
      const { path, oldText, newText, all } = action;
      const edit = all ? { oldText, newText, all } : { oldText, newText };
      return { tool: "edit", args: { path, edits: [edit] } };
    }
    case "write":
      return { tool: "write", args: { path: action.path, content: action.content } };
    default:
      return action satisfies never;
  }
}

/** As one word of a shell's, whatever is in it. */
function word(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** `find` would take a leading dash for an option. */
function folder(path: string): string {
  return path.startsWith("-") ? `./${path}` : path;
}
