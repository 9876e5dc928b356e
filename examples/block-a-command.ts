// A hook before each call: it may block a call or change its arguments. What is blocked is an error result for the
// model, never an exception, and the run goes on.
// In a project of your own, import from "errand" and "errand/testing".
import { createAgent, createMemoryWorkspace, textOf } from "../src/index.ts";
import { callTurn, createScriptedModel, textTurn } from "../src/testing/index.ts";

const { model, streamFn } = createScriptedModel([
  callTurn("bash", { command: "rm -rf build" }),
  callTurn("bash", { command: "ls" }),
  textTurn("I may not delete, so I only looked."),
]);

const workspace = createMemoryWorkspace({
  files: { "build/out.js": "", "src/in.ts": "" },
  run: async ({ command, onOutput }) => {
    onOutput(new TextEncoder().encode(`ran: ${String(command)}\n`), "stdout");
    return { code: 0, signal: null, endedBy: "itself" };
  },
});

const agent = createAgent({
  model,
  streamFn,
  workspace,
  beforeToolCall: ({ toolCall, args }) => {
    const { command } = args;
    if (toolCall.name !== "bash" || !/\brm\b/.test(String(command))) return undefined;
    return {
      block: true,
      reason: "Deleting is not allowed here. Say what you would delete instead.",
    };
  },
});
agent.subscribe((event) => {
  if (event.type === "tool_execution_end")
    console.log(event.isError ? "blocked:" : "ran:", textOf(event.result.content));
});
const { messages } = await agent.prompt("Clean up the build.");
const answer = messages.at(-1);
console.log("answer:", answer?.role === "assistant" ? textOf(answer.content) : "");
