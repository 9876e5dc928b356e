// How much a run may use. Limits are checked before each request; only the wall time ends a batch that began.
import type { Clock, LimitsConfig, LimitsUsed } from "./config.ts";
import type { EndReason } from "./events.ts";
import type { Usage } from "./messages.ts";

/** A limit that is reached: the end reason, and a sentence with the figures. */
export interface LimitReached {
  reason: EndReason;
  message: string;
}

/** Counts what a run uses on top of what earlier ones used. */
export class Limits {
  readonly #limits: LimitsConfig;
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #before: LimitsUsed;
  #turns = 0;
  #tokens = 0;
  #costUsd = 0;

  constructor(limits: LimitsConfig | undefined, clock: Clock) {
    this.#limits = limits ?? {};
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
    this.#before = this.#limits.used ?? { turns: 0, timeMs: 0, tokens: 0, costUsd: 0 };
  }

  countTurn(): void {
    this.#turns++;
  }

  /** Adds a response's usage, also that of an attempt that was thrown away. */
  countUsage(usage: Usage | undefined): void {
    if (!usage) return;
    this.#tokens += amount(usage.totalTokens) || amount(usage.input) + amount(usage.output);
    this.#costUsd += amount(usage.cost?.total);
  }

  /** Adds only the cost of what a tool used; its tokens are not the conversation's. */
  countToolUsage(usage: Usage | undefined): void {
    this.#costUsd += amount(usage?.cost?.total);
  }

  used(): LimitsUsed {
    return {
      turns: this.#before.turns + this.#turns,
      timeMs: this.#before.timeMs + (this.#clock.monotonic() - this.#startedAt),
      tokens: this.#before.tokens + this.#tokens,
      costUsd: this.#before.costUsd + this.#costUsd,
    };
  }

  /** Milliseconds until the wall time is used up; undefined if it has no limit. */
  timeLeftMs(): number | undefined {
    const { timeMs } = this.#limits;
    return timeMs === undefined ? undefined : Math.max(0, timeMs - this.used().timeMs);
  }

  /** The limit that forbids another request, if one does. */
  reached(): LimitReached | undefined {
    const { turns, timeMs, tokens, costUsd } = this.#limits;
    const used = this.used();
    if (turns !== undefined && used.turns >= turns) {
      return { reason: "max_turns", message: `The limit of ${turns} turns is reached.` };
    }
    if (timeMs !== undefined && used.timeMs >= timeMs) return this.timeReached();
    if (tokens !== undefined && used.tokens >= tokens) {
      return {
        reason: "max_tokens",
        message: `The limit of ${tokens} tokens is reached (${used.tokens} used).`,
      };
    }
    if (costUsd !== undefined && used.costUsd >= costUsd) {
      return {
        reason: "max_cost",
        message: `The limit of $${costUsd} is reached ($${used.costUsd.toFixed(4)} used).`,
      };
    }
    return undefined;
  }

  timeReached(): LimitReached {
    const seconds = (this.#limits.timeMs ?? 0) / 1000;
    return { reason: "max_time", message: `The limit of ${seconds} s is reached.` };
  }
}

/** What a provider says of its usage is untrusted: only finite, non-negative numbers count. */
function amount(value: number | undefined): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
