import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { fileKind } from "./file-kind.ts";
import type { ImageMime } from "./file-kind.ts";
import { imageSize } from "./image-header.ts";

const ascii = (text: string): Buffer => Buffer.from(text, "latin1");

/** A RIFF file around one chunk. */
function webp(chunk: string, data: Buffer): Buffer {
  const body = Buffer.concat([ascii("WEBP"), ascii(chunk), Buffer.alloc(4), data]);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(body.length);
  return Buffer.concat([ascii("RIFF"), size, body]);
}

const png = (width: number, height: number): Buffer => {
  const header = Buffer.alloc(25);
  header.writeUInt32BE(13);
  header.write("IHDR", 4);
  header.writeUInt32BE(width, 8);
  header.writeUInt32BE(height, 12);
  const end = Buffer.concat([Buffer.alloc(4), ascii("IEND"), Buffer.alloc(4)]);
  return Buffer.concat([ascii("\x89PNG\r\n\x1a\n"), header, end]);
};

const jpeg = Buffer.concat([
  ascii("\xff\xd8\xff\xe0\x00\x04ab"),
  ascii("\xff\xff\xc2\x00\x0b\x08\x00\x20\x00\x10\x01\x00\x00\x00"),
  ascii("\xff\xda\x00\x02 data \xff\xd9 and what a camera adds"),
]);

const gif = Buffer.concat([ascii("GIF89a\x10\x00\x20\x00\x00\x00\x00"), ascii("\x2c data \x3b\0")]);

interface Sample {
  readonly name: string;
  readonly bytes: Buffer;
  readonly mimeType: ImageMime;
  /** Bytes at the end that may be missing. */
  readonly spare: number;
}

const IMAGES: readonly Sample[] = [
  { name: "PNG", bytes: png(16, 32), mimeType: "image/png", spare: 0 },
  { name: "JPEG", bytes: jpeg, mimeType: "image/jpeg", spare: " and what a camera adds".length },
  { name: "GIF", bytes: gif, mimeType: "image/gif", spare: 1 },
  ...[
    { name: "lossy WebP", bytes: webp("VP8 ", ascii("\0\0\0\x9d\x01\x2a\x10\x40\x20\x00\0\0")) },
    { name: "lossless WebP", bytes: webp("VP8L", ascii("\x2f\x0f\xc0\x07\x00\0\0\0\0\0")) },
    { name: "extended WebP", bytes: webp("VP8X", ascii("\0\0\0\0\x0f\0\0\x1f\0\0")) },
  ].map((sample) => ({ ...sample, mimeType: "image/webp" as const, spare: 0 })),
];

describe("an image's header", () => {
  for (const { name, bytes, mimeType, spare } of IMAGES) {
    test(`tells the size of a ${name}, and its kind`, () => {
      assert.deepEqual(imageSize(bytes, mimeType), { width: 16, height: 32 });
      assert.equal(fileKind(bytes).mimeType, mimeType);
    });

    test(`of a ${name} that is cut off anywhere never passes for a whole one`, () => {
      for (let length = 0; length < bytes.length - spare; length++) {
        const size = imageSize(bytes.subarray(0, length), mimeType);
        assert.ok("broken" in size, `cut to ${length} of ${bytes.length}`);
      }
    });
  }

  test("without pixels is broken", () => {
    assert.deepEqual(imageSize(png(0, 5), "image/png"), { broken: "it has no pixels" });
  });

  test("of any bytes is read without a throw and to an end", () => {
    const mimeTypes = fc.constantFrom<ImageMime>(
      "image/png",
      "image/jpeg",
      "image/gif",
      "image/webp",
    );
    const some = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc
        .tuple(
          fc.constantFrom(...IMAGES.map((image) => image.bytes)),
          fc.uint8Array({ maxLength: 60 }),
          fc.nat(60),
        )
        .map(([image, noise, at]) =>
          Uint8Array.from(Buffer.concat([image.subarray(0, at), noise, image.subarray(at)])),
        ),
    );
    fc.assert(
      fc.property(some, mimeTypes, (bytes, mimeType) => {
        imageSize(bytes, mimeType);
      }),
      { numRuns: 500 },
    );
  });
});
