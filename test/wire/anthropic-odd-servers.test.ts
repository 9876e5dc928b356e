// Servers in front of the API, and beside it, that do not answer as its documents say.
import { describe, test } from "node:test";
import assert from "node:assert/strict";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { AssistantMessage } from "../../src/core/messages.ts";
import { streamAnthropic } from "../../src/models/anthropic/stream.ts";
import { anthropicWire } from "../../src/testing/anthropic-wire.ts";
import { startModelServer } from "../../src/testing/loopback-server.ts";
import type { ServerTurn } from "../../src/testing/server-wire.ts";
import { collectStream, type CollectedStream } from "../contracts/stream-events.ts";
import { anthropicModel } from "../kit/anthropic-model.ts";

const apiKey = "sk-ant-api-test";
const context = { messages: [{ role: "user" as const, content: "Hello", timestamp: 1 }] };

async function ask(turn: ServerTurn): Promise<CollectedStream> {
  const server = await startModelServer({ turns: [turn] });
  try {
    return await collectStream(streamAnthropic(anthropicModel(server.url), context, { apiKey }));
  } finally {
    await server.close();
  }
}

async function askAddress(url: string): Promise<AssistantMessage> {
  const { message } = await collectStream(
    streamAnthropic(anthropicModel(url), context, { apiKey }),
  );
  return message;
}

/** The bytes of a whole answer that says "fine". */
function answer(): string {
  const request = { method: "POST", path: "/v1/messages", headers: {}, body: {} };
  const events = anthropicWire.events({ text: "fine" }, { request, index: 0 });
  return [...events].map(({ text }) => text).join("");
}

const FINE = [{ type: "text", text: "fine" }];

describe("the Anthropic wire and odd servers", () => {
  for (const [name, bytes, headers] of [
    ["is called JSON", answer(), { "content-type": "application/json" }],
    ["is called plain text", answer(), { "content-type": "text/plain" }],
    [
      "begins with a byte order mark and ends its lines in CRLF",
      `\ufeff${answer().replaceAll("\n", "\r\n")}`,
    ],
    ["ends its lines in CR", answer().replaceAll("\n", "\r")],
    [
      "has comments and blank events",
      `: hi\n\ndata:\n\n${answer().replaceAll("\n\n", "\n\n: still here\n\n")}`,
    ],
    [
      "ends with the mark of another API",
      answer().replace("event: message_stop", "data: [DONE]\n\nevent: message_stop"),
    ],
    ["ends without its last empty line", answer().trimEnd()],
  ] as const) {
    test(`a stream that ${name} is read`, async () => {
      const { message } = await ask({ raw: [bytes], ...(headers ? { headers } : {}) });
      assert.equal(message.errorMessage, undefined);
      assert.deepEqual(message.content, FINE);
    });
  }

  test("an event of more than 16 MB is an error of kind protocol, and is not kept", async () => {
    const piece = "x".repeat(1 << 20);
    const { message } = await ask({ raw: ["data: ", ...Array.from({ length: 18 }, () => piece)] });
    assert.equal(message.errorKind, "protocol");
    assert.ok((message.errorMessage?.length ?? 0) < 3000);
  });

  test("a redirect is not followed, since it would take the key along", async () => {
    const elsewhere = await startModelServer({ turns: [{ text: "stolen" }] });
    const { message } = await ask({ status: 307, headers: { location: elsewhere.url }, body: "" });
    await elsewhere.close();
    assert.equal(elsewhere.requests.length, 0);
    assert.equal(message.status, 307);
    assert.ok(message.errorMessage?.includes(elsewhere.url), message.errorMessage);
  });

  test("what is no HTTP server is told so, and is not asked for long", async () => {
    const server = createServer((socket: Socket) => {
      socket.on("error", () => {});
      socket.end("SSH-2.0-server\r\n");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const message = await askAddress(`http://127.0.0.1:${port}`);
    server.close();
    assert.equal(message.errorKind, "protocol");
    assert.match(message.errorMessage ?? "", /does not speak HTTP.*base URL/);
  });

  test("https to a server that speaks http is no case for a repeat", async () => {
    const server = await startModelServer({ turns: [] });
    const message = await askAddress(server.url.replace("http:", "https:"));
    await server.close();
    assert.equal(message.errorKind, "bad_request");
    assert.match(message.errorMessage ?? "", /does not speak TLS/);
  });

  test("an address may end in /v1, in slashes, or in a path of its own", async () => {
    const server = await startModelServer({
      respond: () => ({ text: "fine" }),
      requests: "lenient",
    });
    for (const end of ["", "/", "/v1", "/v1/", "/proxy", "/proxy/v1//"]) {
      const message = await askAddress(server.url + end);
      assert.deepEqual(message.content, FINE);
    }
    await server.close();
    assert.deepEqual(
      server.requests.map(({ path }) => path),
      ["", "", "", "", "/proxy", "/proxy"].map((start) => `${start}/v1/messages`),
    );
  });
});
