// From a text to what it asks for. Whatever is not understood as a whole is not done in part.
import { withoutSentenceEnd } from "./arguments.ts";
import { CHINESE_CLOSING, CHINESE_HELLO, CHINESE_OPENING, chineseRules } from "./chinese.ts";
import { ENGLISH_CLOSING, ENGLISH_HELLO, ENGLISH_OPENING, englishRules } from "./english.ts";
import type { Language, Phrase, PhraseStep } from "./phrase.ts";
import { mask, type Masked } from "./quotes.ts";
import { applyRules, type Found } from "./rules.ts";

/** Bounds of what is looked at as a phrase: characters as written, and without what is quoted. */
const MAX_CHARS = 20_000;
const MAX_BARE_CHARS = 1000;
/** More places than these are not tried as the end of a step, and more actions are not taken on. */
const MAX_SEPARATORS = 24;
const MAX_ACTIONS = 16;

/** What the text asks for; `unknown` if it is not understood whole. Never throws. */
export function parsePhrase(source: string): Phrase {
  const text = source.trim();
  const language = languageOf(text.slice(0, MAX_CHARS));
  if (text.length > MAX_CHARS) return { kind: "unknown", language };
  const masked = withSingleBlanks(mask(text));
  if (masked.text.length > MAX_BARE_CHARS) return { kind: "unknown", language };
  if (ENGLISH_HELLO.test(masked.text)) return { kind: "hello", language: "en" };
  if (CHINESE_HELLO.test(masked.text)) return { kind: "hello", language: "zh" };
  const clauses = new Clauses(masked).from(0);
  const first = clauses?.[0];
  if (!clauses || !first) return { kind: "unknown", language };
  const steps: PhraseStep[] = clauses.map((clause) => clause.actions);
  if (steps.reduce((sum, step) => sum + step.length, 0) > MAX_ACTIONS) {
    return { kind: "unknown", language };
  }
  return { kind: "steps", language: first.language, steps };
}

/** Rows of blanks would let the rules try every way to share them out; outside quotes they mean nothing. */
function withSingleBlanks({ text, pieces }: Masked): Masked {
  return { text: text.replace(/\s+/g, (row) => (row.includes("\n") ? "\n" : " ")), pieces };
}

/** Chinese where it has at least as many Chinese characters as Latin words. */
export function languageOf(text: string): Language {
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0;
  const words = text.match(/[\p{Script=Latin}\p{Nd}]+/gu)?.length ?? 0;
  return han > 0 && han >= words ? "zh" : "en";
}

interface Clause extends Found {
  language: Language;
}

interface Separator {
  start: number;
  end: number;
  /** It can only mean "then", also behind free text. */
  strong: boolean;
}

// `; then` belongs to a shell's `if`.
const STRONG =
  /\s*(?<!;\s*)[,.]?\s+(?:and\s+)?(?:then|after that|afterwards),?\s+|\s*[，,。；;]?\s*(?:然后再|然后|接着再|接着|之后再|之后)\s*[，,]?\s*|\s*\n\s*/giu;
const WEAK =
  /\s*[,;]\s+(?:and\s+)?|\s+and\s+|\s*[，；。]\s*(?:再|并且|并)?\s*|\s*(?:并且|再|并)\s*/giu;

/** Divides a text into clauses, so that each of them can be done. */
class Clauses {
  readonly #masked: Masked;
  readonly #separators: readonly Separator[];
  readonly #known = new Map<number, Clause[] | undefined>();

  constructor(masked: Masked) {
    this.#masked = masked;
    this.#separators = [...separators(masked.text, STRONG), ...separators(masked.text, WEAK)]
      .toSorted((a, b) => a.start - b.start || b.end - a.end)
      .slice(0, MAX_SEPARATORS);
  }

  /** The clauses of the rest of the text, or `undefined` if it cannot be divided so that all is understood. */
  from(start: number): Clause[] | undefined {
    if (!this.#known.has(start)) this.#known.set(start, this.#divide(start));
    return this.#known.get(start);
  }

  #divide(start: number): Clause[] | undefined {
    const { text } = this.#masked;
    for (const separator of this.#separators) {
      if (separator.start <= start || separator.end >= text.length) continue;
      const left = this.#clause(text.slice(start, separator.start));
      if (!left || (left.openEnded && !separator.strong)) continue;
      const right = this.from(separator.end);
      if (right) return [left, ...right];
    }
    const whole = this.#clause(text.slice(start));
    return whole && [whole];
  }

  #clause(text: string): Clause | undefined {
    const english = text.trim().replace(ENGLISH_OPENING, "");
    const chinese = text.trim().replace(CHINESE_OPENING, "");
    return (
      this.#read(english, "en") ??
      this.#read(english.replace(ENGLISH_CLOSING, ""), "en") ??
      this.#read(chinese, "zh") ??
      this.#read(chinese.replace(CHINESE_CLOSING, ""), "zh")
    );
  }

  #read(whole: string, language: Language): Clause | undefined {
    const rules = language === "en" ? englishRules() : chineseRules();
    const clause = { whole, bare: withoutSentenceEnd(whole) };
    const found = applyRules(rules, clause, this.#masked);
    return found && { ...found, language };
  }
}

function separators(text: string, pattern: RegExp): Separator[] {
  return Array.from(text.matchAll(pattern), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
    strong: pattern === STRONG,
  }));
}
