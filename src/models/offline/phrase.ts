// What a prompt asks for: steps, one after another, each of actions that go together.

/** The languages that the offline model speaks. */
export type Language = "en" | "zh";

/** One thing to do. Paths, texts and commands are as the user wrote them. */
export type Action =
  | { do: "read"; path: string }
  /** The first `lines` lines of a file. */
  | { do: "start"; path: string; lines: number }
  | { do: "list"; path: string }
  | { do: "search"; text: string; path: string }
  | { do: "findFiles"; pattern: string; path: string }
  | { do: "run"; command: string }
  | { do: "replace"; oldText: string; newText: string; path: string; all: boolean }
  | { do: "write"; path: string; content: string };

/** Actions of one message: they run side by side where the loop lets them. */
export type PhraseStep = readonly Action[];

export type Phrase =
  | { kind: "steps"; language: Language; steps: readonly PhraseStep[] }
  | { kind: "hello"; language: Language }
  /** Something with effects stands in a text that may not be the user's own words. */
  | { kind: "unsure"; language: Language; actions: readonly Action[] }
  | { kind: "unknown"; language: Language };

/** Whether an action may change something. */
export function hasEffect(action: Action): boolean {
  return action.do === "run" || action.do === "replace" || action.do === "write";
}
