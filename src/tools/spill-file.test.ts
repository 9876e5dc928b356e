// Where long outputs are kept, and for how long.
import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, describe, test } from "node:test";
import { stateOutputFolder, sweepFiles, sweepTemporaryFolders } from "./output-folder.ts";
import { createSpillStore } from "./spill-file.ts";
import type { Spilled } from "./spill-file.ts";

const DAY_MS = 24 * 3600 * 1000;
const folder = mkdtempSync(join(tmpdir(), "errand-spill-test-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const temporary = process.env["TMPDIR"];
afterEach(() => {
  if (temporary === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = temporary;
});

async function kept(spillFolder: (() => string) | undefined, bytes: number): Promise<Spilled> {
  const file = createSpillStore("out", spillFolder).create();
  file.write(Buffer.alloc(bytes, "a"));
  return file.close();
}

function pathOf(spilled: Spilled): string {
  return "path" in spilled ? spilled.path : assert.fail(spilled.failure);
}

function own(name: string): string {
  return mkdtempSync(join(folder, name));
}

describe("a spill file", () => {
  test("is private, and has a name that no other session takes", async () => {
    const place = own("private-");
    const [one, other] = [await kept(() => place, 3), await kept(() => place, 3)];
    assert.match(pathOf(one), /\/out-[0-9a-f]{12}-1\.log$/);
    assert.notEqual(pathOf(one), pathOf(other));
    assert.equal(statSync(pathOf(one)).mode & 0o777, 0o600);
    assert.equal(readFileSync(pathOf(one), "utf8"), "aaa");
  });

  test("says whether all is in it", async () => {
    const place = own("whole-");
    const whole = await kept(() => place, 64 * 1024 * 1024);
    assert.equal("isWhole" in whole && whole.isWhole, true);
    const cut = await kept(() => place, 64 * 1024 * 1024 + 1);
    assert.equal("isWhole" in cut && cut.isWhole, false);
    assert.equal(statSync(pathOf(cut)).size, 64 * 1024 * 1024);
  });

  test("lies in a private temporary folder where its own cannot be made", async () => {
    process.env["TMPDIR"] = own("tmp-");
    const failing = (): string => {
      throw new Error("no home");
    };
    for (const place of [failing, (): string => join(folder, "not/there"), undefined]) {
      const path = pathOf(await kept(place, 3));
      assert.ok(path.startsWith(process.env["TMPDIR"]));
      assert.equal(statSync(join(path, "..")).mode & 0o777, 0o700);
    }
  });

  test("that can be kept nowhere is no failure of the command, and says why", async () => {
    process.env["TMPDIR"] = join(folder, "no-such-folder");
    const spilled = await kept(undefined, 3);
    assert.match("failure" in spilled ? spilled.failure : "", /ENOENT.*no-such-folder/);
  });

  test("makes room for itself: only the newest 16 of a session stay", async () => {
    const place = own("many-");
    const many = createSpillStore("out", () => place);
    for (let n = 0; n < 20; n++) await many.create().close();
    const names = readdirSync(place);
    assert.equal(names.length, 16);
    assert.ok(names.some((name) => name.endsWith("-20.log")));
    assert.ok(!names.some((name) => name.endsWith("-4.log")));
  });

  test("removes those of earlier sessions that are a week old, when it is the first", async () => {
    const place = own("old-");
    const old = join(place, "bash-0123456789ab-1.log");
    plant(old, 8);
    await kept(() => place, 3);
    assert.equal(existsSync(old), false);
  });
});

function plant(path: string, ageDays: number, size = 1): void {
  writeFileSync(path, Buffer.alloc(size));
  age(path, ageDays);
}

function age(path: string, days: number): void {
  const then = new Date(Date.now() - days * DAY_MS);
  utimesSync(path, then, then);
}

describe("a sweep", () => {
  test("removes only old regular files under the names of spill files", () => {
    const place = own("sweep-");
    const aim = join(place, "aim.txt");
    plant(aim, 30);
    symlinkSync(aim, join(place, "bash-0123456789ab-9.log"));
    mkdirSync(join(place, "bash-0123456789ab-8.log"));
    for (const name of [
      "notes.log",
      "bash-1.log",
      "bash-0123456789ab-1.log.txt",
      "x-0123456789AB-1.log",
    ])
      plant(join(place, name), 30);
    plant(join(place, "bash-0123456789ab-1.log"), 6.9);
    const before = readdirSync(place).toSorted();
    plant(join(place, "bash-0123456789ab-2.log"), 7.1);
    sweepFiles(place, Date.now());
    assert.deepEqual(readdirSync(place).toSorted(), before);
    assert.ok(lstatSync(join(place, "bash-0123456789ab-9.log")).isSymbolicLink());
  });

  test("of a folder that is not there, or not readable, is none", () => {
    sweepFiles(join(folder, "none"), Date.now());
    sweepTemporaryFolders(join(folder, "none"), Date.now());
  });

  test("removes no more than 500 files at once, the oldest first", () => {
    const place = own("much-");
    for (let n = 0; n < 510; n++) plant(join(place, `bash-0123456789ab-${n}.log`), 10 + n);
    sweepFiles(place, Date.now());
    const left = readdirSync(place);
    assert.equal(left.length, 10);
    assert.ok(left.includes("bash-0123456789ab-0.log"));
  });

  test("removes old temporary folders with the spill files in them, and no others", () => {
    const parent = own("temporary-");
    const make = (name: string, file: string): void => {
      mkdirSync(join(parent, name));
      plant(join(parent, name, file), 9);
      age(join(parent, name), 9);
    };
    make("errand-output-abcdef", "bash-0123456789ab-1.log");
    make("errand-output-ghijkl", "something.txt");
    make("errand-other-abcdef", "bash-0123456789ab-1.log");
    mkdirSync(join(parent, "errand-output-mnopqr"));
    symlinkSync(own("aim-"), join(parent, "errand-output-stuvwx"));
    sweepTemporaryFolders(parent, Date.now());
    assert.deepEqual(readdirSync(parent).toSorted(), [
      "errand-other-abcdef",
      "errand-output-ghijkl",
      "errand-output-mnopqr",
      "errand-output-stuvwx",
    ]);
  });
});

describe("the folder for outputs", () => {
  test("lies in the state folder, and is private", () => {
    const home = own("home-");
    const place = stateOutputFolder({ HOME: home });
    assert.equal(place, join(home, ".local/state/errand/output"));
    assert.equal(statSync(place).mode & 0o777, 0o700);
    assert.equal(stateOutputFolder({ HOME: home, XDG_STATE_HOME: "relative" }), place);
    const state = own("state-");
    assert.equal(
      stateOutputFolder({ HOME: home, XDG_STATE_HOME: state }),
      join(state, "errand/output"),
    );
  });

  test("becomes private if it was not", () => {
    const home = own("open-");
    const place = stateOutputFolder({ HOME: home });
    chmodSync(place, 0o755);
    stateOutputFolder({ HOME: home });
    assert.equal(statSync(place).mode & 0o777, 0o700);
  });

  test("is never a link or a file", () => {
    const state = own("link-");
    mkdirSync(join(state, "errand"));
    symlinkSync(own("elsewhere-"), join(state, "errand/output"));
    assert.throws(() => stateOutputFolder({ XDG_STATE_HOME: state }), /no folder of your own/);
    rmSync(join(state, "errand/output"));
    writeFileSync(join(state, "errand/output"), "");
    assert.throws(() => stateOutputFolder({ XDG_STATE_HOME: state }));
  });
});
