import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { after, test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { post, type PostResponse } from "./post.ts";

const servers: Server[] = [];
after(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<{ url: URL; server: Server }> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: new URL(`http://127.0.0.1:${port}/v1/messages?x=1`), server };
}

async function textOf({ body }: PostResponse): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts).toString();
}

const { signal } = new AbortController();
const ask = (url: URL, text = "hello", own = signal): Promise<PostResponse> =>
  post({ url, headers: new Headers({ "x-own": "1" }), body: Buffer.from(text), signal: own });

test("sends the body with its length and headers, and gives status, headers and body", async () => {
  const { url } = await serve((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      response.writeHead(418, { "x-answer": "yes", "set-cookie": ["a=1", "b=2"] });
      const { "x-own": own, "content-length": length } = request.headers;
      const line = [request.method, request.url, own, length, Buffer.concat(parts)];
      response.end(line.map(String).join(" "));
    });
  });
  const response = await ask(url);
  assert.equal(response.status, 418);
  assert.equal(response.headers.get("x-answer"), "yes");
  assert.equal(await textOf(response), "POST /v1/messages?x=1 1 5 hello");
});

test("a redirect is an answer, not a way to elsewhere", async () => {
  const { url } = await serve((_request, response) =>
    response.writeHead(307, { location: "/x" }).end(),
  );
  assert.equal((await ask(url)).status, 307);
});

for (const [encoding, bytes] of [
  ["gzip", gzipSync("squeezed")],
  ["br", brotliCompressSync("squeezed")],
  ["identity", Buffer.from("squeezed")],
] as const) {
  test(`a body that comes as ${encoding} is read`, async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { "content-encoding": encoding }).end(bytes);
    });
    assert.equal(await textOf(await ask(url)), "squeezed");
  });
}

test("connections are used again, and one that went stale is not an error", async () => {
  const sockets = new Set<Socket>();
  const { url, server } = await serve((request, response) => {
    sockets.add(request.socket);
    request.resume();
    response.end("ok");
  });
  for (let n = 0; n < 3; n++) await textOf(await ask(url));
  assert.equal(sockets.size, 1);
  // The server closes the kept connection without a word, as an idle timeout does.
  const [socket] = sockets;
  const next = ask(url);
  socket?.destroy();
  assert.equal(await textOf(await next), "ok");
  server.closeAllConnections();
});

test("a connection that fails is rejected with its code", async () => {
  const { url, server } = await serve(() => {});
  server.close();
  await assert.rejects(ask(url), { code: "ECONNREFUSED" });
});

test("an answer that breaks off is an error of whoever reads it", async () => {
  const { url } = await serve((_request, response) => {
    response.write("half");
    setImmediate(() => response.destroy());
  });
  const response = await ask(url);
  await assert.rejects(textOf(response), { code: "ECONNRESET" });
});

test("an abort ends the request, and the reading of its answer", async () => {
  const { url } = await serve((_request, response) => void response.write("more to come"));
  const early = new AbortController();
  const waiting = ask(url, "x", early.signal);
  early.abort();
  await assert.rejects(waiting, { name: "AbortError" });
  const late = new AbortController();
  const response = await ask(url, "x", late.signal);
  setImmediate(() => late.abort());
  await assert.rejects(textOf(response));
});

test("a server on this machine is never asked through a proxy", async () => {
  const { url } = await serve((request, response) => {
    request.resume();
    response.end("ours");
  });
  const script = `
    const { post } = await import(${JSON.stringify(new URL("./post.ts", import.meta.url).href)});
    const { signal } = new AbortController();
    const response = await post({ url: new URL(process.argv[1]), headers: new Headers(), body: Buffer.from(""), signal });
    process.stdout.write(String(response.status));
    process.exit();
  `;
  const proxied = {
    HTTP_PROXY: "http://127.0.0.1:9",
    http_proxy: "http://127.0.0.1:9",
    NO_PROXY: "",
  };
  const { promise, resolve } = Promise.withResolvers<string>();
  execFile(
    process.execPath,
    ["--input-type=module", "-e", script, url.href],
    { env: { ...process.env, ...proxied } },
    (_error, out, err) => resolve(out + err),
  );
  assert.equal(await promise, "200");
});
