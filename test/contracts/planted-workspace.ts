// Workspaces of both kinds with the same files in them, for the tests of what stands on the port.
import { execFileSync } from "node:child_process";
import { chmod, link, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createLocalWorkspace } from "../../src/workspace/local.ts";
import { createMemoryWorkspace } from "../../src/workspace/memory.ts";
import type { MemoryEntry } from "../../src/workspace/memory.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";

export const WORKSPACE_KINDS = ["memory", "local"] as const;

export type PlantedFiles = Readonly<Record<string, MemoryEntry>>;

/** A workspace for one test, over `files` in its `cwd`; disposing of it removes what is on the disk. */
export interface PlantedWorkspace extends AsyncDisposable {
  readonly workspace: Workspace;
}

/**
 * Plants `files`. Permissions on the disk mean nothing to root, so a test run by root acts as another user until it disposes of the
 * workspace, as far as a process can.
 */
export async function plantWorkspace(
  kind: (typeof WORKSPACE_KINDS)[number],
  files: PlantedFiles = {},
): Promise<PlantedWorkspace> {
  if (kind === "memory") {
    return { workspace: createMemoryWorkspace({ files }), [Symbol.asyncDispose]: async () => {} };
  }
  const root = await mkdtemp(join(tmpdir(), "errand-planted-"));
  const cwd = join(root, "here");
  await mkdir(cwd);
  for (const [name, entry] of Object.entries(files)) await plant(cwd, join(cwd, name), entry);
  for (const [name, entry] of Object.entries(files)) {
    if (typeof entry === "object" && "mode" in entry && entry.mode !== undefined) {
      await chmod(join(cwd, name), entry.mode);
    }
  }
  const becomeSelf = becomeOrdinary(root);
  return {
    workspace: createLocalWorkspace({ cwd }),
    [Symbol.asyncDispose]: async () => {
      becomeSelf();
      execFileSync("chmod", ["-R", "u+rwx", root]);
      await rm(root, { recursive: true });
    },
  };
}

async function plant(cwd: string, path: string, entry: MemoryEntry): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  if (typeof entry === "string" || entry instanceof Uint8Array) await writeFile(path, entry);
  else if ("file" in entry) await writeFile(path, entry.file);
  else if ("folder" in entry) await mkdir(path, { recursive: true });
  else if ("link" in entry) await symlink(entry.link, path);
  else if ("sameFileAs" in entry) await link(join(cwd, entry.sameFileAs), path);
  else if (entry.special === "fifo") execFileSync("mkfifo", [path]);
  else throw new Error(`The disk part of this helper plants no ${entry.special}.`);
}

function becomeOrdinary(root: string): () => void {
  if (process.geteuid?.() !== 0) return () => {};
  const nobody = 65534;
  execFileSync("chown", ["-hR", `${nobody}:${nobody}`, root]);
  process.setegid?.(nobody);
  process.seteuid?.(nobody);
  return () => {
    process.seteuid?.(0);
    process.setegid?.(0);
  };
}
