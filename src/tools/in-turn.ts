// Changes of one file one after the other. The loop's scheduler keeps this order by claims already; this holds for callers that
// run a tool outside of it, where two edits at once would lose one of the two.
import type { Workspace } from "../workspace/workspace.ts";

/** The last change under way, by workspace and real path. Entries go when they end. */
const underWay = new WeakMap<Workspace, Map<string, Promise<unknown>>>();

/** Runs `change` when all earlier changes of the file at `realPath` have ended, well or not; gives its result. */
export async function inTurn<T>(
  workspace: Workspace,
  realPath: string,
  change: () => Promise<T>,
): Promise<T> {
  let queues = underWay.get(workspace);
  if (queues === undefined) {
    queues = new Map<string, Promise<unknown>>();
    underWay.set(workspace, queues);
  }
  const before = queues.get(realPath);
  const mine = before === undefined ? change() : before.then(change, change);
  queues.set(realPath, mine);
  try {
    return await mine;
  } finally {
    if (queues.get(realPath) === mine) queues.delete(realPath);
  }
}
