import assert from "node:assert/strict";
import { statSync } from "node:fs";
import * as files from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { replaceOnDisk } from "./replace-on-disk.ts";
import type { Disk } from "./replace-on-disk.ts";

type Handle = files.FileHandle;

let folder = "";
beforeEach(async () => {
  folder = await files.realpath(await files.mkdtemp(join(tmpdir(), "errand-replace-")));
});
afterEach(() => files.rm(folder, { recursive: true }));

/** What happens instead of the n-th operation, or of those of one name. */
interface Fault {
  readonly at?: number;
  readonly on?: string;
  readonly code: string;
}

/** The real disk, but for the operations that a fault meets. Counts them. */
function faultyDisk(fault: Fault, maxWrite = Infinity): { disk: Disk; operations: string[] } {
  const operations: string[] = [];
  const meet = (name: string): void => {
    operations.push(name);
    if (fault.on === name || fault.at === operations.length) {
      throw Object.assign(new Error(`${fault.code}: injected into ${name}`), { code: fault.code });
    }
  };
  const over = (handle: Handle): Handle =>
    new Proxy(handle, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function" || typeof name !== "string") return value;
        return async (...args: unknown[]) => {
          try {
            meet(`handle.${name}`);
          } catch (error) {
            // A close that fails has closed all the same.
            if (name === "close") await target.close();
            throw error;
          }
          if (name === "write") args[2] = Math.min(Number(args[2]), maxWrite);
          return Reflect.apply(value, target, args);
        };
      },
    });
  const wrapped = <F extends (...args: never[]) => Promise<unknown>>(name: string, f: F): F =>
    (async (...args: Parameters<F>) => {
      meet(name);
      return f(...args);
    }) as unknown as F;
  const open = async (...args: Parameters<typeof files.open>): Promise<Handle> => {
    meet("open");
    return over(await files.open(...args));
  };
  const disk: Disk = {
    access: wrapped("access", files.access),
    lstat: wrapped("lstat", files.lstat),
    mkdir: wrapped("mkdir", files.mkdir),
    rename: wrapped("rename", files.rename),
    unlink: wrapped("unlink", files.unlink),
    open,
  };
  return { disk, operations };
}

const OLD = "old content\n";
const NEW = "the new and rather longer content\n";

/** Lets the first operation fail, then the second, … until all goes well; `check` looks at the disk after each. */
async function eachFault(
  code: string,
  prepare: () => Promise<void>,
  check: (failed: boolean, operation: string) => Promise<void>,
): Promise<void> {
  for (let at = 1; at < 60; at++) {
    await prepare();
    const { disk, operations } = faultyDisk({ at, code });
    const path = join(folder, "sub/a.txt");
    const failed = await replaceOnDisk(disk, path, Buffer.from(NEW)).then(
      () => false,
      (error: NodeJS.ErrnoException) => {
        assert.equal(error.code, code);
        return true;
      },
    );
    await check(failed, operations[at - 1] ?? "none");
    if (operations.length < at) return;
  }
  assert.fail("the operations never came to an end");
}

describe("a replacement whose operations fail one after the other", () => {
  for (const code of ["EIO", "ENOSPC", "EACCES"]) {
    test(`leaves the old content or the new one, and no other file, on ${code}`, async () => {
      await eachFault(
        code,
        async () => {
          await files.mkdir(join(folder, "sub"), { recursive: true });
          await files.writeFile(join(folder, "sub/a.txt"), OLD);
        },
        async (failed, operation) => {
          const content = await files.readFile(join(folder, "sub/a.txt"), "utf8");
          assert.equal(content, failed ? OLD : NEW, `after a failure of ${operation}`);
          assert.deepEqual(await files.readdir(join(folder, "sub")), ["a.txt"]);
        },
      );
    });

    test(`creates the whole file or none on ${code}`, async () => {
      await eachFault(
        code,
        () => files.rm(join(folder, "sub"), { recursive: true, force: true }),
        async (failed, operation) => {
          const names = await files.readdir(join(folder, "sub")).catch(() => []);
          assert.deepEqual(names, failed ? [] : ["a.txt"], `after a failure of ${operation}`);
          if (!failed) assert.equal(await files.readFile(join(folder, "sub/a.txt"), "utf8"), NEW);
        },
      );
    });
  }

  test("leaves a file of two names as it was when growing it finds the disk full", async () => {
    const path = join(folder, "a");
    for (const on of ["handle.write", "handle.datasync"]) {
      await files.writeFile(path, OLD);
      await files.rm(join(folder, "b"), { force: true });
      await files.link(path, join(folder, "b"));
      const { disk } = faultyDisk({ on, code: "ENOSPC" });
      await assert.rejects(replaceOnDisk(disk, path, Buffer.from(NEW)), /ENOSPC/);
      assert.equal(await files.readFile(join(folder, "b"), "utf8"), OLD);
    }
  });
});

describe("a replacement", () => {
  test("writes all bytes over a disk that takes few at a time", async () => {
    const bytes = Buffer.alloc(10_000, "0123456789");
    for (const name of ["swapped", "in place"]) {
      const path = join(folder, name);
      await files.writeFile(path, OLD);
      if (name === "in place") await files.link(path, join(folder, "second name"));
      const { disk, operations } = faultyDisk({ code: "" }, 999);
      await replaceOnDisk(disk, path, bytes);
      assert.deepEqual(await files.readFile(path), bytes);
      assert.ok(operations.filter((operation) => operation === "handle.write").length > 10);
    }
  });

  test("takes another name when its temporary one is taken", async () => {
    const path = join(folder, "a");
    const { disk } = faultyDisk({ at: 2, code: "EEXIST" });
    await replaceOnDisk(disk, path, Buffer.from(NEW));
    assert.equal(await files.readFile(path, "utf8"), NEW);
    assert.deepEqual(await files.readdir(folder), ["a"]);
  });

  for (const on of ["handle.chown", "rename"]) {
    test(`goes in place when ${on} is refused, rather than lose the owner or the mount`, async () => {
      const path = join(folder, "a");
      await files.writeFile(path, OLD);
      if (on === "handle.chown" && process.geteuid?.() === 0) await files.chown(path, 4242, 4242);
      const before = await files.stat(path);
      const { disk, operations } = faultyDisk({ on, code: on === "rename" ? "EBUSY" : "EPERM" });
      await replaceOnDisk(disk, path, Buffer.from(NEW));
      const after = await files.stat(path);
      assert.equal(await files.readFile(path, "utf8"), NEW);
      assert.deepEqual([after.uid, after.gid], [before.uid, before.gid]);
      if (operations.includes(on)) assert.equal(after.ino, before.ino);
      assert.deepEqual(await files.readdir(folder), ["a"]);
    });
  }

  test("keeps the owner where it may", { skip: process.geteuid?.() !== 0 }, async () => {
    const path = join(folder, "a");
    await files.writeFile(path, OLD, { mode: 0o600 });
    await files.chown(path, 4242, 4343);
    await files.chmod(path, 0o4750);
    await replaceOnDisk(files, path, Buffer.from(NEW));
    const after = await files.stat(path);
    assert.deepEqual([after.uid, after.gid, after.mode & 0o7777], [4242, 4343, 0o4750]);
  });

  test("shows every reader the old or the new size, never one between", async () => {
    const path = join(folder, "big");
    const sizes = [1_000_000, 64_000_000];
    await files.writeFile(path, Buffer.alloc(sizes[0] ?? 0));
    const seen = new Set<number>();
    let done = false;
    const write = replaceOnDisk(files, path, Buffer.alloc(sizes[1] ?? 0)).finally(() => {
      done = true;
    });
    while (!done) {
      seen.add(statSync(path).size);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await write;
    seen.add(statSync(path).size);
    assert.deepEqual([...seen], sizes);
  });
});
