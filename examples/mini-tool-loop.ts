// The whole loop in a few lines: a fake model asks for a tool, the loop runs it, the model answers from the result.
// In a project of your own, import from "errand" and "errand/testing".
import { type AgentEvent, agentLoop, defineTool, textOf } from "../src/index.ts";
import { callTurn, createScriptedModel } from "../src/testing/index.ts";

const files: Record<string, string[]> = { "a.txt": ["第一行", "第二行", "第三行", "第四行"] };

const read = defineTool({
  name: "read",
  description: "读文件的前几行",
  parameters: {
    type: "object",
    properties: { path: { type: "string" }, limit: { type: "integer" } },
  },
  pure: true,
  execute: async (_id, { path, limit }) => {
    const lines = files[String(path)] ?? [];
    const shown = lines.slice(0, Number(limit));
    const rest = `[还有 ${lines.length - shown.length} 行，用 offset=${shown.length + 1} 继续]`;
    return { content: [{ type: "text", text: [...shown, "", rest].join("\n") }] };
  },
});

const { model, streamFn } = createScriptedModel([
  callTurn("read", { path: "a.txt", limit: 2 }),
  ({ context }) => {
    const result = context.messages.at(-1);
    const text = result?.role === "toolResult" ? textOf(result.content) : "";
    return { text: `文件开头是：${text.split("\n")[0]}` };
  },
]);

const prompt = { role: "user" as const, content: "看看 a.txt 开头写了什么", timestamp: Date.now() };
const show = (event: AgentEvent): void => {
  if (event.type === "tool_execution_start")
    console.log("[harness] 执行工具", event.toolName, event.args);
  if (event.type === "agent_end") {
    const answer = event.messages.at(-1);
    if (answer?.role === "assistant") console.log("[模型最终回答]", textOf(answer.content));
  }
};
for await (const event of agentLoop(
  [prompt],
  { messages: [], tools: [read] },
  { model },
  undefined,
  streamFn,
))
  show(event);
