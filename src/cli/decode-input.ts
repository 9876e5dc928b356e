// What a file or a pipe hands in, as a model takes it: text whatever its encoding, images, and nothing else.
import { isUtf8 } from "node:buffer";
import { fileKind, HEAD_BYTES, type ImageMime } from "../tools/file-kind.ts";
import {
  byteOrderMark,
  checkUtf8,
  decodeUtf16,
  decodeWindows1252,
} from "../tools/text-encoding.ts";

/** `binary` says in words what it is. */
export type DecodedInput =
  | { kind: "text"; text: string }
  | { kind: "image"; mimeType: ImageMime }
  | { kind: "binary"; name: string };

/** Decides by the bytes alone. Text that is not UTF-8 and has no mark is taken as windows-1252. */
export function decodeInput(bytes: Buffer): DecodedInput {
  const { kind, name, mimeType } = fileKind(bytes.subarray(0, HEAD_BYTES));
  if (mimeType) return { kind: "image", mimeType };
  if (kind === "binary") return { kind, name };
  return { kind: "text", text: decodeText(bytes) };
}

function decodeText(bytes: Buffer): string {
  const mark = byteOrderMark(bytes);
  const body = bytes.subarray(mark?.length ?? 0);
  if (mark?.encoding === "utf-16le" || mark?.encoding === "utf-16be") {
    return decodeUtf16(body, mark.encoding);
  }
  if (mark || isUtf8(body)) return body.toString("utf8");
  const { multibyte, stray } = checkUtf8(body);
  return multibyte > stray ? body.toString("utf8") : decodeWindows1252(body);
}
