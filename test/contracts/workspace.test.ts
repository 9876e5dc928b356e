import { plantWorkspace } from "./planted-workspace.ts";
import { workspaceContract } from "./workspace.ts";

workspaceContract("memory", (files) => plantWorkspace("memory", files));
workspaceContract("local", (files) => plantWorkspace("local", files), {
  isRoot: process.getuid?.() === 0,
});
