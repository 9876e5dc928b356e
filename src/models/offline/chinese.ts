// What the offline model understands in Chinese.
import type { Rule } from "./rules.ts";
import {
  findFiles,
  list,
  lookInside,
  readCertainFiles,
  readFiles,
  replace,
  run,
  search,
  startOfFile,
  write,
  writeNothing,
  writeRest,
} from "./rules.ts";

/** Polite words before a request. */
export const CHINESE_OPENING: RegExp =
  /^(?:(?:请问|请你|请|麻烦你|麻烦|帮我|帮忙|你能|能不能|能否|可以|可不可以|给我|首先|先|现在|我想|我要|你好|您好)[，,、！!]?\s*)+/u;

/** Polite words behind it. */
export const CHINESE_CLOSING: RegExp =
  /\s*[，,]?\s*(?:吧|好吗|好不好|可以吗|行吗|谢谢你|谢谢|吗|呢|啊)[\s。！!？?]*$/u;

export const CHINESE_HELLO: RegExp =
  /^(?:你好|您好|嗨|哈喽|早上好|晚上好|帮助|帮帮我|救命|你是谁|你能做什么|你会做什么|你会什么|你能干什么|你能干嘛|怎么用|有什么功能|使用说明)[呀啊吗呢吧\s,，!！。.？?]*$/u;

const LOOK =
  "(?:看一看|看一下|看看|看下|查看一下|查看|看|读一下|读一读|读读|读取一下|读取|阅读|读下|读|打开|显示一下|显示|展示|打印)";
const READ = "(?:读一下|读一读|读读|读取一下|读取|阅读|读下|读)";
const FIND = "(?:查找一下|查找|搜索一下|搜索|寻找|搜一下|搜|找一下|找找|找出|找)";
const CHANGE = "(?:替换成|替换为|替换|换成|换为|改成|改为|变成)";
const WHAT =
  "(?:(?:都)?(?:写了|写的是|写着|写的|说了|说的是|讲了|讲的是|是|有)?(?:些|点)?(?:什么|啥|哪些)(?:内容|东西)?|怎么写的|内容|的内容)";
const FOLDER = "(?:这个)?(?:目录|文件夹)?";
// Behind a name, not in the middle of one: 里 and 中 occur in names.
const INSIDE = "(?:(?<=[\\s\\x21-\\x7e\\uE000-\\uF8FF])(?:文件)?(?:里面|里边|里|中|内))";
const WITHIN = "(?:里面|里边|里|下面|下|中|内)?";
const NUMBER = "(?<lines>\\d+|[一二两三四五六七八九十几])";

function rule(source: string, make: Rule["make"]): Rule {
  // A blank in a source stands for blanks that may be left out, as they mostly are in Chinese.
  return { pattern: new RegExp(`^${source.replaceAll(" ", "\\s*")}$`, "isu"), make };
}

function verbatim(source: string, make: Rule["make"]): Rule {
  return { ...rule(source, make), verbatim: true };
}

/** The rules, the most special first. Built on first use. */
export function chineseRules(): readonly Rule[] {
  rules ??= buildRules();
  return rules;
}

let rules: readonly Rule[] | undefined;

function buildRules(): Rule[] {
  return [
    rule(
      `(?:${LOOK}|告诉我)? (?:文件)? (?<path>.+?) (?:文件)? (?:的|里面|里)? 最?(?:开头|开始|起始|头部|最前面|前面)(?:部分|处|几行|那几行)? (?:的地方)? ${WHAT}?`,
      startOfFile,
    ),
    rule(
      `(?:${LOOK}|告诉我)? (?:文件)? (?<path>.+?) (?:文件)? 的? 前(?:面)? ${NUMBER} 行 ${WHAT}?`,
      startOfFile,
    ),
    rule(
      `(?:在|从)? (?<path>.+?) ${FOLDER} ${WITHIN} ${FIND} (?:所有|全部)? 的? (?:名为|名叫|叫做|叫|名字是|匹配) (?<pattern>.+?) 的? 文件`,
      findFiles,
    ),
    rule(
      `${FIND} (?:所有|全部)? 的? (?:名为|名叫|叫做|叫|名字是|匹配) (?<pattern>.+?) 的? 文件`,
      findFiles,
    ),
    rule(
      `(?:列出来|列出|列一下|列举|列) (?<path>.*?) ${FOLDER} ${WITHIN} 的? (?:所有|全部)? 的? (?:文件|内容|东西)?(?:列表|名)?`,
      list,
    ),
    rule(
      `${LOOK} (?<path>.*?) (?:目录|文件夹) ${WITHIN} 的? (?:所有|全部)? 的? (?:文件|内容|东西)?(?:列表|名)?`,
      list,
    ),
    rule(
      `${LOOK}? (?<path>.+?) ${FOLDER} ${WITHIN} (?:都)?有(?:些|哪些|什么|啥) (?:什么|哪些)? (?:文件|东西|内容)?`,
      lookInside,
    ),
    rule(
      `(?:把|将) (?<path>.+?) ${INSIDE} 的? (?<all>所有|全部|每个|每一个)? 的? (?<old>.+?) (?<each>全部|全都|都)? ${CHANGE} (?<new>.+)`,
      replace,
    ),
    rule(
      `(?:把|将) (?<all>所有|全部|每个)? 的? (?<old>.+?) (?<each>全部|全都|都)? ${CHANGE} (?<new>.+?) [，,]? [（(]? 在 (?<path>.+?) (?:文件)? ${WITHIN} [）)]?`,
      replace,
    ),
    rule(
      `在 (?<path>.+?) (?:文件)? ${WITHIN} [，,]? (?:把|将) (?<all>所有|全部|每个)? 的? (?<old>.+?) (?<each>全部|全都|都)? ${CHANGE} (?<new>.+)`,
      replace,
    ),
    rule(
      `(?:把|将) (?<text>.+?) (?:写入到|写入|写到|写进|保存到|保存为|存到|存入|存为) (?:文件)? (?<path>.+?) ${INSIDE}?`,
      write,
    ),
    rule(`(?:写入|写) (?<text>.+?) (?:到|进) (?:文件)? (?<path>.+?) ${INSIDE}?`, write),
    rule(`(?:创建|新建|建立|建) (?:一个)? 新? 的? 空 的? (?:文件)? (?<path>.+)`, writeNothing),
    verbatim(
      `(?:创建|新建|建立|建) (?:一个)? 新? 的? (?:文件)? (?:叫做|叫|名为)? (?<path>.+?) (?:文件)? [，,]? (?:并写入|内容写|内容为|内容是|内容|写入|写上|写) [:：]? (?<text>.+)`,
      writeRest,
    ),
    verbatim(
      `(?:向|往|在) (?<path>.+?) (?:文件)? ${WITHIN} (?:写入|写上|写) [:：]? (?<text>.+)`,
      writeRest,
    ),
    rule(
      `(?:在|从|到|去) (?<path>.+?) (?:这个)?(?:目录|文件夹|文件)? ${WITHIN} ${FIND} (?:文字|文本|字符串|关键字|关键词|单词)? (?<text>.+)`,
      search,
    ),
    rule(`${FIND} (?:文字|文本|字符串|关键字|关键词|单词)? (?<text>.+)`, search),
    verbatim(
      `(?:用 (?:bash|shell|终端|命令行) )?(?:运行一下|运行|执行一下|执行|跑一下|跑) (?:命令)? [:：]? (?<command>.+)`,
      run,
    ),
    rule(`${READ} (?:文件)? (?<path>.+?) (?:文件)? (?:(?:里面|里)? ${WHAT})?`, readFiles),
    rule(`${LOOK} (?:文件)? (?<path>.+?) (?:文件)? (?:(?:里面|里|的)? ${WHAT})?`, readCertainFiles),
    rule(`(?<path>.+?) (?:文件)? (?:里面|里|中|的)? ${WHAT}`, readCertainFiles),
  ];
}
