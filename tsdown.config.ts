import { defineConfig } from "tsdown";

const shared = {
  format: "esm" as const,
  platform: "node" as const,
  target: "node22",
  outDir: "dist",
  fixedExtension: false,
};
const RIPGREP = "@vscode/ripgrep";

export default defineConfig([
  {
    ...shared,
    entry: { index: "src/index.ts", testing: "src/testing/index.ts" },
    dts: true,
    treeshake: { moduleSideEffects: [{ external: true, sideEffects: false }] },
    clean: true,
    // The root exports the validator itself; only the command can put off loading it.
    suppressWarnings: [/check-arguments\.ts is dynamically imported/],
    deps: {
      // What a user of the library has too, so that schemas are the same objects.
      neverBundle: ["typebox", /^typebox\//, RIPGREP],
      // Its types are CommonJS, which cannot be bundled; none of ours show them.
      dts: { neverBundle: ["typebox", /^typebox\//, "ignore"] },
      onlyBundle: false,
      onlyImport: ["typebox", RIPGREP],
    },
  },
  {
    ...shared,
    entry: { bin: "src/cli/bin.ts" },
    dts: false,
    clean: false,
    minify: true,
    deps: {
      neverBundle: [RIPGREP],
      alwaysBundle: ["typebox", /^typebox\//],
      onlyBundle: false,
      onlyImport: [RIPGREP],
    },
    outputOptions: { chunkFileNames: "cli/[name]-[hash].js" },
  },
]);
