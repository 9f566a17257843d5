/** A server-sent event; `id` is empty if it has none. */
export interface ServerEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string;
}

/** Yields the events of a stream. @param heard Called before each read, also for comments. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  heard: () => void,
): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = "";
  try {
    for (;;) {
      heard();
      const { value, done } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split("\n\n");
      text = blocks.pop()!;
      for (const block of blocks) {
        const event = eventOf(block);
        if (event.data !== "") yield event;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function eventOf(block: string): ServerEvent {
  const fields = { event: "message", data: "", id: "" };
  for (const line of block.split("\n")) {
    const [, name, value] = /^(event|data|id): ?(.*)$/.exec(line) ?? [];
    if (name !== undefined) fields[name as keyof typeof fields] = value!;
  }
  return fields;
}
