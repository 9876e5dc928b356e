// The forms in which a secret turns up in outputs: as it is, and as the usual encodings write it.

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** Characters of a line, where programs wrap base64: most of them, and PEM. */
const WRAPS = [76, 64];

/** `value` itself first, then URL-encoded, JSON-escaped and in base64, wherever in longer data it stands; each once. */
export function formsOf(value: string): string[] {
  const wellFormed = value.toWellFormed();
  return [
    ...new Set([
      wellFormed,
      ...urlForms(wellFormed),
      ...jsonForms(wellFormed),
      ...base64Forms(wellFormed),
    ]),
  ];
}

function urlForms(value: string): string[] {
  const usual = encodeURIComponent(value);
  const strict = usual.replaceAll(
    /[!'()*~]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const inForms = strict.replaceAll("%20", "+");
  return [usual, strict, inForms].flatMap((form) => [
    form,
    form.replaceAll(/%[\dA-F]{2}/g, (code) => code.toLowerCase()),
  ]);
}

function jsonForms(value: string): string[] {
  const usual = JSON.stringify(value).slice(1, -1);
  const ascii = usual.replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return [usual, ascii].flatMap((form) => [form, form.replaceAll("/", "\\/")]);
}

/**
 * Alone, with its padding and wrapped; and as a part of longer data, which begins at any of three places of a group: then the characters
 * that only the secret decides.
 */
function base64Forms(value: string): string[] {
  const bytes = new TextEncoder().encode(value);
  const alone = base64(bytes, 0);
  const parts = [0, 1, 2].map((before) => base64(bytes, before).slice([0, 2, 3][before]));
  const whole = alone.padEnd(Math.ceil(alone.length / 4) * 4, "=");
  const wrapped = WRAPS.flatMap((width) => lines(whole, width));
  // The last character of a part may also hold bits of what follows.
  const ends = [0, 1, 2].map((before) => ((before + bytes.length) % 3 === 0 ? 0 : 1));
  const inside = parts.map((part, before) => part.slice(0, part.length - (ends[before] ?? 0)));
  return [whole, ...wrapped, ...inside].flatMap((form) => [
    form,
    form.replaceAll("+", "-").replaceAll("/", "_"),
  ]);
}

/** Without padding; `before` zero bytes stand before the secret. */
function base64(bytes: Uint8Array, before: number): string {
  let text = "";
  let bits = 0;
  let held = 0;
  for (let at = -before; at < bytes.length; at++) {
    held = ((held << 8) | (bytes[at] ?? 0)) & 0xffff;
    for (bits += 8; bits >= 6; bits -= 6) text += BASE64.charAt((held >> (bits - 6)) & 63);
  }
  return bits > 0 ? text + BASE64.charAt((held << (6 - bits)) & 63) : text;
}

function lines(text: string, width: number): string[] {
  const count = Math.ceil(text.length / width);
  return Array.from({ length: count }, (_, n) => text.slice(n * width, (n + 1) * width));
}
