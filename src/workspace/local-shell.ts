// How a command line is handed to a shell: under a thin supervisor, so that what a command does to its parent process does not
// reach this one, and so that death by a signal can be told from an exit code of the same number.
import { accessSync, constants as fileConstants, statSync } from "node:fs";
import { constants } from "node:os";
import { systemCode } from "./local-errors.ts";
import { showPath } from "./show-path.ts";
import { WorkspaceError } from "./workspace.ts";

const SUPERVISOR = "/bin/sh";
// The supervisor's own stderr is a pipe of its own: what it says there is that the command was killed.
const SUPERVISE_MERGED = '(exec "$@" 2>&1); exit $?';
const SUPERVISE_APART = '(exec "$@" 2>&3 3>&-); exit $?';

/** Program and arguments that run `command` in a shell; `merged` sends its stderr to its stdout, else it comes out at descriptor 3. */
export function shellCommand(
  command: string,
  options: { path: string | undefined; merged: boolean },
): [program: string, ...args: string[]] {
  const supervise = options.merged ? SUPERVISE_MERGED : SUPERVISE_APART;
  return [SUPERVISOR, "-c", supervise, "sh", findShell(options.path), "-c", command];
}

/** How a supervised command ended: the supervisor speaks exactly when its command was killed. */
export function supervisedEnd(
  exit: { code: number | null; signal: string | null },
  supervisorSpoke: boolean,
): { code: number | null; signal: string | null } {
  if (!supervisorSpoke || exit.code === null || exit.code <= 128) return exit;
  const signal = signalName(exit.code - 128);
  return signal === undefined ? exit : { code: null, signal };
}

/** `SIGKILL` for 9; undefined for numbers that are no signal here. */
export function signalName(number: number): string | undefined {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
}

const shells = new Map<string, string>();

/** bash where there is one, else the system's sh. */
function findShell(path = ""): string {
  const known = shells.get(path);
  if (known !== undefined) return known;
  const folders = path.split(":").filter((folder) => folder.startsWith("/"));
  const places = ["/bin/bash", ...folders.map((folder) => `${folder}/bash`)];
  const found = places.find(isProgram) ?? "/bin/sh";
  shells.set(path, found);
  return found;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, fileConstants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Why a command could not be started, as a sentence that says what to do. */
export function startError(
  error: unknown,
  { command, cwd }: { command: string | readonly [string, ...string[]]; cwd: string },
): WorkspaceError {
  const isLine = typeof command === "string";
  const name = isLine ? "The command" : showPath(command[0].slice(0, 200));
  const options = { cause: error };
  const code = systemCode(error);
  if (code === "ENOENT" || code === "ENOTDIR") {
    if (!isFolder(cwd)) {
      const gone = `The folder ${showPath(cwd)} is not there (any more), so nothing can run in it.`;
      return new WorkspaceError("not_found", cwd, gone, options);
    }
    const program = isLine ? SUPERVISOR : command[0];
    return new WorkspaceError("not_found", program, `${showPath(program)} was not found.`, options);
  }
  if (code === "E2BIG") {
    const long = `${name} is longer than the system takes at once (128 KB). Write it to a file and run that.`;
    return new WorkspaceError("other", name, long, options);
  }
  if (code === "EACCES") {
    const denied = `${name} could not be started in ${showPath(cwd)}: permission denied.`;
    return new WorkspaceError("denied", isLine ? cwd : command[0], denied, options);
  }
  if (code === "EAGAIN" || code === "EMFILE" || code === "ENOMEM") {
    const full = `${name} could not be started: the system has no more processes, files or memory to give (${code}). Try again later.`;
    return new WorkspaceError("other", name, full, options);
  }
  if (code === "ERR_INVALID_ARG_VALUE") {
    return new WorkspaceError("unsupported", name, `${name} holds a NUL character.`, options);
  }
  const reason = error instanceof Error ? error.message : String(error);
  const message = `${name} could not be started: ${showPath(reason.slice(0, 300))}`;
  return new WorkspaceError("other", name, message, options);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
