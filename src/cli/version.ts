import manifest from "../../package.json" with { type: "json" };

/** The package's version. */
export function version(): string {
  return manifest.version;
}
