import { ANSWER_STALL_MS } from "../limits.ts";
import type { ByteBudget } from "./byte_budget.ts";

/** The connection to which an answer is sent. */
export interface Recipient {
  /** The holder to whose memory budget the answer is charged. */
  readonly holder: string;
  /** Settles when the answer was sent or could not be sent. */
  readonly sent: Promise<void>;
  abort(): void;
}

/** Answers that are streamed as fast as their clients read them. */
export interface ResponseStreams extends Disposable {
  /** Memory for answers that are being sent. */
  readonly budget: ByteBudget;
  /**
   * Closes the connection if the client reads nothing for `ANSWER_STALL_SECONDS`. Throws
   * `SERVER_BUSY`. @param bodyBytes Bytes in memory until the answer is sent; 0 if it is produced
   * while it is read.
   */
  send(
    body: ReadableStream<Uint8Array>,
    recipient: Recipient,
    bodyBytes: number,
  ): ReadableStream<Uint8Array>;
}

interface ResponseStream {
  /** Time since which a chunk waits to be read; null while the next chunk is produced. */
  waitingSince: number | null;
  giveUp(): void;
}

const CHECK_INTERVAL_MS = 1_000;

/** @param now Milliseconds of a monotonic clock. */
export function createResponseStreams(budget: ByteBudget, now: () => number): ResponseStreams {
  const openStreams = new Set<ResponseStream>();
  let timer: ReturnType<typeof setInterval> | undefined;

  function closeStalled(): void {
    const latest = now() - ANSWER_STALL_MS;
    for (const { waitingSince, giveUp } of openStreams) {
      if (waitingSince !== null && waitingSince <= latest) giveUp();
    }
  }

  function begin(stream: ResponseStream): void {
    openStreams.add(stream);
    timer ??= setInterval(closeStalled, CHECK_INTERVAL_MS);
  }

  function end(stream: ResponseStream): void {
    openStreams.delete(stream);
    if (openStreams.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    budget,
    send(body, { holder, sent, abort }, bodyBytes) {
      const reservation = budget.open(holder);
      try {
        reservation.add(bodyBytes);
      } catch (error) {
        body.cancel().catch(() => {}); // Ends the source of the body.
        throw error;
      }
      const reader = body.getReader();
      const stream: ResponseStream = {
        waitingSince: now(),
        giveUp() {
          end(stream);
          abort();
          reader.cancel().catch(() => {}); // The client has gone or is closed.
        },
      };
      begin(stream);
      const onSent = () => {
        reservation[Symbol.dispose]();
        end(stream);
      };
      sent.then(onSent, onSent);
      return new ReadableStream({
        async pull(controller) {
          stream.waitingSince = null;
          const { done, value } = await reader.read();
          stream.waitingSince = now();
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: (reason) => reader.cancel(reason),
      }, { highWaterMark: 0 });
    },
    [Symbol.dispose]() {
      clearInterval(timer);
    },
  };
}
