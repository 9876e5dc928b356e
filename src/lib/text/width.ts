// How many cells of a terminal a text takes. Counted are grapheme clusters, what a reader takes for one character.

/** Besides emoji: first and last code points, in order, of East Asian Width W and F, with the gaps that nobody uses. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2630, 0x2637],
  [0x268a, 0x268f],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6b],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18dff],
  [0x1aff0, 0x1b2fb],
  [0x1d300, 0x1d376],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
];

/** The soft hyphen is shown where it stands; the other format characters are not. */
const ZERO = /^(?:(?!\u00ad)[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff\ud7b0-\ud7ff])+$/u;
const EMOJI = /^\p{Emoji_Presentation}|^\p{Emoji}.*\ufe0f/su;
/** Characters that never join another: ASCII, Latin, kana without its combining marks, Han, Hangul syllables, full-width forms. */
const SIMPLE =
  // oxlint-disable-next-line no-control-regex
  /^[\u0000-\u000c\u000e-\u007f\u00b0-\u02ff\u3041-\u3096\u309b-\ua4cf\uac00-\ud7a3\uff01-\uff60]*$/;

let segmenter: Intl.Segmenter | undefined;

/** The grapheme clusters of a text, in order; a line break after a carriage return is not split off. */
export function clustersOf(text: string): string[] {
  if (SIMPLE.test(text)) return text.split("");
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Cells of one cluster; a control character counts as one. */
export function clusterWidth(cluster: string): 0 | 1 | 2 {
  const code = cluster.codePointAt(0) ?? 0;
  if (cluster.length === 1 && code < 0x300) return 1;
  if (ZERO.test(cluster)) return 0;
  if (EMOJI.test(cluster)) return 2;
  return code >= 0x1100 && WIDE.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}
