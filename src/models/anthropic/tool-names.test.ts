import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ToolNames } from "./tool-names.ts";

test("legal names go as they are", () => {
  const names = new ToolNames(["read", "my_tool", "a-b"]);
  assert.deepEqual(
    ["read", "my_tool", "a-b"].map((name) => names.toWire(name)),
    ["read", "my_tool", "a-b"],
  );
  assert.equal(names.key, "");
});

test("any names become legal and unique, and lead back to their tools", () => {
  const anyName = fc.oneof(
    fc.string(),
    fc.constantFrom("a.b", "a_b", "a_b_2", "a/b", "", "x".repeat(200)),
  );
  fc.assert(
    fc.property(fc.uniqueArray(anyName, { maxLength: 12 }), (declared) => {
      const names = new ToolNames(declared);
      const wire = declared.map((name) => names.toWire(name));
      assert.equal(new Set(wire).size, declared.length);
      assert.ok(wire.every((name) => /^[a-zA-Z0-9_-]{1,128}$/.test(name)));
      assert.deepEqual(
        wire.map((name) => names.fromWire(name)),
        declared,
      );
    }),
  );
});

test("a name that a model made up becomes legal", () => {
  const names = new ToolNames(["read"]);
  assert.equal(names.toWire("functions.read"), "functions_read");
  assert.equal(names.toWire(""), "unnamed");
});
