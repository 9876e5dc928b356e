import assert from "node:assert/strict";
import { statSync } from "node:fs";
import * as files from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { machineDisk } from "./disk.ts";
import type { Disk } from "./disk.ts";
import { replaceOnDisk } from "./replace-on-disk.ts";

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
  const disk = new Proxy(machineDisk, {
    get(target, name: keyof Disk) {
      const operation = target[name] as (...args: unknown[]) => unknown;
      return (...args: unknown[]): unknown => {
        operations.push(name);
        if (fault.on === name || fault.at === operations.length) {
          const failure = new Error(`${fault.code}: injected into ${name}`);
          Object.assign(failure, { code: fault.code });
          // A close that fails has closed all the same.
          if (name === "close") operation(...args);
          if (IS_WAITED_FOR.has(name)) return Promise.reject(failure);
          throw failure;
        }
        if (name !== "write") return operation(...args);
        const [file, bytes, stretch] = args as Parameters<Disk["write"]>;
        return machineDisk.write(file, bytes, {
          ...stretch,
          length: Math.min(stretch.length, maxWrite),
        });
      };
    },
  });
  return { disk, operations };
}

const IS_WAITED_FOR: ReadonlySet<string> = new Set(["makeFolder", "write", "flush"]);

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
    for (const on of ["write", "flush"]) {
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
      assert.ok(operations.filter((operation) => operation === "write").length > 10);
    }
  });

  test("takes another name when its temporary one is taken", async () => {
    const path = join(folder, "a");
    const { disk } = faultyDisk({ at: 2, code: "EEXIST" });
    await replaceOnDisk(disk, path, Buffer.from(NEW));
    assert.equal(await files.readFile(path, "utf8"), NEW);
    assert.deepEqual(await files.readdir(folder), ["a"]);
  });

  for (const on of ["chown", "rename"]) {
    test(`goes in place when ${on} is refused, rather than lose the owner or the mount`, async () => {
      const path = join(folder, "a");
      await files.writeFile(path, OLD);
      if (on === "chown" && process.geteuid?.() === 0) await files.chown(path, 4242, 4242);
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
    await replaceOnDisk(machineDisk, path, Buffer.from(NEW));
    const after = await files.stat(path);
    assert.deepEqual([after.uid, after.gid, after.mode & 0o7777], [4242, 4343, 0o4750]);
  });

  test("shows every reader the old or the new size, never one between", async () => {
    const path = join(folder, "big");
    const sizes = [1_000_000, 64_000_000];
    await files.writeFile(path, Buffer.alloc(sizes[0] ?? 0));
    const seen = new Set<number>();
    let done = false;
    const write = replaceOnDisk(machineDisk, path, Buffer.alloc(sizes[1] ?? 0)).finally(() => {
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
