// How much a model shall think, in the two ways that the Messages API knows.
import type { StreamOptions } from "../../core/events.ts";

type Level = NonNullable<StreamOptions["reasoning"]>;

/** What a request says about thinking. */
export interface ThinkingConfig {
  thinking?:
    | { type: "enabled"; budget_tokens: number }
    | { type: "adaptive"; display?: "summarized" };
  output_config?: { effort: string };
  /** A temperature may stand beside it. */
  takesTemperature: boolean;
}

const BUDGETS: Readonly<Record<Level, number>> = {
  minimal: 1024,
  low: 4096,
  medium: 10_240,
  high: 20_480,
  xhigh: 32_768,
};
/** The API refuses a smaller budget. */
const SMALLEST_BUDGET = 1024;
/** The first version that thinks by an effort. */
const ADAPTIVE_BEGINS = 406;
/** The first version that refuses a temperature. */
const SAMPLING_ENDS = 407;

export interface ThinkingWish {
  reasoning: Level | undefined;
  maxTokens: number;
  /** False where a budget would be refused: inside a run of calls that was begun without thinking. */
  mayThink: boolean;
}

/**
 * Newer models think adaptively, by an effort, and refuse a budget; older ones, and other vendors' models behind the
 * same API, take a budget, which must stay below `maxTokens`.
 * https://docs.claude.com/en/docs/build-with-claude/adaptive-thinking
 */
export function thinkingConfig(
  modelId: string,
  { reasoning, maxTokens, mayThink }: ThinkingWish,
): ThinkingConfig {
  const version = claudeVersion(modelId);
  const takesTemperature = version === undefined || version < SAMPLING_ENDS;
  if (reasoning === undefined || !Object.hasOwn(BUDGETS, reasoning)) return { takesTemperature };
  if (version !== undefined && version >= ADAPTIVE_BEGINS) {
    return {
      // Later ones leave the text of their thinking out unless it is asked for.
      thinking: { type: "adaptive", ...(takesTemperature ? {} : { display: "summarized" }) },
      output_config: { effort: effortOf(reasoning, version) },
      takesTemperature: false,
    };
  }
  // As much as it thinks is left for the answer, where the maximum is small.
  const most = Math.max(SMALLEST_BUDGET, Math.floor(maxTokens / 2));
  const budget = Math.min(BUDGETS[reasoning], most);
  if (!mayThink || budget >= maxTokens) return { takesTemperature };
  return { thinking: { type: "enabled", budget_tokens: budget }, takesTemperature: false };
}

function effortOf(reasoning: Level, version: number): string {
  if (reasoning === "minimal") return "low";
  return reasoning === "xhigh" && version < SAMPLING_ENDS ? "high" : reasoning;
}

/** `claude-opus-4-6` → 406, `claude-sonnet-5` → 500, `claude-3-5-haiku-…` → 305; undefined for other vendors' ids. */
function claudeVersion(modelId: string): number | undefined {
  const [, major, minor] =
    /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(modelId) ?? [];
  return major === undefined ? undefined : Number(major) * 100 + Number(minor ?? 0);
}
