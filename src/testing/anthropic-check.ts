// What the Messages API refuses in a request, in words near its own: https://docs.anthropic.com/en/api/messages
import type { RequestProblem, WireRequest } from "./server-wire.ts";

type Fields = Record<string, unknown>;

/** Thrown inside the check alone. */
class Refusal extends Error {}

/** The first thing that the API would refuse; nothing if it would take the request. */
export function checkAnthropicRequest(request: WireRequest): RequestProblem | undefined {
  const { method, path, headers, body } = request;
  if (path.split("?")[0] !== "/v1/messages") {
    return { status: 404, type: "not_found_error", message: `no such path: ${path}` };
  }
  if (method !== "POST") {
    return { status: 405, type: "invalid_request_error", message: `${method} is not allowed` };
  }
  if (!headers["x-api-key"] && !/^Bearer \S/.test(headers.authorization ?? "")) {
    return { status: 401, type: "authentication_error", message: "x-api-key header is required" };
  }
  try {
    need(headers["anthropic-version"] === "2023-06-01", "anthropic-version: header is required");
    need(isJsonType(headers["content-type"]), "content-type: must be application/json");
    need(isObject(body), "the body is no JSON object");
    checkBody(body);
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { status: 400, type: "invalid_request_error", message: error.message };
  }
}

function need(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Refusal(message);
}

function isJsonType(type: string | undefined): boolean {
  return /^application\/json\b/.test(type ?? "");
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function onlyKeys(value: Fields, allowed: string, place: string): void {
  const names = new Set(allowed.split(" "));
  for (const key of Object.keys(value)) {
    need(names.has(key), `${place}.${key}: Extra inputs are not permitted`);
  }
}

function checkBody(body: Fields): void {
  onlyKeys(
    body,
    "model max_tokens messages system tools tool_choice stream temperature top_p top_k thinking output_config stop_sequences metadata",
    "body",
  );
  need(typeof body.model === "string" && body.model !== "", "model: Field required");
  const { max_tokens: maxTokens } = body;
  need(Number.isInteger(maxTokens) && Number(maxTokens) > 0, "max_tokens: must be at least 1");
  if (body.temperature !== undefined) {
    const { temperature } = body;
    need(
      typeof temperature === "number" && temperature >= 0 && temperature <= 1,
      "temperature: range: 0..1",
    );
  }
  checkThinking(body, Number(maxTokens));
  if (body.system !== undefined) checkSystem(body.system);
  if (body.tools !== undefined) checkTools(body.tools);
  const { messages } = body;
  need(
    Array.isArray(messages) && messages.length > 0,
    "messages: at least one message is required",
  );
  checkMessages(messages, isObject(body.thinking) && body.thinking.type === "enabled");
  const marks = countMarks(body);
  need(marks <= 4, `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`);
}

const EFFORTS: readonly unknown[] = ["low", "medium", "high", "xhigh", "max"];

function checkThinking(body: Fields, maxTokens: number): void {
  const { thinking, output_config: output } = body;
  if (output !== undefined) {
    need(isObject(output), "output_config: must be an object");
    need(
      EFFORTS.includes(output.effort),
      "output_config.effort: must be low, medium, high, xhigh or max",
    );
  }
  if (thinking === undefined) return;
  need(isObject(thinking), "thinking: must be an object");
  need(
    body.temperature === undefined || body.temperature === 1,
    "temperature: may only be set to 1 when thinking is enabled",
  );
  if (thinking.type === "adaptive") return onlyKeys(thinking, "type display", "thinking");
  need(thinking.type === "enabled", "thinking.type: must be enabled or adaptive");
  onlyKeys(thinking, "type budget_tokens", "thinking");
  const budget = thinking.budget_tokens;
  need(
    Number.isInteger(budget) && Number(budget) >= 1024,
    "thinking.budget_tokens: must be at least 1024",
  );
  need(Number(budget) < maxTokens, "max_tokens: must be greater than thinking.budget_tokens");
}

function checkSystem(system: unknown): void {
  if (typeof system === "string") return;
  need(Array.isArray(system), "system: must be text or blocks");
  for (const [at, block] of system.entries()) {
    need(isObject(block) && block.type === "text", `system.${at}: must be a text block`);
    checkText(block, `system.${at}`);
  }
}

function checkTools(tools: unknown): void {
  need(Array.isArray(tools), "tools: must be a list");
  const names = new Set<unknown>();
  for (const [at, tool] of tools.entries()) {
    const place = `tools.${at}`;
    need(isObject(tool), `${place}: must be an object`);
    onlyKeys(tool, "name description input_schema cache_control type", place);
    need(
      typeof tool.name === "string" && /^[a-zA-Z0-9_-]{1,128}$/.test(tool.name),
      `${place}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`,
    );
    need(!names.has(tool.name), "tools: Tool names must be unique.");
    names.add(tool.name);
    const schema = tool.input_schema;
    need(
      isObject(schema) && schema.type === "object",
      `${place}.input_schema.type: must be object`,
    );
    for (const key of ["anyOf", "oneOf", "allOf"]) {
      need(!(key in schema), `${place}: input_schema does not support ${key} at the top level`);
    }
    checkMark(tool, place);
  }
}

interface Open {
  /** Ids of the calls of the message before. */
  calls: readonly string[];
  place: string;
}

function checkMessages(messages: readonly unknown[], thinks: boolean): void {
  const ids = new Set<string>();
  let open: Open = { calls: [], place: "" };
  let goesOn = false;
  let cycleThinks = true;
  for (const [at, message] of messages.entries()) {
    const place = `messages.${at}`;
    need(isObject(message), `${place}: must be an object`);
    onlyKeys(message, "role content", place);
    const { role } = message;
    need(role === "user" || role === "assistant", `${place}.role: must be user or assistant`);
    need(at > 0 || role === "user", "messages: first message must use the user role");
    const blocks = blocksOf(message.content, place);
    for (const [index, block] of blocks.entries())
      checkBlock(block, role, `${place}.content.${index}`);
    checkResults(blocks, open, place);
    const calls = blocks.flatMap((block) => (block.type === "tool_use" ? [String(block.id)] : []));
    for (const id of calls) {
      need(!ids.has(id), "messages: `tool_use` ids must be unique");
      ids.add(id);
    }
    if (role === "assistant") {
      const last = blocks.at(-1)?.type;
      need(
        last !== "thinking" && last !== "redacted_thinking",
        `${place}: The final block in an assistant message cannot be \`thinking\`.`,
      );
      const begins = String(blocks[0]?.type).endsWith("thinking");
      // Behind results the run of calls goes on, and its first message decides.
      cycleThinks = begins || (goesOn && cycleThinks);
    } else goesOn = open.calls.length > 0;
    if (role === "user" && open.calls.length > 0 && at === messages.length - 1) {
      need(
        !thinks || cycleThinks,
        "Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block",
      );
    }
    open = { calls, place };
  }
  need(
    open.calls.length === 0,
    `${open.place}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.calls.join(", ")}`,
  );
  const last = messages.at(-1);
  need(
    isObject(last) && last.role === "user",
    "This model does not support assistant message prefill. The conversation must end with a user message.",
  );
}

function blocksOf(content: unknown, place: string): Fields[] {
  if (typeof content === "string") return blocksOf([{ type: "text", text: content }], place);
  need(Array.isArray(content), `${place}.content: must be text or blocks`);
  need(content.length > 0, `${place}: content must not be empty`);
  return content.map((block: unknown, at) => {
    need(isObject(block), `${place}.content.${at}: must be an object`);
    return block;
  });
}

function checkResults(blocks: readonly Fields[], open: Open, place: string): void {
  const answered = new Set<string>();
  for (const [at, block] of blocks.entries()) {
    if (block.type !== "tool_result") continue;
    const id = String(block.tool_use_id);
    need(
      open.calls.includes(id),
      `${place}.content.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
    );
    need(
      !answered.has(id),
      `${place}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
    );
    answered.add(id);
    need(at < answered.size, `${place}: \`tool_result\` blocks must come before other content`);
  }
  const left = open.calls.filter((id) => !answered.has(id));
  need(
    left.length === 0,
    `${open.place}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${left.join(", ")}`,
  );
}

function checkBlock(block: Fields, role: "user" | "assistant", place: string): void {
  const { type } = block;
  const allowed =
    role === "user"
      ? ["text", "image", "tool_result"]
      : ["text", "thinking", "redacted_thinking", "tool_use"];
  need(allowed.includes(String(type)), `${place}: a ${role} message cannot hold ${String(type)}`);
  switch (type) {
    case "text":
      return checkText(block, place);
    case "image":
      return checkImage(block, place);
    case "tool_result":
      return checkResult(block, place);
    case "tool_use":
      return checkCall(block, place);
    case "thinking":
      onlyKeys(block, "type thinking signature", place);
      need(typeof block.thinking === "string", `${place}.thinking: Field required`);
      need(isFilled(block.signature), `${place}.signature: Field required`);
      return;
    default:
      onlyKeys(block, "type data", place);
      need(isFilled(block.data), `${place}.data: Field required`);
  }
}

function isFilled(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function checkText(block: Fields, place: string): void {
  onlyKeys(block, "type text cache_control", place);
  need(typeof block.text === "string", `${place}.text: Field required`);
  need(/\S/.test(block.text), `${place}: text content blocks must contain non-whitespace text`);
  need(block.text.isWellFormed(), `${place}.text: no low surrogate in string`);
  checkMark(block, place);
}

function checkImage(block: Fields, place: string): void {
  onlyKeys(block, "type source cache_control", place);
  const { source } = block;
  need(isObject(source) && source.type === "base64", `${place}.source.type: must be base64`);
  onlyKeys(source, "type media_type data", `${place}.source`);
  need(
    ["image/jpeg", "image/png", "image/gif", "image/webp"].includes(String(source.media_type)),
    `${place}.source.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`,
  );
  need(
    typeof source.data === "string" && /^[A-Za-z0-9+/]+={0,2}$/.test(source.data),
    `${place}.source.data: must be base64`,
  );
  checkMark(block, place);
}

function checkCall(block: Fields, place: string): void {
  onlyKeys(block, "type id name input cache_control", place);
  need(
    /^[a-zA-Z0-9_-]{1,64}$/.test(String(block.id)),
    `${place}.id: String should match pattern '^[a-zA-Z0-9_-]+$'`,
  );
  need(
    /^[a-zA-Z0-9_-]{1,128}$/.test(String(block.name)),
    `${place}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`,
  );
  need(isObject(block.input), `${place}.input: Input should be a valid dictionary`);
  checkMark(block, place);
}

function checkResult(block: Fields, place: string): void {
  onlyKeys(block, "type tool_use_id content is_error cache_control", place);
  need(isFilled(block.tool_use_id), `${place}.tool_use_id: Field required`);
  for (const [at, part] of blocksOf(block.content, place).entries()) {
    need(
      part.type === "text" || part.type === "image",
      `${place}.content.${at}.type: must be text or image`,
    );
    need(
      part.type === "text" || block.is_error !== true,
      `${place}: all content must be type \`text\` if \`is_error\` is true`,
    );
    checkBlock(part, "user", `${place}.content.${at}`);
  }
  checkMark(block, place);
}

function checkMark(block: Fields, place: string): void {
  const mark = block.cache_control;
  if (mark === undefined) return;
  need(
    isObject(mark) && mark.type === "ephemeral",
    `${place}.cache_control.type: must be ephemeral`,
  );
}

function countMarks(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, part) => sum + countMarks(part), 0);
  if (!isObject(value)) return 0;
  let sum = 0;
  for (const [key, part] of Object.entries(value)) {
    if (key === "cache_control") sum++;
    // What a model wrote may have a key of that name.
    else if (key !== "input" && key !== "input_schema") sum += countMarks(part);
  }
  return sum;
}
