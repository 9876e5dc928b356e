// What a session plugs into its tools. A tool made bare, `createReadTool(workspace)`, has none of it.
import type { Redactor } from "../lib/text/redact.ts";

export interface ToolPlugs {
  /** Makes the folder for outputs that are too long to show, when the first one comes; a private temporary one if left out. */
  readonly spillFolder?: () => string;
  /** Hides secrets in what is kept outside of a result, as they are known at that moment; nothing is hidden if left out. */
  readonly redact?: () => Redactor;
  /** The encoding of programs' texts that are no UTF-8, as `TextDecoder` names it; told by the bytes alone if left out. */
  readonly codePage?: string;
}
