import type { ClientSession, MongoClient } from "mongodb";
import { MAX_TIME } from "./connect.ts";

/** Time in milliseconds after which the server aborts an inactive transaction by default. */
const TRANSACTION_LIFETIME_MS = 60_000;

type SessionId = NonNullable<ClientSession["id"]>;

/**
 * Sessions whose transaction may still be open on the server, because its end was not delivered.
 * Its writes would stay locked for a minute, so these sessions are killed as soon as the server is
 * reachable.
 */
export class AbandonedSessions {
  readonly #client: MongoClient;
  readonly #abandonedAt = new Map<SessionId, number>();
  #ending: Promise<void> | null = null;

  constructor(client: MongoClient) {
    this.#client = client;
  }

  add({ id }: ClientSession): void {
    if (id !== undefined) this.#abandonedAt.set(id, performance.now());
  }

  /** Kills the sessions, if any. Throws the driver's error if the server is unreachable. */
  async end(): Promise<void> {
    if (this.#abandonedAt.size === 0) return;
    this.#ending ??= this.#kill().finally(() => this.#ending = null);
    await this.#ending;
  }

  /** Kills the sessions. A transaction that was committed is not affected. */
  async #kill(): Promise<void> {
    const now = performance.now();
    for (const [id, since] of this.#abandonedAt) {
      if (now - since > TRANSACTION_LIFETIME_MS) this.#abandonedAt.delete(id);
    }
    const ids = [...this.#abandonedAt.keys()];
    if (ids.length === 0) return; // An empty list would kill all sessions.
    await this.#client.db("admin").command({ killSessions: ids, ...MAX_TIME });
    for (const id of ids) this.#abandonedAt.delete(id);
  }
}
