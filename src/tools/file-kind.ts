// What a file is, told from its first bytes and never from its name.
import { byteOrderMark } from "./text-encoding.ts";

/** How many bytes at the start of a file are looked at. */
export const HEAD_BYTES = 8192;

export type ImageMime = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

export interface FileKindFound {
  readonly kind: "text" | "image" | "binary";
  /** In words, for instance `gzip archive`. */
  readonly name: string;
  readonly mimeType?: ImageMime;
  /** A command that shows what is inside; `FILE` stands for the quoted path. */
  readonly look: string;
}

interface Magic {
  readonly name: string;
  readonly at?: number;
  readonly bytes: string;
  readonly mimeType?: ImageMime;
  readonly look?: string;
}

const HEX_DUMP = "xxd -l 512 FILE";

/** `bytes` as characters of one byte each. */
const MAGIC: readonly Magic[] = [
  { name: "PNG image", bytes: "\x89PNG\r\n\x1a\n", mimeType: "image/png" },
  { name: "JPEG image", bytes: "\xff\xd8\xff", mimeType: "image/jpeg" },
  { name: "GIF image", bytes: "GIF87a", mimeType: "image/gif" },
  { name: "GIF image", bytes: "GIF89a", mimeType: "image/gif" },
  { name: "PDF document", bytes: "%PDF-", look: "pdftotext -layout FILE - | head -100" },
  {
    name: "zip archive (also office documents and jars)",
    bytes: "PK\x03\x04",
    look: "unzip -l FILE",
  },
  { name: "gzip archive", bytes: "\x1f\x8b\x08", look: "zcat FILE | head -c 2000" },
  { name: "bzip2 archive", bytes: "BZh", look: "bzcat FILE | head -c 2000" },
  { name: "xz archive", bytes: "\xfd7zXZ\0", look: "xzcat FILE | head -c 2000" },
  { name: "zstd archive", bytes: "\x28\xb5\x2f\xfd", look: "zstdcat FILE | head -c 2000" },
  { name: "7z archive", bytes: "7z\xbc\xaf\x27\x1c", look: "7z l FILE" },
  { name: "tar archive", at: 257, bytes: "ustar", look: "tar -tvf FILE" },
  { name: "SQLite database", bytes: "SQLite format 3\0", look: "sqlite3 FILE .schema" },
  { name: "ELF program or library", bytes: "\x7fELF", look: "readelf -h FILE" },
  { name: "WebAssembly module", bytes: "\0asm", look: "wasm-objdump -h FILE" },
  { name: "Java class", bytes: "\xca\xfe\xba\xbe", look: "javap -p FILE" },
  { name: "Mach-O program or library", bytes: "\xcf\xfa\xed\xfe", look: "otool -h FILE" },
  { name: "WOFF font", bytes: "wOFF" },
  { name: "WOFF2 font", bytes: "wOF2" },
  { name: "Ogg media", bytes: "OggS", look: "ffprobe FILE" },
  { name: "MP3 audio", bytes: "ID3", look: "ffprobe FILE" },
  { name: "MP4 or QuickTime media", at: 4, bytes: "ftyp", look: "ffprobe FILE" },
];

/** Kinds whose mark is a plain word that a text might begin with: they need a binary byte as well. */
const WORDLIKE: ReadonlySet<string> = new Set([
  "BZh",
  "ID3",
  "OggS",
  "wOFF",
  "wOF2",
  "ftyp",
  "ustar",
  "GIF87a",
  "GIF89a",
]);

/** What the file that begins with `head` (at most `HEAD_BYTES` of it) is. */
export function fileKind(head: Uint8Array): FileKindFound {
  const text = looksLikeText(head);
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, 512)).toString(
    "latin1",
  );
  if (start.startsWith("RIFF") && start.slice(8, 12) === "WEBP") {
    return { kind: "image", name: "WebP image", mimeType: "image/webp", look: HEX_DUMP };
  }
  for (const { name, at = 0, bytes, mimeType, look = HEX_DUMP } of MAGIC) {
    if (!start.startsWith(bytes, at) || (text && WORDLIKE.has(bytes))) continue;
    return mimeType === undefined
      ? { kind: "binary", name, look }
      : { kind: "image", name, mimeType, look };
  }
  if (text) return { kind: "text", name: "text", look: "" };
  return { kind: "binary", ...unknownKind(head) };
}

function unknownKind(head: Uint8Array): { name: string; look: string } {
  const zeros = [0, 0];
  for (const [index, byte] of head.entries())
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  // Text of western languages in UTF-16 has a zero in every second byte.
  if (odd > head.length / 4 && even < odd / 8) {
    return {
      name: "perhaps UTF-16 text without a byte order mark",
      look: "iconv -f UTF-16LE -t UTF-8 FILE",
    };
  }
  if (even > head.length / 4 && odd < even / 8) {
    return {
      name: "perhaps UTF-16 text without a byte order mark",
      look: "iconv -f UTF-16BE -t UTF-8 FILE",
    };
  }
  return { name: "unknown kind", look: HEX_DUMP };
}

/** Text has no NUL and hardly a control character; random bytes have one in ten. */
function looksLikeText(head: Uint8Array): boolean {
  const mark = byteOrderMark(head);
  if (mark !== undefined) return mark.encoding === "utf-8" ? !head.includes(0) : true;
  let controls = 0;
  for (const byte of head) {
    if (byte === 0) return false;
    if (byte < 0x20 && !(byte >= 0x08 && byte <= 0x0d) && byte !== 0x1b) controls++;
  }
  return controls * 20 <= head.length;
}
