import assert from "node:assert/strict";
import { once } from "node:events";
import * as files from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createLocalWorkspace } from "./local.ts";

let folder = "";
before(async () => {
  folder = await files.realpath(await files.mkdtemp(join(tmpdir(), "errand-local-")));
});
after(() => files.rm(folder, { recursive: true }));

describe("the local workspace", () => {
  test("stands where its folder really is", async () => {
    await files.mkdir(join(folder, "real"));
    await files.symlink("real", join(folder, "alias"));
    assert.equal(createLocalWorkspace({ cwd: join(folder, "alias") }).cwd, join(folder, "real"));
  });

  test("needs a folder to stand in", async () => {
    await files.writeFile(join(folder, "file"), "x");
    assert.throws(() => createLocalWorkspace({ cwd: join(folder, "file") }), {
      code: "not_a_folder",
    });
    assert.throws(() => createLocalWorkspace({ cwd: join(folder, "none") }), { code: "not_found" });
  });

  test("refuses devices and sockets without opening them", async () => {
    const workspace = createLocalWorkspace({ cwd: folder });
    for (const path of ["/dev/zero", "/dev/null", "/dev/tty"]) {
      await assert.rejects(workspace.open(path), { code: "not_a_file", message: /is a device/ });
      await assert.rejects(workspace.replaceFile(path, Buffer.from("x")), { code: "not_a_file" });
    }
    const server = createServer().listen(join(folder, "socket"));
    await once(server, "listening");
    try {
      await assert.rejects(workspace.open(join(folder, "socket")), {
        code: "not_a_file",
        message: /is a socket/,
      });
    } finally {
      server.close();
    }
  });

  test("reads files that tell no size", async () => {
    const workspace = createLocalWorkspace({ cwd: folder });
    const file = await workspace.open("/proc/self/status");
    const length = await file.read(new Uint8Array(64), 0);
    await file.close();
    assert.equal(file.stat.size, 0);
    assert.equal(length, 64);
  });

  test("reads no other file through a closed one", async () => {
    const path = join(folder, "closed");
    await files.writeFile(path, "x");
    const workspace = createLocalWorkspace({ cwd: folder });
    const file = await workspace.open(path);
    await file.close();
    const other = await workspace.open(join(folder, "closed"));
    await assert.rejects(file.read(new Uint8Array(1), 0), /is closed already/);
    await other.close();
  });

  test("finds programs by the PATH that it was given, and by no other", async () => {
    const bin = join(folder, "bin");
    await files.mkdir(bin);
    await files.writeFile(join(bin, "tool"), "#!/bin/sh\n", { mode: 0o755 });
    const found = createLocalWorkspace({ cwd: folder, env: { PATH: `/none::${bin}` } });
    assert.equal(await found.findProgram("tool"), join(bin, "tool"));
    const relative = createLocalWorkspace({ cwd: folder, env: { PATH: "bin" } });
    assert.equal(await relative.findProgram("tool"), join(bin, "tool"));
    assert.equal(await createLocalWorkspace({ cwd: folder }).findProgram("tool"), undefined);
    assert.ok(await createLocalWorkspace({ cwd: folder }).findProgram("sh"));
  });
});
