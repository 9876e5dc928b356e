// What the offline model is called and can take.
import type { Model } from "../../core/messages.ts";

/** A rule-based stand-in that needs no key, no network and no money; `streamOffline` speaks for it. */
export const offlineModel: Model = {
  id: "offline",
  name: "Offline model (rule-based stand-in)",
  api: "offline",
  provider: "offline",
  baseUrl: "",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  // So large that no conversation is ever summarised by a model that cannot summarise.
  contextWindow: 100_000_000,
  maxTokens: 1_000_000,
};
