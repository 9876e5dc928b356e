// A reporter of node's test runner that prints only the tests skipped for want of a program, one a line.
import type { TestEvent } from "node:test/reporters";

/** A test names the program that it lacks as its skip reason: `needs tmux`. Any other reason is a choice and is let pass. */
export default async function* missingPrograms(
  source: AsyncIterable<TestEvent>,
): AsyncGenerator<string> {
  for await (const event of source) {
    if (event.type !== "test:pass" && event.type !== "test:fail") continue;
    const { name, file, line, skip } = event.data;
    if (typeof skip !== "string" || !skip.startsWith("needs ")) continue;
    yield `${file ?? "?"}:${line ?? 0} ${name}: ${skip}\n`;
  }
}
