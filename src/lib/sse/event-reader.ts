// Server-sent events out of bytes that may be cut anywhere: in the middle of a character, a line or an event.
import { createParser } from "eventsource-parser";

export interface EventReaderOptions {
  /** Characters that one event, or one line that never ends, may have. */
  maxEventChars: number;
  /** Gets the data of each event, in order; what it throws comes out of `push`. */
  onData(data: string): void;
}

export interface EventReader {
  /** Reads on. Throws `EventTooLong`, and after that it must not be called again. */
  push(bytes: Uint8Array): void;
  /** There are no more bytes: a last event that lacks only its closing empty line is told now, whole or cut off. */
  end(): void;
}

/** One event, or one line, was longer than the reader's bound. */
export class EventTooLong extends Error {
  constructor(maxEventChars: number) {
    super(`An event of the stream is longer than ${maxEventChars} characters.`);
    this.name = "EventTooLong";
  }
}

/** Makes a reader. Bytes that are no UTF-8 become U+FFFD. */
export function createEventReader({ maxEventChars, onData }: EventReaderOptions): EventReader {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let tooLong = false;
  const parser = createParser({
    maxBufferSize: maxEventChars,
    onEvent: ({ data }) => onData(data),
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded") tooLong = true;
    },
  });
  const feed = (text: string): void => {
    if (text === "") return;
    parser.feed(text);
    if (tooLong) throw new EventTooLong(maxEventChars);
  };
  return {
    push: (bytes) => feed(decoder.decode(bytes, { stream: true })),
    end: () => feed(`${decoder.decode()}\n\n`),
  };
}
