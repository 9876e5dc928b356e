// Globs as searches take them: one without a slash is about names, one with a slash about paths from the search's root.
import picomatch from "picomatch";

/** Longer ones are refused. Characters. */
const MAX_GLOB = 1000;

/** Tells of a path relative to the root whether it is wanted. */
export type PathTest = (path: string) => boolean;

/** `!` before it turns it around; a `/` at the end means all that is in there. Throws for a glob that is empty or too long. */
export function globTest(glob: string, options: { ignoreCase?: boolean } = {}): PathTest {
  const isExcluding = glob.startsWith("!");
  let wanted = (isExcluding ? glob.slice(1) : glob).replace(/^\.\//, "");
  if (wanted.endsWith("/") && wanted !== "/") wanted += "**";
  const byName = !wanted.includes("/");
  wanted = wanted.replace(/^\/+/, "");
  if (wanted === "" || wanted.length > MAX_GLOB) {
    throw new Error(
      `The glob is ${wanted === "" ? "empty" : "too long"}: give one such as *.ts or src/**/*.md.`,
    );
  }
  const isMatch = picomatch(wanted, {
    dot: true,
    noextglob: true,
    nonegate: true,
    nocase: options.ignoreCase === true,
  });
  return (path) => isMatch(byName ? path.slice(path.lastIndexOf("/") + 1) : path) !== isExcluding;
}

/** Of a glob that is not turned around, its part about the name, if that is simple enough to mean the same to every program. */
export function simpleNameGlob(glob: string): string | undefined {
  if (glob.startsWith("!")) return undefined;
  const name = glob.slice(glob.lastIndexOf("/") + 1);
  const isSimple = /^[\w.*?,{}-]+$/.test(name) && !name.includes("..") && !name.includes("**");
  return isSimple ? name : undefined;
}
