// Ends what a command started: its process group, and whoever left the group but carries the call's mark in its environment.
// Only a process that left the group and also cleared its environment escapes this.
import { readdirSync, readFileSync } from "node:fs";

/** How often processes that were asked to end are looked at. */
const LOOK_MS = 10;
/** How long forced processes may take to be gone. */
const FORCED_MS = 60;
/** A process may start another while it is being ended. */
const MAX_SWEEPS = 4;

/** The processes of one call. */
export interface CallProcesses {
  /** The process group, equal to the first process's id. */
  readonly group: number;
  /** A text that no other call's environment holds. */
  readonly mark: string;
}

/** Asks all living processes of the call to end, forces them after the grace, and resolves with how many there were. */
export async function endProcesses(call: CallProcesses, graceMs: number): Promise<number> {
  const first = livingProcesses(call);
  if (first === undefined) return endGroupBlindly(call.group, graceMs);
  if (first.length === 0) return 0;
  const seen = new Set(first);
  const forceAt = performance.now() + graceMs;
  signalAll(call.group, outside(first, call.group), "SIGTERM");
  await until(forceAt, () => !first.some(lives));
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    const left = livingProcesses(call) ?? [];
    if (left.length === 0) break;
    for (const pid of left) seen.add(pid);
    signalAll(call.group, outside(left, call.group), "SIGKILL");
    await until(performance.now() + FORCED_MS / MAX_SWEEPS, () => !left.some(lives));
  }
  return seen.size;
}

/**
 * The call's living processes; undefined where the system does not show processes. With `newerThan`, only processes with a higher id
 * are looked at, as far as ids have not started anew: what a process starts has a higher id than its own.
 */
export function livingProcesses(
  { group, mark }: CallProcesses,
  newerThan?: number,
): number[] | undefined {
  let entries: string[];
  try {
    entries = readdirSync("/proc");
  } catch {
    return undefined;
  }
  const bound = newerThan !== undefined && newestProcess() >= newerThan ? newerThan : 0;
  const markBytes = Buffer.from(mark);
  const found: number[] = [];
  let sawOne = false;
  for (const entry of entries) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    sawOne = true;
    if (pid === process.pid || pid <= bound) continue;
    if (isLivingMember(pid, group) || environmentHolds(pid, markBytes)) found.push(pid);
  }
  return sawOne ? found : undefined;
}

/** The id that was given out last; 0 if unknown. */
function newestProcess(): number {
  return Number(/(\d+)\s*$/.exec(readText("/proc/loadavg"))?.[1] ?? 0);
}

/** Those who left the group. A member shall get a signal once: a second TERM cuts clean-up short. */
function outside(pids: readonly number[], group: number): number[] {
  return pids.filter((pid) => !isLivingMember(pid, group));
}

function isLivingMember(pid: number, group: number): boolean {
  const stat = readText(`/proc/${pid}/stat`);
  // After the name in parentheses: state, parent, group. A dead process that nobody collected is a zombie (Z).
  const [state, , own] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(own) === group && state !== "Z" && state !== "X";
}

function environmentHolds(pid: number, mark: Buffer): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`).includes(mark);
  } catch {
    // Another user's, or gone.
    return false;
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

/** Resolves when `isOver` says so, or at `time`. */
async function until(time: number, isOver: () => boolean): Promise<void> {
  while (performance.now() < time) {
    await pause(LOOK_MS);
    if (isOver()) return;
  }
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = readText(`/proc/${pid}/stat`);
  return stat !== "" && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
}

/** Whether any process of the group is left; one that ended and was not collected yet counts. */
export function groupLives(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return true;
}

async function endGroupBlindly(group: number, graceMs: number): Promise<number> {
  if (!groupLives(group)) return 0;
  signalAll(group, [], "SIGTERM");
  await until(performance.now() + graceMs, () => !groupLives(group));
  signalAll(group, [], "SIGKILL");
  return 1;
}

function signalAll(group: number, pids: readonly number[], signal: NodeJS.Signals): void {
  // A group of 0 or 1 would be our own, or everybody's.
  for (const target of group > 1 ? [-group, ...pids] : pids) {
    try {
      process.kill(target, signal);
    } catch {
      // It is gone, or another user's.
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
