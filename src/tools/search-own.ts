// The search without ripgrep: our own walk and one line after another, over any workspace, with the answers of ripgrep.
import { posix } from "node:path";
import type { OpenFile, Workspace } from "../workspace/workspace.ts";
import { linePattern } from "./js-pattern.ts";
import type { LineQuery, PieceEnd } from "./search-lines.ts";
import { LineSearch } from "./search-lines.ts";
import { Findings } from "./search.ts";
import type { FoundFile, Search, SearchOutcome } from "./search.ts";
import { decodeUtf16 } from "./text-encoding.ts";
import { TimeGuard } from "./time-guard.ts";
import { walk } from "./walk.ts";

/** Larger files are searched piece by piece. Bytes. */
const PIECE_BYTES = 1024 * 1024;
/** Files that are read at the same time. */
const AT_ONCE = 16;
/** UTF-16 is turned into UTF-8 as a whole. Bytes. */
const MAX_UTF16_BYTES = 16 * 1024 * 1024;
/** What one group of files may take of the processor, if the pattern is one that may never end. */
const RISKY_MS = 2000;

/** Throws a SyntaxError for a pattern that is no regular expression. */
export async function searchByWalk(workspace: Workspace, search: Search): Promise<SearchOutcome> {
  const { root, scope, signal, bounds } = search;
  const pattern = linePattern(search.pattern, search);
  const query: LineQuery = {
    pattern,
    bytes: search.literal && !search.ignoreCase ? Buffer.from(search.pattern) : undefined,
    context: search.context,
  };
  const until = performance.now() + bounds.timeMs;
  const paths: string[] = [];
  const walked = root.isFolder
    ? await walk(workspace, root.path, {
        ignored: scope.ignored,
        above: scope.counting,
        isOver: () => performance.now() > until,
        onEntry: ({ path, kind }) => {
          if (kind === "file" && search.isWanted(path)) paths.push(path);
        },
        signal,
      })
    : undefined;
  const outcome: SearchOutcome = {
    files: [],
    unreadable: [...(walked?.unreadable ?? [])],
    isBinaryRoot: false,
  };
  const files = root.isFolder ? paths : [posix.basename(root.path)];
  const folder = root.isFolder ? root.path : posix.dirname(root.path);
  const findings = new Findings(bounds);
  const guard = pattern.isRisky ? new TimeGuard(RISKY_MS) : undefined;
  for (let at = 0; at < files.length; at += AT_ONCE) {
    signal?.throwIfAborted();
    if (findings.isFull) return { ...outcome, files: findings.files, endedBy: "matches" };
    if (performance.now() > until) return { ...outcome, files: findings.files, endedBy: "time" };
    const some = files.slice(at, at + AT_ONCE);
    const found = await Promise.all(
      some.map((path) => searchFile(workspace, { folder, path, query, guard, search })),
    );
    for (const [n, file] of found.entries()) {
      if (file === "unreadable") outcome.unreadable.push(some[n] ?? "");
      else if (file === "binary") outcome.isBinaryRoot ||= !root.isFolder;
      else findings.add(file);
    }
  }
  return {
    ...outcome,
    files: findings.files,
    ...(walked?.isPartial ? { endedBy: "time" as const } : {}),
    ...(findings.isFull ? { endedBy: "matches" as const } : {}),
  };
}

interface OneFile {
  folder: string;
  path: string;
  query: LineQuery;
  guard: TimeGuard | undefined;
  search: Search;
}

async function searchFile(
  workspace: Workspace,
  { folder, path, query, guard, search }: OneFile,
): Promise<FoundFile | "binary" | "unreadable"> {
  let file: OpenFile;
  try {
    file = await workspace.open(posix.join(folder, path));
  } catch {
    return "unreadable";
  }
  const lines = new LineSearch(path, query);
  const push = (piece: Buffer, end: PieceEnd): void => {
    if (guard) guard.run(() => lines.push(piece, end));
    else lines.push(piece, end);
  };
  try {
    return (await eachPiece(file, { search, lines, push })) ? lines.file : "binary";
  } finally {
    await file.close();
  }
}

interface Pieces {
  search: Search;
  lines: LineSearch;
  push(piece: Buffer, end: PieceEnd): void;
}

/** False if the file is a binary one. */
async function eachPiece(file: OpenFile, { search, lines, push }: Pieces): Promise<boolean> {
  const { bounds, signal } = search;
  // One byte more than the file has shows its end at once.
  let into = Buffer.allocUnsafe(Math.min(PIECE_BYTES, file.stat.size + 1));
  let position = 0;
  let kept = 0;
  for (let isFirst = true; ; isFirst = false) {
    signal?.throwIfAborted();
    if (lines.file.matches > bounds.matches) return true;
    const { filled, isEnd } = await fill(file, into, { from: kept, position });
    position += filled - kept;
    let bytes = into.subarray(0, filled);
    if (isFirst && isUtf16(bytes)) {
      const text = await utf16Text(file);
      if (text !== undefined) push(text, "file");
      return text !== undefined;
    }
    if (bytes.includes(0)) return false;
    if (isFirst && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
      bytes = bytes.subarray(3);
    }
    if (isEnd) {
      push(bytes, "file");
      return true;
    }
    // Whole lines, or the whole of it if no line ends in it.
    const cut = bytes.lastIndexOf(10) + 1 || bytes.length;
    push(bytes.subarray(0, cut), bytes[cut - 1] === 10 ? "line" : "nowhere");
    const rest = bytes.subarray(cut);
    kept = rest.length;
    const next = Buffer.allocUnsafe(PIECE_BYTES);
    rest.copy(next);
    into = next;
  }
}

async function fill(
  file: OpenFile,
  into: Buffer,
  { from, position }: { from: number; position: number },
): Promise<{ filled: number; isEnd: boolean }> {
  let filled = from;
  let at = position;
  while (filled < into.length) {
    const got = await file.read(into.subarray(filled), at);
    if (got === 0) return { filled, isEnd: true };
    filled += got;
    at += got;
    if (at === file.stat.size && filled < into.length) return { filled, isEnd: true };
  }
  return { filled, isEnd: false };
}

function isUtf16(bytes: Buffer): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
}

async function utf16Text(file: OpenFile): Promise<Buffer | undefined> {
  if (file.stat.size > MAX_UTF16_BYTES) return undefined;
  const bytes = Buffer.allocUnsafe(file.stat.size);
  const { filled } = await fill(file, bytes, { from: 0, position: 0 });
  const encoding = bytes[0] === 0xff ? "utf-16le" : "utf-16be";
  return Buffer.from(decodeUtf16(bytes.subarray(2, filled), encoding));
}
