// Which stream function speaks to a model: by the model's api, loaded when it is first asked.
import { EventStream } from "../lib/async/event-stream.ts";
import type { AssistantMessageEvent, AssistantMessageStream, StreamFn } from "../core/events.ts";
import { type AssistantMessage, emptyUsage, type Model } from "../core/messages.ts";
import { describeError } from "../lib/text/describe-error.ts";

/** One line a wire. */
const WIRES: Readonly<Record<string, () => Promise<StreamFn>>> = {
  "anthropic-messages": async () => (await import("./anthropic/stream.ts")).streamAnthropic,
  offline: async () => (await import("./offline/index.ts")).streamOffline,
};

/** Asks a model over the wire that its `api` names; an unknown api, or a wire that cannot be loaded, is an error event. */
export const streamByApi: StreamFn = async (model, context, options) => {
  const load = Object.hasOwn(WIRES, model.api) ? WIRES[model.api] : undefined;
  if (!load) {
    const known = Object.keys(WIRES).join(", ");
    return refuse(model, `No wire speaks ${JSON.stringify(model.api)}. Known are: ${known}.`);
  }
  try {
    const stream = await load();
    return await stream(model, context, options);
  } catch (error) {
    return refuse(model, `The wire ${model.api} failed to load: ${describeError(error)}`);
  }
};

function refuse(model: Model, errorMessage: string): AssistantMessageStream {
  const error: AssistantMessage = {
    role: "assistant",
    content: [],
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: emptyUsage(),
    stopReason: "error",
    errorKind: "bad_request",
    errorMessage,
    timestamp: Date.now(),
  };
  const stream = new EventStream<AssistantMessageEvent, AssistantMessage>(
    (event) => event.type === "error",
    () => error,
  );
  stream.push({ type: "error", reason: "error", error });
  return stream;
}
