// The scripts behind `npm test` and `npm run build`, run as npm runs them.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { MUTANTS } from "../scripts/broken-rules.ts";
import { splitArguments } from "../scripts/test-arguments.ts";
import { noticesText, packagesOf } from "../scripts/third-party-notices.ts";

const folder = mkdtempSync(join(tmpdir(), "errand-scripts-"));
after(() => rmSync(folder, { recursive: true }));

function written(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
  return path;
}

function run(args: readonly string[], env: Record<string, string> = {}) {
  // Inside a test, node's runner would take the new one for its own child.
  const { NODE_TEST_CONTEXT: _, CI: __, ...outer } = process.env;
  return spawnSync(process.execPath, args, { encoding: "utf8", env: { ...outer, ...env } });
}

describe("npm test", () => {
  const passing = written("passing.test.ts", 'import "node:test";\n');
  const failing = written(
    "failing.test.ts",
    'import { test } from "node:test"; test("goes wrong", () => { throw new Error("so"); });\n',
  );
  const lacking = written(
    "lacking.test.ts",
    'import { test } from "node:test"; test("shows a screen", { skip: "needs screen" }, () => {});\n',
  );

  test("runs just the named file, and its summary comes last", () => {
    const { stdout, status } = run(["scripts/test.ts", passing]);
    assert.equal(status, 0);
    assert.match(stdout, /ℹ tests 1\n[\s\S]*ℹ fail 0\n[\s\S]*ℹ duration_ms [\d.]+\n$/);
  });

  test("keeps the exit code of a failure", () => {
    const { stdout, status } = run(["scripts/test.ts", failing, passing]);
    assert.equal(status, 1);
    assert.match(stdout, /ℹ fail 1\n/);
  });

  test("runs the tests of a named folder", () => {
    const { stdout, status } = run(["scripts/test.ts", folder]);
    assert.equal(status, 1);
    assert.match(stdout, /ℹ tests 3\n/);
  });

  test("names a file that is not there, and runs nothing", () => {
    const { stdout, stderr, status } = run(["scripts/test.ts", passing, "src/nothing.ts"]);
    assert.equal(status, 2);
    assert.equal(stderr, "There is no test file src/nothing.ts.\n");
    assert.equal(stdout, "");
  });

  test("lets a test pass whose program is missing, but not in CI", () => {
    assert.equal(run(["scripts/test.ts", lacking]).status, 0);
    assert.equal(run(["scripts/test.ts", lacking], { CI: "false" }).status, 0);
    const { stderr, status } = run(["scripts/test.ts", lacking], { CI: "true" });
    assert.equal(status, 2);
    assert.match(
      stderr,
      /which CI must have:\n.*lacking\.test\.ts:1 shows a screen: needs screen\n/,
    );
  });

  test("takes a reporter of the caller's in place of its own", () => {
    for (const option of [["--test-reporter", "tap"], ["--test-reporter=tap"]]) {
      const { stdout, status } = run(["scripts/test.ts", ...option, passing]);
      assert.equal(status, 0);
      assert.match(stdout, /^TAP version 13\n[\s\S]*\n# fail 0\n[^ℹ]*$/);
    }
  });

  test("tells a path from the value of an option", () => {
    assert.deepEqual(
      splitArguments(["--test-name-pattern", "tool", "a.test.ts", "--test-only", "src/core"]),
      { options: ["--test-name-pattern", "tool", "--test-only"], paths: ["a.test.ts", "src/core"] },
    );
    assert.deepEqual(splitArguments(["--test-name-pattern"]), {
      options: ["--test-name-pattern"],
      paths: [],
    });
  });
});

describe("an older node", () => {
  const preload = (version: string) =>
    run([
      "--eval",
      `Object.defineProperty(process.versions, "node", { value: "${version}" });
       require("./scripts/require-node.cjs"); console.log("went on");`,
    ]);

  for (const version of ["18.19.0", "20.20.2", "22.18.9"]) {
    test(`gets one line for ${version}`, () => {
      const { stdout, stderr, status } = preload(version);
      assert.deepEqual([stdout, status], ["", 2]);
      assert.match(stderr, new RegExp(`^[^\n]*22\\.19[^\n]*${version}[^\n]*npm ci[^\n]*\n$`));
    });
  }

  for (const version of ["22.19.0", "24.0.0", "100.1.0"]) {
    test(`is not what ${version} is`, () => {
      assert.equal(preload(version).stdout, "went on\n");
    });
  }
});

describe("the notices", () => {
  const packageIn = (name: string, licence: string | undefined, file: string): string => {
    written(
      `node_modules/${name}/package.json`,
      JSON.stringify({ name, version: "1.2.3", license: licence }),
    );
    written(`node_modules/${name}/${file}`, "Do as you like.\r\n");
    return join(folder, "node_modules", name);
  };

  test("find the package of each module once, also a scoped and a nested one", () => {
    assert.deepEqual(
      packagesOf([
        "/a/src/x.ts",
        "/a/node_modules/b/lib/x.js",
        "/a/node_modules/b/lib/y.js",
        "/a/node_modules/@c/d/x.js",
        "/a/node_modules/b/node_modules/e/x.js",
        "\0/a/node_modules/f/x.js?virtual",
        "\0rolldown/runtime.js",
      ]),
      [
        "/a/node_modules/@c/d",
        "/a/node_modules/b",
        "/a/node_modules/b/node_modules/e",
        "/a/node_modules/f",
      ],
    );
  });

  test("say name, version, licence and its text", () => {
    assert.match(
      noticesText([packageIn("good", "MIT", "LICENSE-MIT")]),
      /\n\ngood 1\.2\.3 \(MIT\)\n\nDo as you like\.\n$/,
    );
  });

  test("are refused for a package without a licence, or without a text of it", () => {
    assert.throws(
      () => noticesText([packageIn("silent", undefined, "LICENSE")]),
      /silent.*licence/,
    );
    assert.throws(() => noticesText([packageIn("bare", "MIT", "README.md")]), /bare.*licence/);
  });
});

describe("the broken rules of `npm run test:long`", () => {
  for (const { rule, file, from, test: noticing } of MUTANTS) {
    test(`find the line that they break once: ${rule}`, () => {
      const places = readFileSync(file, "utf8").split(from).length - 1;
      assert.equal(places, 1, `${file} has moved on: mend scripts/broken-rules.ts`);
      assert.ok(existsSync(noticing), noticing);
    });
  }
});
