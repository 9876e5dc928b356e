// A tool as the loop runs it: what it returns, tells meanwhile or throws holds no secret.
import type { AgentTool, ToolResult } from "../core/tool.ts";
import { isDeeperThan } from "../lib/json/json-depth.ts";
import { toJsonValue } from "../lib/json/to-json-value.ts";
import { describeError } from "../lib/text/describe-error.ts";
import type { Redactor } from "../lib/text/redact.ts";

/** Details over this are dropped by the loop. Bytes of JSON. */
const MAX_DETAILS_BYTES = 1_048_576;
/** Levels of details that are gone through. */
const MAX_DEPTH = 200;

type Block = ToolResult["content"][number];

/** Wraps tools: the same wrap for the same tool, and for a wrap itself. `redactor` is asked at each result. */
export function createToolRedaction(redactor: () => Redactor): (tool: AgentTool) => AgentTool {
  const wraps = new WeakMap<AgentTool, AgentTool>();
  return (tool) => {
    const known = wraps.get(tool);
    if (known) return known;
    const wrap = wrapTool(tool, redactor);
    wraps.set(tool, wrap);
    wraps.set(wrap, wrap);
    return wrap;
  };
}

/** Everything else is read from the tool itself at each look, with its own `this`. */
function wrapTool(tool: AgentTool, redactor: () => Redactor): AgentTool {
  const clean = (result: ToolResult): ToolResult => redactResult(result, redactor());
  const guarded = async <T>(run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      throw redactError(error, redactor());
    }
  };
  const execute: AgentTool["execute"] = (toolCallId, args, signal, onUpdate) =>
    guarded(async () => {
      const tell = onUpdate && ((partial: ToolResult): void => onUpdate(clean(partial)));
      return clean(await tool.execute(toolCallId, args, signal, tell));
    });
  const probe: AgentTool["probe"] = (toolCallId, args, evidence, signal) =>
    guarded(async () => {
      const found = await tool.probe?.(toolCallId, args, evidence, signal);
      return typeof found === "object" ? clean(found) : (found ?? "unknown");
    });
  return new Proxy({} as AgentTool, {
    get: (_target, property) => {
      if (property === "execute") return execute;
      const value: unknown = Reflect.get(tool, property);
      if (property === "probe" && value !== undefined) return probe;
      return typeof value === "function" ? (value.bind(tool) as unknown) : value;
    },
    has: (_target, property) => property in tool,
  });
}

function redactResult(result: ToolResult, redactor: Redactor): ToolResult {
  if (redactor.longest === 0 || typeof result !== "object" || result === null) return result;
  const { content, details } = result;
  const clean = { ...result };
  if (Array.isArray(content)) clean.content = content.map((block) => redactBlock(block, redactor));
  // Tools of other people's may return anything; the loop makes it regular.
  else if (content !== undefined) Object.assign(clean, { content: redactPlain(content, redactor) });
  if (details !== undefined) clean.details = redactPlain(details, redactor);
  return clean;
}

function redactBlock(block: Block, redactor: Redactor): Block {
  if (block?.type === "image") return block;
  if (block?.type === "text" && typeof block.text === "string") {
    return { ...block, text: redactor.text(block.text) };
  }
  return redactPlain(block, redactor) as Block;
}

/** The value itself if no secret is in it; else a plain copy without them. */
function redactPlain(value: unknown, redactor: Redactor): unknown {
  if (typeof value === "string") return redactor.text(value);
  const plain = toJsonValue(value, MAX_DETAILS_BYTES);
  // The loop drops what is too large or no plain data.
  if (!plain.ok) return value;
  const json = JSON.stringify(plain.value);
  if (redactor.text(json) === json) return value;
  if (isDeeperThan(plain.value, MAX_DEPTH)) return { dropped: "too deep to be without secrets" };
  return redactStrings(plain.value, redactor);
}

function redactStrings(value: unknown, redactor: Redactor): unknown {
  if (typeof value === "string") return redactor.text(value);
  if (Array.isArray(value)) return value.map((item) => redactStrings(item, redactor));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redactor.text(key), redactStrings(item, redactor)]),
  );
}

function redactError(error: unknown, redactor: Redactor): unknown {
  const said = describeError(error);
  const clean = redactor.text(said);
  return clean === said ? error : new Error(clean);
}
