import pLimit, { type LimitFunction } from "p-limit";
import { createLru } from "../../lru.ts";
import type { Id } from "../../store/port.ts";

/** Messages to one webhook that a process sends at once. */
const OF_ONE_MAX = 4;
/** Of webhooks that are remembered as silent. */
const SILENT_KEPT = 10_000;
/** Of all webhooks together: messages that are asked for in the store at once. */
const READINGS_MAX = 64;

/**
 * Bounds how many messages are on their way: of each webhook by itself, so that one that answers
 * nothing holds up its own alone, however many such there are. One that did not answer the last has
 * one on its way at once, until it answers: so the dead cost a connection and a message each.
 */
export class WebhookTurns {
  readonly #readings = pLimit(READINGS_MAX);
  readonly #byWebhook = new Map<Id, { readonly limit: LimitFunction; users: number }>();
  readonly #silent = createLru<Id, 1>(SILENT_KEPT);

  async run<T>(webhookId: Id, work: () => Promise<T>): Promise<T> {
    const entry = this.#byWebhook.get(webhookId) ??
      { limit: pLimit(this.#atOnceMax(webhookId)), users: 0 };
    this.#byWebhook.set(webhookId, entry);
    entry.users++;
    try {
      return await entry.limit(work);
    } finally {
      if (--entry.users === 0) this.#byWebhook.delete(webhookId);
    }
  }

  /** Asks the store, within a turn. Nobody is waited for outside meanwhile. */
  read<T>(work: () => Promise<T>): Promise<T> {
    return this.#readings(work);
  }

  /** What became of a message that was sent in a turn. */
  heard(webhookId: Id, isAnswered: boolean): void {
    if (isAnswered) this.#silent.delete(webhookId);
    else this.#silent.set(webhookId, 1);
    const limit = this.#byWebhook.get(webhookId)?.limit;
    if (limit !== undefined) limit.concurrency = this.#atOnceMax(webhookId);
  }

  #atOnceMax(webhookId: Id): number {
    return this.#silent.has(webhookId) ? 1 : OF_ONE_MAX;
  }
}
