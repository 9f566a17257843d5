export interface EventStream {
  readonly body: ReadableStream<Uint8Array>;
  /** Aborted when the client has gone. */
  readonly gone: AbortSignal;
  /** @param data One line, such as JSON text. */
  send(event: string, data: string): void;
  end(): void;
}

/** @param gone Aborted when the client has gone before it reads the body. */
export function eventStream(gone: AbortSignal): EventStream {
  const encoder = new TextEncoder();
  const left = new AbortController();
  const leave = () => left.abort();
  if (gone.aborted) leave();
  gone.addEventListener("abort", leave, { once: true });
  let isOpen = true;
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
    },
    cancel() {
      isOpen = false;
      leave();
    },
  });
  return {
    body,
    gone: left.signal,
    send(event, data) {
      if (isOpen) controller.enqueue(encoder.encode(`event: ${event}\ndata: ${data}\n\n`));
    },
    end() {
      gone.removeEventListener("abort", leave);
      if (isOpen) controller.close();
      isOpen = false;
    },
  };
}
