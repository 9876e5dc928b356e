// Where a request goes, and with which headers.
import type { StreamOptions } from "../../core/events.ts";
import type { ErrorKind, Model } from "../../core/messages.ts";

/** `secrets` are what must never show in an error. */
export interface Endpoint {
  url: URL;
  headers: Headers;
  secrets: readonly string[];
}

/** The endpoint, or one sentence that says what is wrong with the settings. */
export type EndpointResult =
  | ({ ok: true } & Endpoint)
  | { ok: false; kind: ErrorKind; message: string };

const VERSION = "2023-06-01";
/** What the API wants to see beside a token of an account in place of a key. */
const TOKEN_BETA = "oauth-2025-04-20";
const BEARER = /^Bearer\s+/i;

/** Later headers win: ours, the key, the model's, the request's. A value of "" takes a header away. */
export function endpointOf(model: Model, options: StreamOptions): EndpointResult {
  const url = messagesUrl(model.baseUrl);
  if (!url) {
    return refused(
      `The base URL of ${model.id} is no http address without a user name: ${hideUserInfo(model.baseUrl)}`,
    );
  }
  const headers = new Headers({
    "content-type": "application/json",
    accept: "text/event-stream",
    "anthropic-version": VERSION,
  });
  const given = { ...keyHeaders(options.apiKey), ...model.headers };
  for (const [name, value] of [
    ...Object.entries(given),
    ...Object.entries(options.headers ?? {}),
  ]) {
    try {
      if (value === "") headers.delete(name);
      else headers.set(name, value);
    } catch {
      // The error's own text would repeat the value, which may be a key.
      return refused(
        `The header ${JSON.stringify(name)} has characters that no header can carry. Check the key for line breaks.`,
      );
    }
  }
  return { ok: true, url, headers, secrets: secretsOf(options.apiKey, headers) };
}

function refused(message: string): EndpointResult {
  return { ok: false, kind: "bad_request", message };
}

/** Takes an address with or without `/v1`, the whole path, or a slash at its end. */
function messagesUrl(baseUrl: string): URL | undefined {
  const url = URL.parse(baseUrl.trim());
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return undefined;
  const path = url.pathname.replace(/\/+$/, "").replace(/\/v1(?:\/messages)?$/, "");
  url.pathname = `${path}/v1/messages`;
  url.hash = "";
  return url;
}

function hideUserInfo(address: string): string {
  return address.replace(/\/\/[^/@]*@/, "//***@").slice(0, 200);
}

function keyHeaders(key: string | undefined): Record<string, string> {
  const bare = key?.trim();
  if (!bare) return {};
  if (BEARER.test(bare)) return { authorization: `Bearer ${bare.replace(BEARER, "")}` };
  if (bare.startsWith("sk-ant-oat")) {
    return { authorization: `Bearer ${bare}`, "anthropic-beta": TOKEN_BETA };
  }
  return { "x-api-key": bare };
}

const NO_SECRET = new Set([
  "content-type",
  "accept",
  "anthropic-version",
  "anthropic-beta",
  "user-agent",
]);

function secretsOf(key: string | undefined, headers: Headers): string[] {
  const values = [...headers].flatMap(([name, value]) => (NO_SECRET.has(name) ? [] : [value]));
  const bare = [key ?? "", ...values].map((value) => value.trim().replace(BEARER, ""));
  // The longest first, so that no part of one stays.
  return [...new Set(bare)].filter(Boolean).sort((a, b) => b.length - a.length);
}
