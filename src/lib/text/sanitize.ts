// Text from outside, made safe to show: no escape sequences, no control characters but line break and tab.
// The grammar of ECMA-48 decides what a sequence is, not a list of known ones, so that any bytes end somewhere.

/**
 * In order: CSI (parameters, intermediates, final byte), strings (OSC, DCS, SOS, PM, APC up to their end or the line's),
 * other escapes; in both the 7-bit and the 8-bit form. A sequence that is cut off is dropped to the end of its line.
 */
const SEQUENCES =
  // oxlint-disable-next-line no-control-regex
  /(?:\u001b\[|\u009b)[ -?]*[@-~]?|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?/g;

// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Strips escape sequences and control characters; keeps line breaks and tabs. Linear. */
export function sanitizeText(text: string): string {
  return text.replace(SEQUENCES, "").replace(CONTROLS, "");
}
