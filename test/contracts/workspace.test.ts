import { execFileSync } from "node:child_process";
import { chmod, chown, link, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createLocalWorkspace } from "../../src/workspace/local.ts";
import { createMemoryWorkspace } from "../../src/workspace/memory.ts";
import type { MemoryEntry } from "../../src/workspace/memory.ts";
import { workspaceContract } from "./workspace.ts";

workspaceContract("memory", async (files) => ({
  workspace: createMemoryWorkspace({ files }),
  dispose: async () => {},
}));

workspaceContract(
  "local",
  async (files) => {
    const root = await mkdtemp(join(tmpdir(), "errand-contract-"));
    const folder = join(root, "here");
    await mkdir(folder);
    for (const [name, entry] of Object.entries(files))
      await plant(folder, join(folder, name), entry);
    for (const [name, entry] of Object.entries(files)) {
      if (typeof entry === "object" && "mode" in entry && entry.mode !== undefined) {
        await chmod(join(folder, name), entry.mode);
      }
    }
    const becomeSelf = await becomeOrdinary(root);
    return {
      workspace: createLocalWorkspace({ cwd: folder }),
      dispose: async () => {
        becomeSelf();
        execFileSync("chmod", ["-R", "u+rwx", root]);
        await rm(root, { recursive: true });
      },
    };
  },
  { isRoot: process.getuid?.() === 0 },
);

async function plant(folder: string, path: string, entry: MemoryEntry): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  if (typeof entry === "string" || entry instanceof Uint8Array) await writeFile(path, entry);
  else if ("file" in entry) await writeFile(path, entry.file);
  else if ("folder" in entry) await mkdir(path, { recursive: true });
  else if ("link" in entry) await symlink(entry.link, path);
  else if ("sameFileAs" in entry) await link(join(folder, entry.sameFileAs), path);
  else execFileSync("mkfifo", [path]);
}

/** Root may do everything, so a test of permissions run by root acts as another user meanwhile. */
async function becomeOrdinary(root: string): Promise<() => void> {
  if (process.geteuid?.() !== 0) return () => {};
  const nobody = 65534;
  execFileSync("chown", ["-hR", `${nobody}:${nobody}`, root]);
  await chown(root, nobody, nobody);
  process.setegid?.(nobody);
  process.seteuid?.(nobody);
  return () => {
    process.seteuid?.(0);
    process.setegid?.(0);
  };
}
