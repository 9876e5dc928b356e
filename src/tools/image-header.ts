// Whether an image's bytes are what they claim, and its size. A provider refuses a broken image, and with it every later
// request of the session; so what is not whole never leaves as an image.
import type { ImageMime } from "./file-kind.ts";

export interface ImageSize {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** The size of a whole image, or a few words that say what is wrong with it. */
export function imageSize(bytes: Uint8Array, mimeType: ImageMime): ImageSize | { broken: string } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = READERS[mimeType](view);
  if (typeof size === "string") return { broken: size };
  if (size.width === 0 || size.height === 0) return { broken: "it has no pixels" };
  return size;
}

type Reader = (view: DataView) => ImageSize | string;

const CUT = "it is cut off";

const READERS: Readonly<Record<ImageMime, Reader>> = {
  "image/png": pngSize,
  "image/jpeg": jpegSize,
  "image/gif": gifSize,
  "image/webp": webpSize,
};

function pngSize(view: DataView): ImageSize | string {
  if (view.byteLength < 33) return CUT;
  if (view.getUint32(8) !== 13 || view.getUint32(12) !== 0x49484452) return "its header is wrong";
  for (let at = 8; at + 12 <= view.byteLength;) {
    const length = view.getUint32(at);
    if (view.getUint32(at + 4) === 0x49454e44) {
      return { width: view.getUint32(16), height: view.getUint32(20) };
    }
    at += 12 + length;
  }
  return CUT;
}

function gifSize(view: DataView): ImageSize | string {
  if (view.byteLength < 14) return CUT;
  // Some programs pad after the end mark; one within the last bytes is enough.
  for (let at = view.byteLength - 1; at >= Math.max(13, view.byteLength - 64); at--) {
    if (view.getUint8(at) === 0x3b)
      return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  }
  return CUT;
}

function jpegSize(view: DataView): ImageSize | string {
  let size: ImageSize | undefined;
  for (let at = 2; at + 4 <= view.byteLength;) {
    if (view.getUint8(at) !== 0xff) return "its header is wrong";
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0xda) break;
    if (isFrameHeader(marker) && at + 9 <= view.byteLength) {
      size = { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    }
    at += 2 + view.getUint16(at + 2);
  }
  if (size === undefined) return CUT;
  return hasJpegEnd(view) ? size : CUT;
}

function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** Cameras write more after the end mark, so it is looked for from the back. */
function hasJpegEnd(view: DataView): boolean {
  for (let at = view.byteLength - 2; at >= 2; at--) {
    if (view.getUint8(at) === 0xff && view.getUint8(at + 1) === 0xd9) return true;
  }
  return false;
}

function webpSize(view: DataView): ImageSize | string {
  if (view.byteLength < 30 || view.getUint32(4, true) + 8 > view.byteLength) return CUT;
  switch (view.getUint32(12)) {
    case 0x56503820: // "VP8 "
      return {
        width: view.getUint16(26, true) & 0x3fff,
        height: view.getUint16(28, true) & 0x3fff,
      };
    case 0x5650384c: {
      // "VP8L"
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 0x56503858: // "VP8X"
      return { width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 };
    default:
      return "its header is wrong";
  }
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}
