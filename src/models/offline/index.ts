// The offline model and the stream function that speaks for it.
export { offlineModel } from "./offline-model.ts";
export { streamOffline } from "./stream-offline.ts";
