/** The runner's options that take their value as a word of its own. */
const WITH_VALUE = new Set([
  "--test-name-pattern",
  "--test-skip-pattern",
  "--test-concurrency",
  "--test-timeout",
  "--test-shard",
  "--test-isolation",
  "--test-reporter",
  "--test-reporter-destination",
  "--test-coverage-include",
  "--test-coverage-exclude",
  "--test-coverage-branches",
  "--test-coverage-functions",
  "--test-coverage-lines",
  "--import",
  "--require",
  "--conditions",
]);

/** Tells options of node's runner from paths of tests: a word is a path unless it begins with `-` or is an option's value. */
export function splitArguments(args: readonly string[]): { options: string[]; paths: string[] } {
  const options: string[] = [];
  const paths: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (!arg.startsWith("-")) {
      paths.push(arg);
      continue;
    }
    options.push(arg);
    const value = args[at + 1];
    if (WITH_VALUE.has(arg) && value !== undefined) {
      options.push(value);
      at += 1;
    }
  }
  return { options, paths };
}
