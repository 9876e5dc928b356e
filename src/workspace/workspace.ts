// The port behind which files and processes lie. Tools know only this, so they run on the local disk, in memory,
// and later in a sandbox or over a wire. All paths handed in are absolute; `resolvePath` makes them so.

export type FileKind = "file" | "folder" | "link" | "fifo" | "socket" | "device";

export interface FileStat {
  kind: FileKind;
  /** Bytes. */
  size: number;
  /** Milliseconds since the epoch. */
  mtimeMs: number;
  /** Permission bits, for instance 0o644. */
  mode: number;
  /** How many names the file has. */
  links: number;
  /** Equal for two paths exactly if they are one file. */
  identity: string;
}

export interface FolderEntry {
  name: string;
  kind: FileKind;
}

/** An open regular file, as it was when opened; `close` may be called again. `read` fills `into` from `position` (bytes) and gives how many bytes it got, 0 at the end. */
export interface OpenFile {
  readonly stat: FileStat;
  read(into: Uint8Array, position: number): Promise<number>;
  close(): Promise<void>;
}

export type WorkspaceErrorCode =
  | "not_found"
  | "not_a_folder"
  | "is_a_folder"
  | "not_a_file"
  | "denied"
  | "exists"
  | "no_space"
  | "link_cycle"
  | "name_too_long"
  | "unsupported"
  | "other";

/** Every rejection of a workspace's; `message` is one sentence that names the path. */
export class WorkspaceError extends Error {
  override readonly name = "WorkspaceError";
  readonly code: WorkspaceErrorCode;
  readonly path: string;
  constructor(code: WorkspaceErrorCode, path: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.path = path;
  }
}

export interface ProcessRequest {
  /** A command line for the shell, or a program with its arguments (no shell). */
  command: string | readonly [program: string, ...args: string[]];
  cwd?: string;
  /** Added to the workspace's environment. */
  env?: Readonly<Record<string, string>>;
  /** Milliseconds until the command is ended; left out: none. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /**
   * Of a command line: both streams through one pipe, where the workspace can, so that their order is exact. All of it is
   * then told as stdout.
   */
  mergeStreams?: boolean;
  /** Gets the output as it comes; a chunk is valid during the call only. */
  onOutput(chunk: Uint8Array, stream: "stdout" | "stderr"): void;
}

/** How a process ended: its exit code, or the signal that killed it. */
export interface ProcessEnd {
  code: number | null;
  signal: string | null;
  endedBy: "itself" | "timeout" | "abort";
  /** How many processes the command left behind, or had when it was stopped, and were ended; where that is known. */
  endedProcesses?: number;
}

export interface Workspace {
  /** Absolute, links resolved: where relative paths start. */
  readonly cwd: string;
  /** What `~` stands for; left out where there is none. */
  readonly home?: string;
  /** Links resolved. Of a path that does not exist, the part that does is resolved and the rest kept. */
  realPath(path: string): Promise<string>;
  /** `undefined` if there is nothing. Follows links unless told otherwise. */
  stat(path: string, options?: { followLinks?: boolean }): Promise<FileStat | undefined>;
  /** Where a link points, as it is written there. Anything but a link is refused. */
  readLink(path: string): Promise<string>;
  /** In no particular order; never drops a name. A link is listed as a link. */
  list(path: string): Promise<FolderEntry[]>;
  /** Opens a regular file for reading; anything else is refused at once, without blocking. */
  open(path: string): Promise<OpenFile>;
  /**
   * Makes `bytes` the whole content of the file: readers see the old or the new content, never a part, and a
   * failure leaves what was there. Makes missing folders, keeps mode and owner, writes through a link to its target.
   * A file that cannot be swapped without losing its other names or its owner is written in place.
   */
  replaceFile(path: string, bytes: Uint8Array): Promise<{ created: boolean }>;
  /** Parents too; no error if it is there. */
  makeFolder(path: string): Promise<void>;
  /** A file, an empty folder, or a link (never what it points to). */
  remove(path: string): Promise<void>;
  /** Absolute path of a program found by the workspace's PATH. */
  findProgram(name: string): Promise<string | undefined>;
  /** Resolves when the command itself has ended, whatever holds its pipes. Rejects only if it could not be started. */
  run(request: ProcessRequest): Promise<ProcessEnd>;
}
