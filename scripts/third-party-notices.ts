// What the package carries of other people's work, with their licences: written at each build from what was bundled.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The folders of the packages that these modules (absolute paths) belong to, sorted. */
export function packagesOf(moduleIds: Iterable<string>): string[] {
  const folders = new Set<string>();
  for (const id of moduleIds) {
    const folder = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1];
    // Virtual modules of the bundler begin with a NUL.
    if (folder !== undefined) folders.add(folder.replace(/^\0/, ""));
  }
  return [...folders].toSorted();
}

/** The text of the notices. Throws for a package that names no licence or ships no text of it. */
export function noticesText(folders: readonly string[]): string {
  const head =
    "Errand's package bundles code of the packages below. Each stands under its own licence.\n";
  return [head, ...folders.map(noticeOf)].join(`\n${"-".repeat(80)}\n\n`);
}

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  ) as Record<string, unknown>;
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)\b/i.test(entry));
  if (typeof license !== "string" || file === undefined) {
    throw new Error(
      `${folder} is bundled, but says no licence or ships no text of it: leave it out, or ask its authors.`,
    );
  }
  const text = readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim();
  return `${String(name)} ${String(version)} (${license})\n\n${text}\n`;
}
