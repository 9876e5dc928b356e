// What the offline model understands in English.
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
export const ENGLISH_OPENING: RegExp =
  /^(?:(?:please|pls|hey|hi|hello|ok|okay|now|first(?!,? (?:line|few|\d|one|two|three|couple))|just|then|and)\b[,!]?\s+|(?:can|could|would|will) you (?:please )?|i(?:'d| would) like you to |i (?:want|need) you to |let'?s )+/i;

/** Polite words behind it. */
export const ENGLISH_CLOSING: RegExp = /[,\s]+(?:please|pls|for me|thanks|thank you)[\s.!?]*$/i;

export const ENGLISH_HELLO: RegExp =
  /^(?:hello|hi|hey|hello there|hi there|good (?:morning|evening|afternoon|day)|help|help me|\/help|what can you do|who are you|what are you|how does (?:this|it) work)?[\s!.?]*$/i;

const SHOW =
  "(?:read|show me|show|print|display|look at|take a look at|see|tell me|what is|what are)";
const START = "(?:very )?(?:start|beginning|top|head)";
const NUMBER =
  "(?<lines>\\d+|one|two|three|four|five|six|seven|eight|nine|ten|few|couple of|several)";
const ALL = "(?:(?<all>all|every|each)\\s+(?:(?:the|occurrences? of|of the)\\s+)*)?";

function rule(source: string, make: Rule["make"]): Rule {
  return { pattern: new RegExp(`^${source}$`, "is"), make };
}

function verbatim(source: string, make: Rule["make"]): Rule {
  return { ...rule(source, make), verbatim: true };
}

/** The rules, the most special first. Built on first use: a program that never speaks to this model pays nothing. */
export function englishRules(): readonly Rule[] {
  rules ??= buildRules();
  return rules;
}

let rules: readonly Rule[] | undefined;

function buildRules(): Rule[] {
  return [
    rule(
      `what (?:does|do) (?<path>.+?) (?:say|contain|have|show) (?:at|in) (?:the|its) ${START}`,
      startOfFile,
    ),
    rule(
      `(?:what (?:does|do)|how (?:does|do)) (?<path>.+?) (?:start|begin)(?: with)?`,
      startOfFile,
    ),
    rule(`what(?:['’]s| is| stands) (?:written )?at the ${START} of (?<path>.+)`, startOfFile),
    rule(
      `(?:${SHOW} )?(?:the )?first (?:${NUMBER}\\s+)?lines? (?:of|in|from) (?<path>.+)`,
      startOfFile,
    ),
    rule(`(?:${SHOW} )?the ${START} of (?<path>.+)`, startOfFile),
    rule(
      `(?:find|list|show|search for|look for) (?:me )?(?:all )?(?:the )?files? (?:named|called|matching|like|that match) (?<pattern>.+?)(?: (?:in|inside|under) (?<path>.+))?`,
      findFiles,
    ),
    rule(
      `(?:list|show(?: me)?|display|see) (?:me )?(?:all )?(?:of )?(?:the )?(?:files|everything|entries|folders|files and folders)(?: (?:in|of|inside|under|from|at))?(?: (?<path>.+))?`,
      list,
    ),
    rule(
      `(?:list|show(?: me)?|display|print|see) (?:me )?(?:all )?(?:of )?(?:the )?contents? (?:in|of|inside|under) (?<path>.+)`,
      lookInside,
    ),
    rule(`(?:list|ls|dir)(?: (?!-)(?<path>.+))?`, list),
    rule(
      `(?:what|which) files? (?:are|do i have|exist|is)(?: there)?(?: (?:in|inside|under))?(?: (?<path>.+))?`,
      list,
    ),
    rule(`what(?:['’]s| is) (?:in|inside) (?<path>.+)`, lookInside),
    rule(`what (?:does|do) (?<path>.+) (?:say|contain)`, readCertainFiles),
    ...changingRules(),
    rule(`search (?:in |through )?(?!for )(?<path>.+?) for (?<text>.+)`, search),
    rule(
      `(?:find|search for|search|grep for|grep|look for) (?:the (?:text|word|words|string) )?(?<text>.+) (?:in|inside|under|within) (?<path>.+)`,
      search,
    ),
    rule(
      `(?:find|search for|search|grep for|grep|look for) (?:the (?:text|word|words|string) )?(?<text>.+)`,
      search,
    ),
    rule(
      `where (?:is|are) (?<text>.+?)(?: (?:used|defined|mentioned|found))?(?: (?:in|inside|under) (?<path>.+))?`,
      search,
    ),
    verbatim(
      `(?:run|execute|exec)(?: the)?(?: shell)? command:? (?<command>.+?)(?:,? please)?`,
      run,
    ),
    verbatim(
      `(?:use (?:bash|the shell|the terminal) to )?(?:run|execute|exec):? (?<command>.+?)(?:,? please)?`,
      run,
    ),
    verbatim(`[$!] ?(?<command>.+)`, run),
    rule(`(?:read|cat)(?: me)?(?: the)?(?: contents? of)? (?<path>.+)`, readFiles),
    rule(`(?:${SHOW}|open|view|check)(?: the contents? of)? (?<path>.+)`, readCertainFiles),
  ];
}

function changingRules(): Rule[] {
  return [
    rule(`in (?<path>.+?)[,:]? replace ${ALL}(?<old>.+?) (?:with|by) (?<new>.+)`, replace),
    rule(`in (?<path>.+?)[,:]? change ${ALL}(?<old>.+?) (?:to|into) (?<new>.+)`, replace),
    rule(
      `replace ${ALL}(?<old>.+?) (?:with|by) (?<new>.+) (?:in|inside|within) (?<path>.+?)(?<each> everywhere)?`,
      replace,
    ),
    rule(
      `change ${ALL}(?<old>.+?) (?:to|into) (?<new>.+) (?:in|inside|within) (?<path>.+?)(?<each> everywhere)?`,
      replace,
    ),
    rule(`write (?:(?:the )?(?:text|words?|line) )?(?<text>.+) (?:to|into|in) (?<path>.+)`, write),
    rule(
      `(?:save|put) (?:(?:the )?(?:text|words?|line) )?(?<text>.+) (?:to|into|in|as) (?<path>.+)`,
      write,
    ),
    rule(`(?:create|make) (?:an? )?(?:new )?empty (?<path>file .+)`, writeNothing),
    verbatim(
      `(?:create|make|write) (?:an? (?:new )?|the )?(?<path>(?:file )?.+?),? (?:with|containing|that says|that contains) (?:(?:the )?(?:text|contents?|lines?|words?)(?: of)?:? )?(?<text>.+)`,
      writeRest,
    ),
  ];
}
