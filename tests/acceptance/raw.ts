/** Bytes over a TCP connection, for what no HTTP client would send. */

import { until } from "./until.ts";

const HOST = "127.0.0.1";
const ANSWER_MS = 15_000;

export interface RawAnswer {
  /** Null when the server closed the connection without a word. */
  readonly status: number | null;
  readonly head: string;
  readonly body: string;
}

/** One connection, and what came back on it so far. */
export interface RawConnection extends Disposable {
  /** False when the server takes no more. */
  write(bytes: Uint8Array | string): Promise<boolean>;
  /** Says that nothing more will be written. */
  end(): void;
  /** The first whole answer, or what there is when the server closes. */
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
      connection.closeWrite().catch(() => {}); // The server may have closed it already.
    },
    async answer() {
      await until("an answer", () => closed || firstAnswer(text) !== null, ANSWER_MS);
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

/** Sends bytes and reads the answer to them. */
export async function exchange(port: number, bytes: Uint8Array | string): Promise<RawAnswer> {
  using connection = await connect(port);
  await connection.write(bytes);
  return await connection.answer();
}

/** The first answer that is there whole; interim ones are passed over. */
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
