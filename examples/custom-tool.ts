// A tool of your own beside the built-in ones: its arguments declared with zod, its types inferred from there.
// In a project of your own, import from "errand" and "errand/testing".
import { z } from "zod";
import { createAgent, defineTool, textOf } from "../src/index.ts";
import { callsTurn, createScriptedModel, textTurn } from "../src/testing/index.ts";

const dice = defineTool({
  name: "roll",
  description: "Roll dice and get the sum.",
  parameters: z.object({ count: z.int().min(1).max(10), sides: z.int().min(2) }),
  // It touches nothing shared, so it needs no claims and runs beside other calls.
  execute: async (_id, { count, sides }) => {
    const sum = count * Math.ceil(sides / 2);
    return {
      content: [{ type: "text", text: `${count} dice of ${sides}: ${sum}` }],
      details: { sum },
    };
  },
});

const { model, streamFn } = createScriptedModel([
  callsTurn([
    { name: "roll", args: { count: 2, sides: 6 } },
    { name: "roll", args: { count: 99, sides: 6 } },
  ]),
  textTurn("Two dice gave 6; ninety-nine are too many."),
]);

const agent = createAgent({ model, streamFn, tools: [], customTools: [dice] });
agent.subscribe((event) => {
  if (event.type !== "tool_execution_end") return;
  const [firstLine, secondLine] = textOf(event.result.content).split("\n");
  console.log(
    event.isError ? "refused:" : "ran:",
    firstLine,
    event.isError ? secondLine?.trim() : "",
  );
});
const { reason, messages } = await agent.prompt("Roll two dice, then ninety-nine.");
const answer = messages.at(-1);
console.log(reason, "-", answer?.role === "assistant" ? textOf(answer.content) : "");
