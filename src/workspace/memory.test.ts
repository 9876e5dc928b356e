import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createMemoryWorkspace } from "./memory.ts";
import type { ProcessRequest } from "./workspace.ts";

describe("the memory workspace", () => {
  test("runs what it was given to run, and nothing else", async () => {
    const requests: ProcessRequest[] = [];
    const run = async (request: ProcessRequest) => {
      requests.push(request);
      request.onOutput(Buffer.from("hi"), "stdout");
      return { code: 0, signal: null, endedBy: "itself" as const };
    };
    const chunks: string[] = [];
    const request: ProcessRequest = {
      command: "echo hi",
      onOutput: (chunk, stream) => chunks.push(`${stream} ${Buffer.from(chunk).toString()}`),
    };
    const end = await createMemoryWorkspace({ run }).run(request);
    assert.deepEqual(
      [end, chunks, requests],
      [{ code: 0, signal: null, endedBy: "itself" }, ["stdout hi"], [request]],
    );
    await assert.rejects(createMemoryWorkspace().run(request), {
      code: "unsupported",
      message: "This workspace runs no commands: echo hi",
    });
  });

  test("stands in the folder it is given, and knows home only if told", async () => {
    const workspace = createMemoryWorkspace({
      cwd: "/a/b",
      home: "/home/me",
      files: { "/x/y": "1", z: "2" },
    });
    assert.deepEqual([workspace.cwd, workspace.home], ["/a/b", "/home/me"]);
    assert.equal((await workspace.stat("/x/y"))?.size, 1);
    assert.equal((await workspace.stat("/a/b/z"))?.size, 1);
    assert.equal(createMemoryWorkspace().home, undefined);
  });

  test("tells devices and sockets by name, and opens neither", async () => {
    const workspace = createMemoryWorkspace({
      files: { d: { special: "device" }, s: { special: "socket" } },
    });
    await assert.rejects(workspace.open("/work/d"), { code: "not_a_file", message: /is a device/ });
    await assert.rejects(workspace.open("/work/s"), { code: "not_a_file", message: /is a socket/ });
  });
});
