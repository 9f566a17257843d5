import pLimit, { type LimitFunction } from "p-limit";
import type { Id } from "../../store/port.ts";

/** Messages to one webhook that a process sends at once, and to all of them together. */
const OF_ONE_MAX = 4;
const OF_ALL_MAX = 256;

/**
 * Bounds how many messages are on their way. Whoever waits for their turn takes none of another
 * webhook's: one that answers nothing holds up its own messages alone.
 */
export class WebhookTurns {
  readonly #all = pLimit(OF_ALL_MAX);
  readonly #byWebhook = new Map<Id, { readonly limit: LimitFunction; users: number }>();

  async run<T>(webhookId: Id, work: () => Promise<T>): Promise<T> {
    const entry = this.#byWebhook.get(webhookId) ?? { limit: pLimit(OF_ONE_MAX), users: 0 };
    this.#byWebhook.set(webhookId, entry);
    entry.users++;
    try {
      return await entry.limit(() => this.#all(work));
    } finally {
      if (--entry.users === 0) this.#byWebhook.delete(webhookId);
    }
  }
}
