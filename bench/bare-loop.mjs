// The least code that passes the same requests, streams and tool steps: what every figure is held against.
// It checks nothing, bounds nothing, records nothing, and survives nothing.
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";

const base = process.env.ANTHROPIC_BASE_URL;
const messages = [{ role: "user", content: process.argv[2] ?? "go" }];
const schema = { type: "object", properties: {} };
const tools = ["read", "bash", "write"].map((name) => ({
  name,
  description: name,
  input_schema: schema,
}));

const act = {
  read: async ({ path }) => readFile(path, "utf8"),
  write: async ({ path, content }) => {
    await writeFile(path, content);
    return "written";
  },
  bash: ({ command }) =>
    new Promise((resolve) => {
      const child = spawn("bash", ["-c", command], { stdio: ["ignore", "pipe", "pipe"] });
      let output = "";
      child.stdout.on("data", (chunk) => (output += chunk));
      child.stderr.on("data", (chunk) => (output += chunk));
      child.on("close", () => resolve(output));
    }),
};

for (;;) {
  const response = await fetch(`${base}/v1/messages`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-api-key": "bench",
      "anthropic-version": "2023-06-01",
    },
    body: JSON.stringify({
      model: "bench",
      max_tokens: 64000,
      stream: true,
      system: "Be useful.",
      tools,
      messages,
    }),
  });
  const content = [];
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of response.body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (!line.startsWith("data: ")) continue;
      const event = JSON.parse(line.slice(6));
      if (event.type === "content_block_start")
        content[event.index] = { ...event.content_block, json: "" };
      if (event.type !== "content_block_delta") continue;
      const block = content[event.index];
      if (event.delta.type === "text_delta") block.text += event.delta.text;
      if (event.delta.type === "input_json_delta") block.json += event.delta.partial_json;
    }
  }
  const calls = content.filter((block) => block.type === "tool_use");
  for (const call of calls) call.input = JSON.parse(call.json || "{}");
  messages.push({ role: "assistant", content: content.map(({ json: _json, ...block }) => block) });
  if (calls.length === 0) break;
  const results = await Promise.all(calls.map((call) => act[call.name](call.input)));
  messages.push({
    role: "user",
    content: calls.map((call, at) => ({
      type: "tool_result",
      tool_use_id: call.id,
      content: results[at],
    })),
  });
}
