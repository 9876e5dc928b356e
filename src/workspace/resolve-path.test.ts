import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { pathReadings, resolvePath } from "./resolve-path.ts";
import { WorkspaceError } from "./workspace.ts";

const base = { cwd: "/work/here", home: "/home/me" };

describe("resolvePath", () => {
  const cases: readonly (readonly [written: string, meant: string])[] = [
    ["a.txt", "/work/here/a.txt"],
    ["./a.txt", "/work/here/a.txt"],
    ["../a.txt", "/work/a.txt"],
    ["/a/../b", "/b"],
    ["../../../../..", "/"],
    [".", "/work/here"],
    ["sub/", "/work/here/sub"],
    ["~", "/home/me"],
    ["~/", "/home/me"],
    ["~/a/b", "/home/me/a/b"],
    ["~//etc/passwd", "/home/me/etc/passwd"],
    ["~you/a", "/work/here/~you/a"],
    ["a/~/b", "/work/here/a/~/b"],
    ["@a.txt", "/work/here/a.txt"],
    ["@/etc/hosts", "/etc/hosts"],
    ["@~/a", "/home/me/a"],
    ["@", "/work/here/@"],
    ["file:///a%20b/c", "/a b/c"],
    ["FILE:///a/../b", "/b"],
    ["a b", "/work/here/a b"],
    ["a\u00a0b", "/work/here/a\u00a0b"],
    [" a ", "/work/here/ a "],
    ["a\\b", "/work/here/a\\b"],
  ];
  for (const [written, meant] of cases) {
    test(`reads ${JSON.stringify(written)} as ${meant}`, () => {
      assert.equal(resolvePath(written, base), meant);
    });
  }

  const refused: readonly (readonly [written: string, why: RegExp])[] = [
    ["", /empty/],
    ["a\0b", /NUL byte/],
    ["file:///a%00b", /NUL byte/],
    ["file://host/a", /no file URL of this machine/],
    ["file:///a%2Fb", /no file URL of this machine/],
    ["file:///%zz", /no file URL of this machine/],
    ["x".repeat(5000), /5000 characters/],
  ];
  for (const [written, why] of refused) {
    test(`refuses ${JSON.stringify(written.slice(0, 20))} and says why`, () => {
      assert.throws(
        () => resolvePath(written, base),
        (error) => {
          assert.ok(error instanceof WorkspaceError);
          assert.match(error.message, why);
          assert.ok(!error.message.includes("\0"));
          return true;
        },
      );
    });
  }

  test("refuses ~ where there is no home folder", () => {
    assert.throws(() => resolvePath("~/a", { cwd: "/" }), /no home folder/);
  });

  test("gives an absolute path without . and .. for whatever it accepts", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), (written) => {
        let path: string;
        try {
          path = resolvePath(written, base);
        } catch (error) {
          return error instanceof WorkspaceError;
        }
        return path.startsWith("/") && !/(^|\/)\.\.?(\/|$)/.test(path.slice(1));
      }),
    );
  });
});

describe("pathReadings", () => {
  test("tries the literal path before the mention mark and the plain space are taken away", () => {
    assert.deepEqual(pathReadings("@a\u202fb", base), {
      preferred: "/work/here/a\u202fb",
      inOrder: ["/work/here/@a\u202fb", "/work/here/a\u202fb", "/work/here/@a b", "/work/here/a b"],
    });
  });

  test("leaves the spaces of the working folder as they are", () => {
    const readings = pathReadings("x\u00a0y", { cwd: "/my\u00a0files" });
    assert.deepEqual(readings.inOrder, ["/my\u00a0files/x\u00a0y", "/my\u00a0files/x y"]);
  });
});
