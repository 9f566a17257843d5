import { ANSWER_STALL_MS } from "../limits.ts";
import type { ByteBudget } from "./byte_budget.ts";

/** The connection that an answer is sent to, and the caller who asked. */
export interface Recipient {
  /** Whose share of the memory for answers it takes. */
  readonly caller: string;
  /** Settles when the answer is sent, or cannot be. */
  readonly sent: Promise<void>;
  /** Closes the connection. */
  abort(): void;
}

/** Answers that are sent in parts, as fast as their readers take them. */
export interface Deliveries extends Disposable {
  /** Memory for answers under way. */
  readonly budget: ByteBudget;
  /**
   * Passes an answer on, and closes the connection of a reader who takes no byte for
   * `ANSWER_STALL_SECONDS`. Throws `SERVER_BUSY`.
   *
   * @param heldBytes Bytes of memory that it takes until it is sent; 0 where it is made as it is read.
   */
  deliver(
    body: ReadableStream<Uint8Array>,
    recipient: Recipient,
    heldBytes: number,
  ): ReadableStream<Uint8Array>;
}

interface Delivery {
  /** Since when a part waits for its reader; null while the next part is waited for. */
  offeredAt: number | null;
  giveUp(): void;
}

const LOOK_EVERY_MS = 1_000;

/**
 * One timer looks at all answers once a second.
 *
 * @param now Milliseconds by a clock that is never set back.
 */
export function createDeliveries(budget: ByteBudget, now: () => number): Deliveries {
  const underWay = new Set<Delivery>();
  let timer: ReturnType<typeof setInterval> | undefined;

  function look(): void {
    const latest = now() - ANSWER_STALL_MS;
    for (const { offeredAt, giveUp } of underWay) {
      if (offeredAt !== null && offeredAt <= latest) giveUp();
    }
  }

  function begin(delivery: Delivery): void {
    underWay.add(delivery);
    timer ??= setInterval(look, LOOK_EVERY_MS);
  }

  function end(delivery: Delivery): void {
    underWay.delete(delivery);
    if (underWay.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    budget,
    deliver(body, { caller, sent, abort }, heldBytes) {
      const held = budget.open(caller);
      try {
        held.add(heldBytes);
      } catch (error) {
        body.cancel().catch(() => {}); // What is not sent need not be made.
        throw error;
      }
      const reader = body.getReader();
      const delivery: Delivery = {
        offeredAt: now(),
        giveUp() {
          end(delivery);
          abort();
          reader.cancel().catch(() => {}); // Nobody reads it any more.
        },
      };
      begin(delivery);
      const isSent = () => {
        held[Symbol.dispose]();
        end(delivery);
      };
      sent.then(isSent, isSent);
      return new ReadableStream({
        async pull(controller) {
          delivery.offeredAt = null;
          const { done, value } = await reader.read();
          delivery.offeredAt = now();
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
