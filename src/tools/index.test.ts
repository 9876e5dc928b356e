import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createMemoryWorkspace } from "../workspace/memory.ts";
import { createTools, toolDefinitions, toolTable } from "./index.ts";

const workspace = createMemoryWorkspace();

describe("the table of tools", () => {
  for (const row of toolTable) {
    test(`says of ${row.name} what the tool itself says`, () => {
      const { name, defaultActive, parameters } = row.make(workspace);
      const { properties, required = [] } = parameters as unknown as {
        properties: Record<string, unknown>;
        required?: string[];
      };
      const told = Object.keys(properties).map((key) => (required.includes(key) ? key : `${key}?`));
      assert.equal(name, row.name);
      assert.equal(defaultActive ?? false, row.defaultActive);
      assert.equal(row.arguments, told.join(", "));
    });
  }

  test("marks as read-only what only reads, whatever the arguments are", () => {
    const pure = toolDefinitions(
      workspace,
      toolTable.map(({ name }) => name),
    ).filter(({ pure }) => pure === true);
    assert.deepEqual(
      pure.map(({ name }) => name),
      toolTable.filter(({ readOnly }) => readOnly).map(({ name }) => name),
    );
  });
});

describe("tools by name", () => {
  const namesOf = (names?: string[]): string[] =>
    createTools(workspace, names).map(({ name }) => name);

  test("are the default ones if none are named", () => {
    assert.deepEqual(namesOf(), ["read", "bash", "edit", "write"]);
  });

  test("come in the table's order", () => {
    assert.deepEqual(namesOf(["ls", "read"]), ["read", "ls"]);
    assert.deepEqual(namesOf([]), []);
  });

  test("must be known", () => {
    assert.throws(() => namesOf(["read", "raed"]), {
      message: "There is no tool named raed. There are: read, bash, edit, write, grep, find, ls.",
    });
  });
});
