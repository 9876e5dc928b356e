// The public face `errand/testing`: what a test of an agent, a tool or a front end needs, without a network or a clock.
export {
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedRequest,
  type ScriptedTurn,
  type TurnScript,
  callTurn,
  callsTurn,
  createScriptedModel,
  textTurn,
} from "./scripted-model.ts";
export { type StreamedBlock } from "../models/offline/block-steps.ts";
export { type ManualClock, createIds, createManualClock } from "./manual-clock.ts";
export { type Recording, describeEvents, recordEvents } from "./event-recorder.ts";
export {
  type MemoryJournal,
  type MemoryJournalOptions,
  createMemoryJournal,
} from "./memory-journal.ts";
export {
  type MemoryEntry,
  type MemoryWorkspaceOptions,
  createMemoryWorkspace,
} from "../workspace/memory.ts";
export { type ModelServer, type ModelServerOptions, startModelServer } from "./loopback-server.ts";
export { type ServerTurn, type ServerWire } from "./server-wire.ts";
export { anthropicWire } from "./anthropic-wire.ts";
