/** An option that makes no sense: the message is one line that says what to do. */
export class BadOptionError extends Error {
  override readonly name = "BadOptionError";
}
