import type { ClientSession, MongoClient } from "mongodb";
import { LIMITED } from "./connect.ts";

/** The server ends a transaction of which it hears nothing after this long, by its defaults. */
const FORGOTTEN_MS = 60_000;

type SessionId = NonNullable<ClientSession["id"]>;

/**
 * Sessions whose transaction may still be open on the server, because its end did not get through:
 * what it wrote would be locked for a minute. They are ended as soon as the server can be told.
 */
export class AbandonedSessions {
  readonly #client: MongoClient;
  readonly #since = new Map<SessionId, number>();
  #ending: Promise<void> | null = null;

  constructor(client: MongoClient) {
    this.#client = client;
  }

  add({ id }: ClientSession): void {
    if (id !== undefined) this.#since.set(id, performance.now());
  }

  /** Free while there are none. Throws what the driver throws when the server cannot be told. */
  async end(): Promise<void> {
    if (this.#since.size === 0) return;
    this.#ending ??= this.#kill().finally(() => this.#ending = null);
    await this.#ending;
  }

  /** A transaction that was committed after all is none any more, and stays. */
  async #kill(): Promise<void> {
    const now = performance.now();
    for (const [id, since] of this.#since) {
      if (now - since > FORGOTTEN_MS) this.#since.delete(id);
    }
    const ids = [...this.#since.keys()];
    if (ids.length === 0) return; // None named would mean all.
    await this.#client.db("admin").command({ killSessions: ids, ...LIMITED });
    for (const id of ids) this.#since.delete(id);
  }
}
