#!/usr/bin/env node
// The command's front door. An old node must be able to read this file and say what it needs: no static imports, no
// top-level await, no newer syntax.
const parts = process.versions.node.split(".");
const major = Number(parts[0]);
const minor = Number(parts[1]);
if (major < 22 || (major === 22 && minor < 19)) {
  leave(
    2,
    `errand needs Node.js 22.19 or newer, this is ${process.versions.node}. Install a newer one and try again.`,
  );
}
if (process.platform === "win32") {
  leave(2, "errand does not run on Windows itself: use it inside WSL.");
}
process.getBuiltinModule("node:module").enableCompileCache();
import("./main.ts").then(
  (loaded) => loaded.main(),
  (error) => {
    const text = error instanceof Error ? error.stack : String(error);
    leave(70, `errand: its own files cannot be loaded, please install it again.\n${text}`);
  },
);

function leave(code: number, text: string): never {
  process.stderr.write(`${text}\n`);
  process.exit(code);
}

export {};
