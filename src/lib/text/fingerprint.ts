/** Texts longer than this are told apart by their length and both ends. */
const MAX_HASHED = 65_536;

/**
 * A short text that is equal for equal texts and, short of a rare accident, different for different ones.
 * Not for secrets or hostile collisions. At most 64 Ki characters are looked at.
 */
export function fingerprint(text: string): string {
  const half = MAX_HASHED / 2;
  const part = text.length <= MAX_HASHED ? text : text.slice(0, half) + text.slice(-half);
  // Two FNV-1a sums over different starts: 64 bits without BigInt.
  let a = 0x811c9dc5;
  let b = 0xc9dc5118;
  for (let at = 0; at < part.length; at++) {
    const code = part.charCodeAt(at);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ ((code << 8) | (code >>> 8)), 0x01000193);
  }
  return `${text.length}-${(a >>> 0).toString(36)}-${(b >>> 0).toString(36)}`;
}
