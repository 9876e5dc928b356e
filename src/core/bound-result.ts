// Every tool's result, whoever wrote the tool, is made regular and bounded here, once.
import { toJsonValue } from "../lib/json/to-json-value.ts";
import { cutUtf8, formatBytes, utf8Length } from "../lib/text/truncate.ts";
import type { JsonValue, TextContent, ToolResultMessage, Usage } from "./messages.ts";
import type { ToolResult } from "./tool.ts";

/** UTF-8 bytes of text in one result. */
export const MAX_RESULT_TEXT_BYTES = 65_536;
export const MAX_RESULT_IMAGES = 20;
/** Blocks of one result; texts count by their bytes too. */
export const MAX_RESULT_BLOCKS = 1000;
/** Characters of base64: what providers count against their limit of 5 MB. */
export const MAX_RESULT_IMAGE_SIZE: number = 5 * 1024 * 1024;
/** Bytes of `details` as JSON. */
export const MAX_DETAILS_BYTES: number = 1024 * 1024;

type Content = ToolResultMessage["content"];

/** A result as the history, the events and the journal hold it. */
export interface BoundedResult extends ToolResult<JsonValue> {
  content: Content;
  isError: boolean;
}

/** A result of one text. */
export function textResult(text: string, isError: boolean): BoundedResult {
  return { content: [{ type: "text", text }], isError };
}

/** Keeps the whole of a cut text and says where; failing or absent, the model is told to ask for less. */
export type Spill = (text: string) => Promise<string | undefined>;

/** Makes anything that a tool returned a result of bounded size. Never rejects if `spill` does not. */
export async function boundResult(returned: unknown, spill: Spill): Promise<BoundedResult> {
  const raw = isRecord(returned) ? returned : {};
  const content = await boundText(limitImages(limitBlocks(regularContent(raw["content"]))), spill);
  const result: BoundedResult = { content, isError: raw["isError"] === true };
  if (raw["details"] !== undefined) result.details = boundDetails(raw["details"]);
  if (raw["terminate"] === true) result.terminate = true;
  if (isRecord(raw["usage"])) result.usage = raw["usage"] as unknown as Usage;
  return result;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function regularContent(content: unknown): Content {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [asText(content)];
  return content.map((block: unknown) => {
    if (isRecord(block)) {
      if (block["type"] === "text" && typeof block["text"] === "string") {
        return { type: "text", text: block["text"] };
      }
      if (block["type"] === "image" && typeof block["data"] === "string") {
        const { data, mimeType } = block;
        return { type: "image", data, mimeType: typeof mimeType === "string" ? mimeType : "" };
      }
    }
    return typeof block === "string" ? { type: "text", text: block } : asText(block);
  });
}

/** A block of no known kind is shown as what it is. */
function asText(block: unknown): TextContent {
  const plain = toJsonValue(block, MAX_RESULT_TEXT_BYTES);
  return { type: "text", text: plain.ok ? JSON.stringify(plain.value) : `[${plain.reason}]` };
}

function limitBlocks(content: Content): Content {
  if (content.length <= MAX_RESULT_BLOCKS) return content;
  const left = content.length - MAX_RESULT_BLOCKS;
  const note = `[${left} more blocks left out: a result holds ${MAX_RESULT_BLOCKS}.]`;
  return [...content.slice(0, MAX_RESULT_BLOCKS), { type: "text", text: note }];
}

function limitImages(content: Content): Content {
  let images = 0;
  return content.map((block) => {
    if (block.type !== "image") return block;
    images++;
    if (images > MAX_RESULT_IMAGES) {
      return {
        type: "text",
        text: `[Image left out: a result holds ${MAX_RESULT_IMAGES} images.]`,
      };
    }
    if (block.data.length <= MAX_RESULT_IMAGE_SIZE) return block;
    const size = formatBytes(block.data.length);
    return {
      type: "text",
      text: `[Image left out: ${size} of base64, more than ${formatBytes(MAX_RESULT_IMAGE_SIZE)}. Make it smaller first.]`,
    };
  });
}

async function boundText(content: Content, spill: Spill): Promise<Content> {
  const sizes = content.map((block) => (block.type === "text" ? utf8Length(block.text) : 0));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= MAX_RESULT_TEXT_BYTES) return content;
  const kept: Content = [];
  let left = MAX_RESULT_TEXT_BYTES;
  for (const [at, block] of content.entries()) {
    const size = sizes[at] as number;
    if (block.type !== "text" || size <= left) kept.push(block);
    else {
      const text = cutUtf8(block.text, left);
      if (text !== "") kept.push({ ...block, text });
    }
    left = Math.max(0, left - size);
  }
  const whole = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  kept.push({ type: "text", text: cutNote(total, await spill(whole)) });
  return kept;
}

function cutNote(total: number, where: string | undefined): string {
  const cut = `[Output cut: the first ${formatBytes(MAX_RESULT_TEXT_BYTES)} of ${formatBytes(total)} are shown.`;
  return where
    ? `${cut} The whole text is in ${where}.]`
    : `${cut} For the rest, call again for less: a range, a filter or a limit.]`;
}

function boundDetails(details: unknown): JsonValue {
  const plain = toJsonValue(details, MAX_DETAILS_BYTES);
  return plain.ok ? (plain.value as JsonValue) : { dropped: plain.reason };
}
