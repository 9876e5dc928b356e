// What stands for a file, a folder, a text or a command in a phrase, and what does not.
import { type Masked, quotedValue, unmask, valueOf } from "./quotes.ts";

const HERE =
  /^(?:\.\/?|here|there|(?:in |the )?(?:this|current|working|the current|the working) (?:folder|directory|dir)|(?:当前|这个|这|此|本)(?:目录|文件夹)?|这里|这儿|此处)$/i;

/** Words that are no file, though they stand where one would. */
const NO_FILE =
  /^(?:this|that|these|those|it|them|me|my|us|everything|anything|something|nothing|all|code|how|what|why|please|pls|thanks|file|files|folder|disk|这个|那个|它|我|文件|代码|一下)$/i;

/** Characters. */
const MAX_PATH = 1000;

const SENTENCE_END = /[,;:!?，。；：！？、…]+$/u;

/** Without the punctuation that ends a sentence; a dot that belongs to a path stays. */
export function withoutSentenceEnd(text: string): string {
  const trimmed = text.trim().replace(SENTENCE_END, "").trimEnd();
  return /[^\s./\\]\.+$/.test(trimmed) ? trimmed.replace(/\.+$/, "") : trimmed;
}

/** A file's path, or `undefined` if this reads like anything but one. Names with spaces need an ending or quotes. */
export function filePath(text: string, masked: Masked): string | undefined {
  const bare = withoutSentenceEnd(text);
  const quoted = quotedValue(bare, masked);
  if (quoted !== undefined) return quoted === "" ? undefined : quoted;
  const named =
    /^(?:the |a )?file (?:called |named )?(.+)$/i.exec(bare)?.[1] ?? bare.replace(/^the /i, "");
  const inside = quotedValue(named, masked);
  if (inside) return inside;
  const path = unmask(named.trim(), masked);
  if (path === "" || path.length > MAX_PATH || path.includes("\n")) return undefined;
  if (NO_FILE.test(path) || /^an? /i.test(path)) return undefined;
  return looksLikePath(path) ? path : undefined;
}

function looksLikePath(path: string): boolean {
  if (/\s/.test(path)) return /\.[\p{L}\p{N}_-]{1,10}$/u.test(path);
  // A Chinese sentence has no spaces either.
  return !/\p{Script=Han}/u.test(path) || /[./\\]/.test(path);
}

/** A file's path that cannot be taken for an ordinary word: for what changes files. */
export function certainFilePath(text: string, masked: Masked): string | undefined {
  const path = filePath(text, masked);
  if (path === undefined || quotedValue(withoutSentenceEnd(text), masked) !== undefined)
    return path;
  const named = /^(?:the |a )?file /i.test(text.trim());
  const words = path.split(/\s+/).length;
  if (/^[^\s]*[./\\][^\s]*$/.test(path) || /^[A-Z][A-Za-z]*file$|^[A-Z]{4,}$/.test(path))
    return path;
  if (words > 1 && words <= 4 && /\.[A-Za-z0-9]{1,8}$/.test(path)) return path;
  return named && words === 1 ? path : undefined;
}

/** A folder's path; nothing, `here` and the like are `.`. `undefined` if this reads like anything but one. */
export function folderPath(text: string, masked: Masked): string | undefined {
  const bare = withoutSentenceEnd(text);
  if (bare === "" || HERE.test(bare)) return ".";
  const named = bare
    .replace(/^(?:the |a )?(?:folder|directory|dir) (?:called |named )?/i, "")
    .replace(/\s+(?:folder|directory|dir)$/i, "")
    .replace(/\s*(?:目录|文件夹)$/, "");
  if (named === "" || HERE.test(named)) return ".";
  return filePath(named, masked) ?? (/^\p{Script=Han}{1,10}$/u.test(named) ? named : undefined);
}

/** A command line, as it was written; one that is wholly quoted without its quotes. `undefined` for ordinary words. */
export function commandLine(text: string, masked: Masked): string | undefined {
  const bare = text
    .trim()
    .replace(/[。；！？，]+$/u, "")
    .trimEnd();
  const quoted = quotedValue(bare, masked) ?? quotedValue(bare.replace(/[.!?]+$/, ""), masked);
  if (quoted !== undefined) return quoted.trim() === "" ? undefined : quoted.trim();
  const command = unmask(bare, masked).replace(/(?<=[\w)])[.?]$/, "");
  // Lines lose their indentation outside quotes.
  if (!/^[\x21-\x7e]/.test(command) || command.includes("\n")) return undefined;
  return /^(?:the|my|all|a|an|any|some|this|that|these|those|it|them|your|our)\b(?![./-])/i.test(
    command,
  )
    ? undefined
    : command;
}

/** A text to write. What reads like a wish for a text ("a poem") is none, unless it is quoted. */
export function contentText(text: string, masked: Masked): string | undefined {
  const quoted = quotedValue(text, masked);
  if (quoted !== undefined) return quoted;
  const content = unmask(text.trim(), masked);
  const wish =
    /^(?:a|an|the|some|my|your|more|about|code|tests?)\s/i.test(content) ||
    /^(?:一|几|两|三)\s*(?:个|首|篇|段|份|封|些|条|句|下)/.test(content);
  return content === "" || content.includes("\n") || wish ? undefined : content;
}

/** Several files or folders: "a.txt, b.txt and c.txt", "a.txt 和 b.txt". `undefined` if one of them is none. */
export function pathList(
  text: string,
  masked: Masked,
  read: (text: string, masked: Masked) => string | undefined,
): string[] | undefined {
  const parts = text.split(BETWEEN_PATHS).map((part) => read(part, masked));
  if (parts.length > MAX_PATHS) return undefined;
  const paths = parts.filter((path) => path !== undefined);
  return paths.length === parts.length ? [...new Set(paths)] : undefined;
}

const MAX_PATHS = 16;

// Without spaces around it, 和 may be a part of a name: it divides only behind an ending, a slash, a quoted name or the
// word for a folder, and between Latin letters.
const BETWEEN_PATHS =
  /\s*[,，]\s*(?:and\s+)?|\s+and\s+|\s+&\s+|\s*、\s*|(?:\s+|(?<=\.[A-Za-z0-9]{1,8}|[/\uE000-\uF8FF]|目录|文件夹|这里))(?:和|与|跟|以及|还有)\s*|(?<=[A-Za-z0-9])(?:和|与|跟)(?=[A-Za-z0-9])/iu;

/** A text to look for or to put in another's place. */
export function plainText(text: string, masked: Masked): string | undefined {
  const value = valueOf(text, masked);
  return value === "" && quotedValue(text, masked) === undefined ? undefined : value;
}
