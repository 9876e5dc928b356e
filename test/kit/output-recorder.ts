// A mode's output, kept as text; its reader can be made slow.
import type { OutputPort } from "../../src/modes/output.ts";

export interface RecordedOutput {
  port: OutputPort;
  /** What was written so far. */
  out(): string;
  err(): string;
  /** How many writes reached stdout. */
  writes(): number;
  /** From now on stdout's reader is behind, until the function that is given back is called. */
  stall(): () => void;
}

/** Nothing of it is a terminal unless `changes` say so. */
export function recordOutput(changes: Partial<OutputPort> = {}): RecordedOutput {
  let out = "";
  let err = "";
  let writes = 0;
  let stalled: PromiseWithResolvers<void> | undefined;
  const port: OutputPort = {
    out: (text) => {
      out += text;
      writes++;
      return stalled?.promise;
    },
    err: (text) => void (err += text),
    outIsTerminal: false,
    errIsTerminal: false,
    colours: false,
    ...changes,
  };
  return {
    port,
    out: () => out,
    err: () => err,
    writes: () => writes,
    stall: () => {
      const waiting = Promise.withResolvers<void>();
      stalled = waiting;
      return () => {
        stalled = undefined;
        waiting.resolve();
      };
    },
  };
}
