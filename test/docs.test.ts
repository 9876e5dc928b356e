// The documents name files, functions and tools: they must be there.
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { test } from "node:test";

const pages = [
  "README.md",
  "README.zh-CN.md",
  "AGENTS.md",
  "CHANGELOG.md",
  ...globSync("docs/**/*.md"),
];

test("every link of the documents leads to a file", () => {
  const broken = pages.flatMap((page) => {
    const text = readFileSync(page, "utf8");
    return [...text.matchAll(/\]\(([^)#]+?)(?:#[^)]*)?\)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => !existsSync(posix.join(posix.dirname(page), target)))
      .map((target) => `${page}: ${target}`);
  });
  assert.deepEqual(broken, []);
});

test("the chain of one call names files and functions that are there", () => {
  const text = readFileSync("docs/loop.md", "utf8");
  const rows = [...text.matchAll(/^\| [^|]+ \| `(src\/[^`]+)` \| `([^`]+)` \|$/gm)];
  assert.ok(rows.length >= 12, `${rows.length} rows`);
  for (const [, file = "", name = ""] of rows) {
    const source = readFileSync(file, "utf8");
    const defined = new RegExp(`(?:function|async|^ {2})\\s*${name}\\s*[(<]`, "m");
    assert.match(source, defined, `${name} in ${file}`);
  }
});

test("the loop's page has its three figures", () => {
  const text = readFileSync("docs/loop.md", "utf8");
  assert.equal(text.match(/^```mermaid$/gm)?.length, 3);
});

test("the map in AGENTS.md names files and folders that are there", () => {
  const text = readFileSync("AGENTS.md", "utf8");
  const rows = [...text.matchAll(/^\| [^|]+ \| ([^|]*`src\/[^|]+) \|$/gm)].flatMap(
    ([, cell = ""]) => [...cell.matchAll(/`(src\/[^`]+)`/g)],
  );
  assert.ok(rows.length >= 8, `${rows.length} places`);
  for (const [, place = ""] of rows) {
    if (!place.includes("<")) assert.ok(existsSync(place), place);
  }
});

test("the first page stays short, and so does the map", () => {
  assert.ok(readFileSync("README.md", "utf8").split("\n").length <= 200);
  assert.ok(readFileSync("AGENTS.md", "utf8").split("\n").length <= 120);
});
