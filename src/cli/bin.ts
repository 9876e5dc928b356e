#!/usr/bin/env node
// The command's front door. No static imports: on an old node it must still be able to say what it needs.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `errand needs Node.js 22.19 or newer, this is ${process.versions.node}. Install a newer one and try again.\n`,
  );
  process.exit(2);
}
if (process.platform === "win32") {
  process.stderr.write("errand does not run on Windows itself: use it inside WSL.\n");
  process.exit(2);
}
const { enableCompileCache } = await import("node:module");
enableCompileCache?.();
const { main } = await import("./main.ts");
await main();

export {};
