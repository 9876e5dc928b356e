// What went wrong with a request, as a kind that the loop acts on and a sentence that says what to do.
import type { AssistantMessage, ErrorKind } from "../../core/messages.ts";
import { describeError } from "../../lib/text/describe-error.ts";
import { sanitizeText } from "../../lib/text/sanitize.ts";

/** The error fields of a failed message. */
export interface WireFailure {
  kind: ErrorKind;
  message: string;
  status?: number;
  retryAfterMs?: number;
}

/** Characters of an error's text, and of its type, that are kept. */
const MAX_MESSAGE = 2000;
const MAX_TYPE = 100;

const KIND_BY_TYPE: Readonly<Record<string, ErrorKind>> = {
  invalid_request_error: "bad_request",
  authentication_error: "auth",
  permission_error: "auth",
  billing_error: "quota",
  not_found_error: "not_found",
  request_too_large: "context_overflow",
  rate_limit_error: "rate_limit",
  timeout_error: "server",
  api_error: "server",
  overloaded_error: "overloaded",
};

// The API says these as invalid_request_error; only the words tell them apart.
const OVERFLOW =
  /prompt is too long|exceeds? (?:the )?(?:maximum )?context|context (?:window|length|limit)|too many (?:input )?tokens|input is too long/i;
const QUOTA =
  /credit balance is too low|insufficient (?:credit|balance|quota|funds)|spend(?:ing)? limit|usage limits?\b/i;

/** A failure that the server told by an HTTP status; `body` may be JSON, HTML or anything. */
export function failureOfResponse(
  response: { status: number; headers: Headers; host: string },
  body: string,
): WireFailure {
  const { status, headers, host } = response;
  const told = readErrorBody(body);
  const failure: WireFailure = {
    kind: kindOf(status, told),
    message: `${host} answered ${status}${told.type ? ` (${told.type})` : ""}: ${shortText(told.message) || "no reason given"}${adviceFor(status, headers)}`,
    status,
  };
  const retryAfterMs = retryAfter(headers, Date.now());
  if (retryAfterMs !== undefined) failure.retryAfterMs = retryAfterMs;
  return failure;
}

/** A failure that came as an `error` event inside the stream, or as JSON with status 200. */
export function failureOfErrorObject(value: unknown, host: string): WireFailure {
  const told = errorObject(value) ?? { message: "an error without a reason" };
  const type = told.type ? ` (${told.type})` : "";
  return {
    kind: kindOf(500, told),
    message: `${host} reported an error${type}: ${shortText(told.message)}`,
  };
}

/** Whether a parsed body is the API's way to tell an error. */
export function isErrorObject(value: unknown): boolean {
  return errorObject(value) !== undefined;
}

interface ToldError {
  type?: string;
  message: string;
}

function readErrorBody(body: string): ToldError {
  try {
    const told = errorObject(JSON.parse(body));
    if (told) return told;
  } catch {
    // HTML of a proxy, or plain text.
  }
  return { message: textOfMarkup(body) };
}

function errorObject(value: unknown): ToldError | undefined {
  if (!isRecord(value)) return undefined;
  const { error, message } = value;
  if (typeof error === "string") return { message: error };
  const inner = isRecord(error) ? error : value.type === "error" ? value : undefined;
  if (!inner) return typeof message === "string" ? { message } : undefined;
  const text = typeof inner.message === "string" ? inner.message : JSON.stringify(inner);
  return typeof inner.type === "string" && inner.type !== "error"
    ? { type: shortText(inner.type, MAX_TYPE), message: text }
    : { message: text };
}

/** What a page says: its title, else its text. */
function textOfMarkup(body: string): string {
  if (!/<(?:!doctype|html|head|body|title)\b/i.test(body.slice(0, 1000))) return body;
  const title = /<title[^>]*>([^<]*)/i.exec(body)?.[1]?.trim();
  return title || body.slice(0, 8000).replace(/<[^<>]*>/g, " ");
}

/** A server's words as one line of at most `most` characters, without escape codes. */
export function shortText(text: string, most: number = MAX_MESSAGE): string {
  const line = sanitizeText(text.slice(0, most * 4))
    .replace(/\s+/g, " ")
    .trim();
  return line.length > most ? `${line.slice(0, most)}…` : line;
}

function kindOf(status: number, told: ToldError): ErrorKind {
  const byType = Object.hasOwn(KIND_BY_TYPE, told.type ?? "")
    ? KIND_BY_TYPE[told.type ?? ""]
    : undefined;
  const kind = byType ?? kindOfStatus(status);
  if (status === 429 && QUOTA.test(told.message)) return "quota";
  if (kind !== "bad_request" && status !== 413) return kind;
  if (OVERFLOW.test(told.message)) return "context_overflow";
  return QUOTA.test(told.message) ? "quota" : kind;
}

function kindOfStatus(status: number): ErrorKind {
  switch (status) {
    case 401:
    case 403:
    case 407:
      return "auth";
    case 402:
      return "quota";
    case 404:
    case 405:
      return "not_found";
    case 408:
      return "server";
    case 413:
      return "context_overflow";
    case 429:
      return "rate_limit";
    case 529:
      return "overloaded";
    default:
      return status >= 500 ? "server" : "bad_request";
  }
}

function adviceFor(status: number, headers: Headers): string {
  if (status === 401 || status === 403)
    return " Check the key, and that it belongs to this address.";
  if (status === 404 || status === 405) return " Check the model's name and the base URL.";
  const target = status >= 300 && status < 400 ? headers.get("location") : null;
  // A redirect would carry the key to another host: the user has to say so.
  return target
    ? ` It redirects to ${shortText(target)}: set the base URL to where the API is.`
    : "";
}

/** Longer waits than this are nonsense: a day, in milliseconds. */
const MAX_WAIT_MS = 86_400_000;

/** How long a server asks to wait, in milliseconds: `retry-after-ms`, else `retry-after` in seconds or as a date. */
export function retryAfter(headers: Headers, now: number): number | undefined {
  const milliseconds = Number.parseFloat(headers.get("retry-after-ms") ?? "");
  if (milliseconds >= 0) return Math.min(MAX_WAIT_MS, milliseconds);
  const value = headers.get("retry-after")?.trim();
  if (!value) return undefined;
  const seconds = Number(value);
  const wait = Number.isNaN(seconds) ? Date.parse(value) - now : seconds * 1000;
  return Number.isNaN(wait) ? undefined : Math.min(MAX_WAIT_MS, Math.max(0, wait));
}

/** A failure of the connection itself: refused, not found, not trusted, broken off. */
export function failureOfConnection(error: unknown, url: URL): WireFailure {
  const code = codeOf(error);
  const host = url.host;
  const certificate = /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|ALTNAME/.test(code);
  // Repeating does not make a certificate good.
  if (certificate) {
    return {
      kind: "bad_request",
      message: `The certificate of ${host} is not trusted (${code}). If it is your company's own, name its file in NODE_EXTRA_CA_CERTS.`,
    };
  }
  if (/^(?:EPROTO|ERR_SSL_)/.test(code)) {
    return {
      kind: "bad_request",
      message: `${host} does not speak TLS (${code}). Check whether the base URL (${url.origin}) begins with http or https.`,
    };
  }
  if (code.startsWith("HPE_")) {
    return {
      kind: "protocol",
      message: `${host} does not speak HTTP. Check the base URL (${url.origin}).`,
    };
  }
  return { kind: "network", message: connectionText(code, { host, origin: url.origin, error }) };
}

function connectionText(
  code: string,
  { host, origin, error }: { host: string; origin: string; error: unknown },
): string {
  switch (code) {
    case "ECONNREFUSED":
      return `Nothing listens at ${host}. Check the base URL (${origin}), or start the server there.`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `The host ${host} was not found. Check the network, and the base URL (${origin}).`;
    case "ETIMEDOUT":
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return `${host} cannot be reached (${code}). Check the network, or the proxy in HTTPS_PROXY.`;
    case "ECONNRESET":
    case "EPIPE":
      return `The connection to ${host} broke off (${code}).`;
    default:
      return `The connection to ${host} failed: ${code || shortText(deepest(error))}.`;
  }
}

/** The system's code, wherever fetch has put it. */
function codeOf(error: unknown): string {
  for (let at: unknown = error, depth = 0; isRecord(at) && depth < 5; depth++) {
    if (typeof at.code === "string" && at.code !== "") return at.code;
    at = Array.isArray(at.errors) && at.errors.length > 0 ? at.errors[0] : at.cause;
  }
  return "";
}

function deepest(error: unknown): string {
  let at: unknown = error;
  for (let depth = 0; depth < 5 && isRecord(at) && isRecord(at.cause); depth++) at = at.cause;
  return describeError(at);
}

/** Writes a failure into the message that ends the stream; nothing of `secrets` stays in it. */
export function applyFailure(
  message: AssistantMessage,
  failure: WireFailure,
  secrets: readonly string[],
): void {
  message.stopReason = failure.kind === "aborted" ? "aborted" : "error";
  message.errorKind = failure.kind;
  message.errorMessage = redact(failure.message, secrets);
  if (failure.status !== undefined) message.status = failure.status;
  if (failure.retryAfterMs !== undefined) message.retryAfterMs = failure.retryAfterMs;
}

/** Shorter ones would turn ordinary words into stars. */
const SHORTEST_SECRET = 6;
/** A text that was cut may hold only the beginning of a secret; this much of it is hidden too. */
const SECRET_START = 12;

function redact(text: string, secrets: readonly string[]): string {
  return secrets.filter(({ length }) => length >= SHORTEST_SECRET).reduce(hide, text);
}

function hide(text: string, secret: string): string {
  const start = secret.slice(0, SECRET_START);
  const [first = "", ...rest] = text.split(start);
  return rest.reduce((clean, part) => {
    let more = 0;
    while (more < part.length && part[more] === secret[start.length + more]) more++;
    return `${clean}***${part.slice(more)}`;
  }, first);
}

/** Any object, a list too. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
