// The offline model's English.
import { brief } from "./brief.ts";
import type { Action } from "./phrase.ts";
import type { Voice } from "./voice.ts";

const PHRASES = `- read a.txt  ·  read a.txt and b.txt
- what does a.txt say at the start?
- list src
- find TODO in src
- run npm test
- replace "old" with "new" in a.txt
- write "some text" to a.txt
- replace "old" with "new" in a.txt then run npm test`;

/** What the offline model says in English. */
export const englishVoice: Voice = {
  announce: (actions) => `I will ${actions.map(describe).join(", and ")}.`,
  did: (action, empty) => `${heading(action)}${empty ? emptiness(action) : ":"}`,
  failed: (action, tool) => `\`${tool}\` failed when I tried to ${describe(action)}:`,
  notDone: (actions) =>
    `So I stopped here. Not done: ${actions.map(describe).join("; ")}. Ask for it again when the cause is mended.`,
  missing: (tools) =>
    `For this I need what is not switched on here: ${tools.map((tool) => `\`${tool}\``).join(", ")}. ` +
    "Start Errand with `--tools read,bash,edit,write,grep,find,ls` to have all seven tools.",
  unsure: (actions) =>
    `Among other text I found what reads like a request to ${actions.map(describe).join("; ")}. ` +
    "Since it may not be yours, I did not do it. Say it alone, as the whole prompt, if you want it done.",
  more: (lines) => `… and ${lines} more ${lines === 1 ? "line" : "lines"}.`,
  image: "an image",
  hello: `Hello. I understand a few phrases and do them with real tools on your files:\n\n${PHRASES}`,
  unknown:
    "I did not understand that, so I did nothing. I follow fixed rules and understand only phrases like these " +
    `(quote names and texts that hold spaces):\n\n${PHRASES}`,
  signature:
    "(I am Errand's offline model, a rule-based stand-in. For a real model set ANTHROPIC_API_KEY, or choose one with --model.)",
};

function describe(action: Action): string {
  switch (action.do) {
    case "read":
      return `read ${brief(action.path)}`;
    case "start":
      return `look at the start of ${brief(action.path)}`;
    case "list":
      return `list ${place(action.path)}`;
    case "search":
      return `look for "${brief(action.text)}" in ${place(action.path)}`;
    case "findFiles":
      return `find files like ${brief(action.pattern)} in ${place(action.path)}`;
    case "run":
      return `run \`${brief(action.command, 120)}\``;
    case "replace":
      return `replace ${action.all ? "every " : ""}"${brief(action.oldText)}" with "${brief(action.newText)}" in ${brief(action.path)}`;
    case "write":
      return `write ${action.content === "" ? "nothing" : `"${brief(action.content)}"`} to ${brief(action.path)}`;
    default:
      return action satisfies never;
  }
}

function place(path: string): string {
  return path === "." ? "this folder" : brief(path);
}

function heading(action: Action): string {
  switch (action.do) {
    case "read":
      return `${brief(action.path)} says`;
    case "start":
      return `At the start, ${brief(action.path)} says`;
    case "list":
      return action.path === "." ? "This folder holds" : `${brief(action.path)} holds`;
    case "search":
      return `"${brief(action.text)}" in ${place(action.path)}`;
    case "findFiles":
      return `Files like ${brief(action.pattern)} in ${place(action.path)}`;
    case "run":
      return `\`${brief(action.command, 120)}\` ran`;
    case "replace":
      return `I replaced "${brief(action.oldText)}" with "${brief(action.newText)}" in ${brief(action.path)}`;
    case "write":
      return `I wrote ${brief(action.path)}`;
    default:
      return action satisfies never;
  }
}

function emptiness(action: Action): string {
  if (action.do === "search" || action.do === "findFiles") return ": nothing found.";
  if (action.do === "run") return " and printed nothing.";
  if (action.do === "replace" || action.do === "write") return ".";
  return " nothing: it is empty.";
}
