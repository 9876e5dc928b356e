// The process's own streams as a mode's port.
import { isatty } from "node:tty";
import type { OutputPort } from "../modes/output.ts";
import { hasColours } from "./colours.ts";

/** stdout and stderr of this process. */
export function processOutput(): OutputPort {
  const errIsTerminal = isatty(2);
  return {
    out: (text) => (process.stdout.write(text) ? undefined : wantsMore(process.stdout)),
    err: (text) => void process.stderr.write(text),
    outIsTerminal: isatty(1),
    errIsTerminal,
    colours: hasColours(process.env, errIsTerminal),
  };
}

function wantsMore(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed) return resolve();
    const settle = (): void => {
      stream.off("drain", settle);
      stream.off("error", settle);
      stream.off("close", settle);
      resolve();
    };
    stream.on("drain", settle);
    stream.on("error", settle);
    stream.on("close", settle);
  });
}
