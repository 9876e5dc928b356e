import { defineConfig } from "tsdown";

const shared = {
  format: "esm" as const,
  platform: "node" as const,
  target: "node22",
  outDir: "dist",
  fixedExtension: false,
};

export default defineConfig([
  {
    ...shared,
    entry: { index: "src/index.ts", testing: "src/testing/index.ts" },
    dts: true,
    clean: true,
    // What a user of the library has too, so that schemas are the same objects.
    deps: { neverBundle: ["typebox", /^typebox\//, "@vscode/ripgrep"] },
  },
  {
    ...shared,
    entry: { bin: "src/cli/bin.ts" },
    dts: false,
    clean: false,
    minify: true,
    deps: { neverBundle: ["@vscode/ripgrep"], alwaysBundle: ["typebox", /^typebox\//] },
    outputOptions: { chunkFileNames: "cli/[name]-[hash].js" },
  },
]);
