import type { Model } from "../../src/core/messages.ts";

/** A model behind the given address, with prices and thinking. */
export function anthropicModel(baseUrl: string, changes: Partial<Model> = {}): Model {
  return {
    id: "claude-test",
    name: "Claude Test",
    api: "anthropic-messages",
    provider: "anthropic",
    baseUrl,
    reasoning: true,
    input: ["text", "image"],
    cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    contextWindow: 200_000,
    maxTokens: 32_000,
    ...changes,
  };
}
