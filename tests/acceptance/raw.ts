/** Sends bytes over a TCP connection that an HTTP client would not send. */

import { until } from "./until.ts";

const HOST = "127.0.0.1";
const ANSWER_MS = 15_000;

export interface RawAnswer {
  /** Null if the server closed the connection without a response. */
  readonly status: number | null;
  readonly head: string;
  readonly body: string;
}

export interface RawConnection extends Disposable {
  /** Returns false if the server accepts no more bytes. */
  write(bytes: Uint8Array | string): Promise<boolean>;
  /** Ends the sending side. */
  end(): void;
  /** Resolves to the first complete response, or the received bytes when the server closes. */
  answer(): Promise<RawAnswer>;
  received(): string;
  isClosed(): boolean;
}

export async function connect(port: number): Promise<RawConnection> {
  const connection = await Deno.connect({ hostname: HOST, port });
  let text = "";
  let closed = false;
  void (async () => {
    const decoder = new TextDecoder("latin1");
    const buffer = new Uint8Array(64 * 1024);
    try {
      for (;;) {
        const count = await connection.read(buffer);
        if (count === null) return;
        text += decoder.decode(buffer.subarray(0, count), { stream: true });
      }
    } catch {
      // Reset by the server, or closed by us.
    } finally {
      closed = true;
    }
  })();
  return {
    async write(bytes) {
      const rest = typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes;
      try {
        for (let at = 0; at < rest.length;) at += await connection.write(rest.subarray(at));
        return true;
      } catch {
        return false;
      }
    },
    end() {
      connection.closeWrite().catch(() => {}); // The server may have closed the connection already.
    },
    async answer() {
      await until("a response arrives", () => closed || firstAnswer(text) !== null, ANSWER_MS);
      return firstAnswer(text) ?? { status: null, head: text, body: "" };
    },
    received: () => text,
    isClosed: () => closed,
    [Symbol.dispose]() {
      try {
        connection.close();
      } catch {
        // Closed already.
      }
    },
  };
}

export async function exchange(port: number, bytes: Uint8Array | string): Promise<RawAnswer> {
  using connection = await connect(port);
  await connection.write(bytes);
  return await connection.answer();
}

/** Returns the first complete response, skipping interim ones. */
function firstAnswer(text: string): RawAnswer | null {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const head = text.slice(0, end);
  const rest = text.slice(end + 4);
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? NaN);
  if (status >= 100 && status < 200) return firstAnswer(rest);
  if (Number.isNaN(status)) return { status: null, head, body: rest };
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  return rest.length < length ? null : { status, head, body: rest.slice(0, length) };
}
