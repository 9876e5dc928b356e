// Ends what a command started: its process group first, then whoever left the group but carries the call's mark.
import { readdirSync, readFileSync } from "node:fs";

/** How often a group is looked at while it may still end by itself. */
const LOOK_MS = 10;

/** Whether any process of the group is left; one that ended and was not collected yet counts. */
export function groupLives(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return true;
}

/** Asks the group to end, and forces it after the grace. Resolves when it is gone or was forced. */
export async function endGroup(group: number, graceMs: number): Promise<void> {
  signalGroup(group, "SIGTERM");
  const until = performance.now() + graceMs;
  for (let looks = 1; groupLives(group); looks++) {
    // Where nobody collects orphans, a group of the dead looks alive.
    if (looks % 5 === 0 && !hasLiveMember(group)) return;
    if (performance.now() >= until) {
      signalGroup(group, "SIGKILL");
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** Reads each process's group and state; true where the system does not show them. */
function hasLiveMember(group: number): boolean {
  let entries: string[];
  try {
    entries = readdirSync("/proc");
  } catch {
    return true;
  }
  return entries.some((entry) => {
    if (!/^\d+$/.test(entry)) return false;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, "latin1");
      // After the name in parentheses: state, parent, group.
      const [state, , own] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return Number(own) === group && state !== "Z";
    } catch {
      return false;
    }
  });
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  // A group of 0 or 1 would be our own, or everybody's.
  if (group <= 1) return;
  try {
    process.kill(-group, signal);
  } catch {
    // It is gone.
  }
}

/** Forces every process whose environment carries the mark; twice, for one may start another meanwhile. */
export async function endMarked(name: string, mark: string): Promise<void> {
  for (let sweep = 0; sweep < 2; sweep++) {
    const found = markedProcesses(name, mark);
    for (const pid of found) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It is gone.
      }
    }
    if (found.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** The processes whose environment carries the mark; none where the system does not show environments. */
export function markedProcesses(name: string, mark: string): number[] {
  let entries: string[];
  try {
    entries = readdirSync("/proc");
  } catch {
    return [];
  }
  const wanted = Buffer.from(`${name}=${mark}`);
  return entries
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .filter((entry) => environmentOf(entry)?.includes(wanted) === true)
    .map(Number);
}

function environmentOf(pid: string): Buffer | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`);
  } catch {
    // Another user's, or gone.
    return undefined;
  }
}
