import type { GlobalOptions } from "./arguments.ts";

export interface Output extends AsyncDisposable {
  json(value: unknown): Promise<void>;
  /** Writes an item as one line of JSON. */
  line(value: unknown): Promise<void>;
  stream(body: ReadableStream<Uint8Array> | null): Promise<void>;
}

/** Fails for an unwritable file before the request, as an answer may be shown only once. */
export async function openOutput(
  { to, json }: Pick<GlobalOptions, "to" | "json">,
): Promise<Output> {
  const isPretty = !json && to === undefined && Deno.stdout.isTerminal();
  const file = to === undefined ? null : await Deno.open(to, { write: true, create: true });
  const writable = (file ?? Deno.stdout).writable;
  const encoder = new TextEncoder();
  let isBegun = false;
  const begin = async () => {
    if (!isBegun) await file?.truncate();
    isBegun = true;
  };
  const write = async (bytes: Uint8Array) => {
    await begin();
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
      await begin();
      await body?.pipeTo(writable, { preventClose: true });
    },
    async [Symbol.asyncDispose]() {
      if (file !== null) await writable.close();
    },
  };
}
