// Builds dist/: the library's two entries and the command, with the notices of what they carry, and looks at the package
// as one who installs it would.
import { accessSync, constants, readFileSync, writeFileSync } from "node:fs";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { build } from "tsdown";
import { noticesText, packagesOf } from "./third-party-notices.ts";

const { bundles } = await build({ logLevel: "warn", failOnWarn: true }).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
const chunks = bundles.flatMap((bundle) => bundle.chunks);
const modules = chunks.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
writeFileSync("THIRD-PARTY-NOTICES", noticesText(packagesOf(modules)));

const problems = [...(await packageProblems()), ...commandProblems()];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
const size = chunks.reduce((sum, chunk) => sum + sizeOf(chunk), 0);
console.log(`dist/ holds ${chunks.length} files, ${Math.ceil(size / 1024)} KB`);

async function packageProblems(): Promise<string[]> {
  const pkg = JSON.parse(readFileSync("package.json", "utf8")) as Record<string, unknown>;
  const { messages } = await publint({ level: "suggestion", strict: true, pack: "npm" });
  return messages.map((message) => `package.json: ${formatMessage(message, pkg) ?? message.code}`);
}

function commandProblems(): string[] {
  const path = "dist/bin.js";
  if (!readFileSync(path, "utf8").startsWith("#!/usr/bin/env node\n"))
    return [`${path} lost its first line`];
  try {
    accessSync(path, constants.X_OK);
    return [];
  } catch {
    return [`${path} is not executable`];
  }
}

function sizeOf(chunk: (typeof chunks)[number]): number {
  return Buffer.byteLength(chunk.type === "chunk" ? chunk.code : chunk.source);
}
