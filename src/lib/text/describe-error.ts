/** Readable text of anything that was thrown: never empty, never "[object Object]", never throws. */
export function describeError(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return thrown.message || thrown.name;
    if (typeof thrown === "string") return thrown || "an empty text was thrown";
    if (typeof thrown === "object" && thrown !== null) {
      const { message } = thrown as { message?: unknown };
      if (typeof message === "string" && message) return message;
      return JSON.stringify(thrown) ?? "an object without content was thrown";
    }
    return `${String(thrown)} was thrown`;
  } catch {
    return "something that cannot be shown as text was thrown";
  }
}
