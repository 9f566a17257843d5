/** Where answers go: a file, or standard output. */
export interface Output extends AsyncDisposable {
  json(value: unknown): Promise<void>;
  /** An item of many: one line of JSON. */
  line(value: unknown): Promise<void>;
  stream(body: ReadableStream<Uint8Array> | null): Promise<void>;
}

/** @param to Null for standard output. */
export async function openOutput(
  to: string | null,
  { isPretty }: { isPretty: boolean },
): Promise<Output> {
  const file = to === null ? null : await Deno.open(to, {
    write: true,
    create: true,
    truncate: true,
  });
  const writable = (file ?? Deno.stdout).writable;
  const encoder = new TextEncoder();
  const write = async (bytes: Uint8Array) => {
    const writer = writable.getWriter();
    await writer.write(bytes);
    writer.releaseLock();
  };
  const line = (value: unknown, indent?: number) =>
    write(encoder.encode(`${JSON.stringify(value, null, indent)}\n`));
  return {
    json: (value) => line(value, isPretty ? 2 : undefined),
    line: (value) => line(value),
    async stream(body) {
      await body?.pipeTo(writable, { preventClose: true });
    },
    async [Symbol.asyncDispose]() {
      if (file !== null) await writable.close();
    },
  };
}
