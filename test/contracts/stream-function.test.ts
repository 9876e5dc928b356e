import { streamAnthropic } from "../../src/models/anthropic/stream.ts";
import { anthropicWire } from "../../src/testing/anthropic-wire.ts";
import type { ServerTurn } from "../../src/testing/server-wire.ts";
import { anthropicModel } from "../kit/anthropic-model.ts";
import { streamFunctionContract, type StreamSubject } from "./stream-function.ts";

const refusal = (
  status: number,
  [type, message]: [string, string],
  headers: Record<string, string> = {},
): ServerTurn => ({ status, body: anthropicWire.errorBody(type, message), headers });

const HTML = { "content-type": "text/html" };

const errors: StreamSubject["errors"] = [
  {
    name: "a wrong key",
    kind: "auth",
    reply: refusal(401, ["authentication_error", "invalid x-api-key"]),
  },
  {
    name: "a key without permission",
    kind: "auth",
    reply: refusal(403, ["permission_error", "no"]),
  },
  {
    name: "an unknown model",
    kind: "not_found",
    reply: refusal(404, ["not_found_error", "model: x"]),
  },
  {
    name: "a bad request",
    kind: "bad_request",
    reply: refusal(400, ["invalid_request_error", "messages.0: bad"]),
  },
  {
    name: "a prompt that is too long",
    kind: "context_overflow",
    reply: refusal(400, [
      "invalid_request_error",
      "prompt is too long: 210000 tokens > 200000 maximum",
    ]),
  },
  {
    name: "input and maximum together over the window",
    kind: "context_overflow",
    reply: refusal(400, [
      "invalid_request_error",
      "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000",
    ]),
  },
  {
    name: "a body that is too large",
    kind: "context_overflow",
    reply: refusal(413, ["request_too_large", "too large"]),
  },
  {
    name: "a proxy's 413",
    kind: "context_overflow",
    reply: { status: 413, body: "<html><title>413</title></html>", headers: HTML },
  },
  {
    name: "an empty account",
    kind: "quota",
    reply: refusal(400, [
      "invalid_request_error",
      "Your credit balance is too low to access the Anthropic API.",
    ]),
  },
  {
    name: "a rate limit",
    kind: "rate_limit",
    reply: refusal(429, ["rate_limit_error", "slow down"]),
  },
  {
    name: "a rate limit with seconds to wait",
    kind: "rate_limit",
    retryAfterMs: 90_000,
    reply: refusal(429, ["rate_limit_error", "slow down"], { "retry-after": "90" }),
  },
  {
    name: "a rate limit with milliseconds to wait",
    kind: "rate_limit",
    retryAfterMs: 1500,
    reply: refusal(429, ["rate_limit_error", "slow down"], {
      "retry-after-ms": "1500",
      "retry-after": "2",
    }),
  },
  {
    name: "an overload",
    kind: "overloaded",
    reply: refusal(529, ["overloaded_error", "Overloaded"]),
  },
  {
    name: "a server error",
    kind: "server",
    reply: refusal(500, ["api_error", "Internal server error"]),
  },
  {
    name: "a proxy's web page",
    kind: "server",
    reply: { status: 502, body: "<html><title>502 Bad Gateway</title></html>", headers: HTML },
  },
  { name: "an error without a body", kind: "server", reply: { status: 503, body: "" } },
  {
    name: "an overload with status 200",
    kind: "overloaded",
    reply: refusal(200, ["overloaded_error", "Overloaded"]),
  },
  {
    name: "an error event at the start",
    kind: "overloaded",
    reply: { cutAfter: 0, error: { type: "overloaded_error", message: "Overloaded" } },
  },
  {
    name: "an error event in the middle",
    kind: "server",
    reply: { text: "half", cutAfter: 3, error: { type: "api_error", message: "oops" } },
  },
];

streamFunctionContract("anthropic", {
  streamFn: streamAnthropic,
  wire: anthropicWire,
  model: anthropicModel,
  apiKey: "sk-ant-api-test",
  stopReasons: { length: "max_tokens", refused: "refusal" },
  errors,
});
