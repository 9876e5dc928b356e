// The offline model's Chinese.
import { brief } from "./brief.ts";
import type { Action } from "./phrase.ts";
import type { Voice } from "./voice.ts";

const PHRASES = `- 读 a.txt  ·  读一下 a.txt 和 b.txt
- 看看 a.txt 开头写了什么
- 列出 src
- 在 src 里找 TODO
- 运行 npm test
- 把 a.txt 里的“旧”换成“新”
- 把“一段文字”写入 a.txt
- 把 a.txt 里的“旧”换成“新”，然后运行 npm test`;

/** What the offline model says in Chinese. */
export const chineseVoice: Voice = {
  announce: (actions) => `我来${actions.map(describe).join("，并")}。`,
  did: (action, empty) => `${heading(action)}${empty ? emptiness(action) : "："}`,
  failed: (action, tool) => `我想${describe(action)}，但 \`${tool}\` 失败了：`,
  notDone: (actions) =>
    `所以我停在这里。还没有做：${actions.map(describe).join("；")}。排除原因后请再说一遍。`,
  missing: (tools) =>
    `这需要现在没有启用的工具：${tools.map((tool) => `\`${tool}\``).join("、")}。` +
    "用 `--tools read,bash,edit,write,grep,find,ls` 启动 Errand，就有全部七个工具。",
  unsure: (actions) =>
    `我在一段较长的文字里看到像是请求的话：${actions.map(describe).join("；")}。` +
    "它不一定是你说的，所以我没有做。如果要做，请单独说这一句。",
  more: (lines) => `……还有 ${lines} 行。`,
  image: "一张图片",
  hello: `你好。我听得懂几种说法，会用真正的工具处理你的文件：\n\n${PHRASES}`,
  unknown: `我没有听懂，所以什么也没做。我只按固定规则工作，听得懂这样的说法（名字或文字里有空格时请加引号）：\n\n${PHRASES}`,
  signature:
    "（我是 Errand 的离线模型，一个按固定规则工作的替身。要用真正的模型，请设置 ANTHROPIC_API_KEY，或用 --model 指定。）",
};

function describe(action: Action): string {
  switch (action.do) {
    case "read":
      return `读 ${brief(action.path)}`;
    case "start":
      return `看看 ${brief(action.path)} 的开头`;
    case "list":
      return `列出${place(action.path)}`.trimEnd();
    case "search":
      return `在${place(action.path)}里找“${brief(action.text)}”`;
    case "findFiles":
      return `在${place(action.path)}里找名为 ${brief(action.pattern)} 的文件`;
    case "run":
      return `运行 \`${brief(action.command, 120)}\``;
    case "replace":
      return `把 ${brief(action.path)} 里的${action.all ? "所有" : ""}“${brief(action.oldText)}”换成“${brief(action.newText)}”`;
    case "write":
      return action.content === ""
        ? `新建空文件 ${brief(action.path)}`
        : `把“${brief(action.content)}”写入 ${brief(action.path)}`;
    default:
      return action satisfies never;
  }
}

function place(path: string): string {
  return path === "." ? "当前目录" : ` ${brief(path)} `;
}

function heading(action: Action): string {
  switch (action.do) {
    case "read":
      return `${brief(action.path)} 写的是`;
    case "start":
      return `${brief(action.path)} 开头写的是`;
    case "list":
      return action.path === "." ? "当前目录里有" : `${brief(action.path)} 里有`;
    case "search":
      return `在${place(action.path)}里找“${brief(action.text)}”`;
    case "findFiles":
      return `在${place(action.path)}里名为 ${brief(action.pattern)} 的文件`;
    case "run":
      return `\`${brief(action.command, 120)}\` 运行完了`;
    case "replace":
      return `我把 ${brief(action.path)} 里的“${brief(action.oldText)}”换成了“${brief(action.newText)}”`;
    case "write":
      return `我写好了 ${brief(action.path)}`;
    default:
      return action satisfies never;
  }
}

function emptiness(action: Action): string {
  if (action.do === "search" || action.do === "findFiles") return "：没有找到。";
  if (action.do === "run") return "，没有输出。";
  if (action.do === "replace" || action.do === "write") return "。";
  return "空的，什么也没有。";
}
