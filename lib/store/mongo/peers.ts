import {
  type Binary,
  type ClientSession,
  type Collection,
  type MongoClient,
  ObjectId,
} from "mongodb";
import type { Definition } from "../port.ts";
import { MAX_TIME } from "./connect.ts";
import { retryOnce } from "./failures.ts";

/** The collection of processes with transactions, in the control database. */
const PROCESSES: Definition = { name: "processes", fields: {}, indexes: [], trash: false };

interface PeerRecord {
  readonly _id: ObjectId;
  /** Time of the last heartbeat by the server's clock. */
  readonly at: Date;
  /** Ids of the sessions that the process uses for transactions. */
  readonly sessions: readonly Binary[];
}

/** Interval of heartbeats in milliseconds, while a process has transactions. */
const HEARTBEAT_MS = 1_000;
/** Time in milliseconds without a heartbeat after which a process counts as dead. */
const SILENT_MS = 2_500;
/** Number of heartbeats between two checks for silent processes. */
const CHECK_HEARTBEATS = 3;
/** Number of heartbeats without a transaction after which a process stops its heartbeat. */
const IDLE_HEARTBEATS = 60;
/** Interval in milliseconds at which a slow write checks whether a dead process blocks it. */
const CHECK_MS = 500;

/**
 * The processes that use one MongoDB. A transaction of a killed process stays open on the server
 * for a minute and keeps locks on the records it has written. Each process therefore publishes the
 * sessions of its transactions and a heartbeat, and others kill the sessions of dead processes,
 * immediately if a write waits for a lock. A process that was only suspended finds its transaction
 * aborted and retries it.
 */
export class Peers implements AsyncDisposable {
  readonly #client: MongoClient;
  readonly #records: Collection<PeerRecord>;
  readonly #id = new ObjectId();
  /** Published sessions by their hexadecimal ids. */
  readonly #sessions = new Map<string, Binary>();
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #sending: Promise<unknown> = Promise.resolve();
  #heartbeats = 0;
  #idleHeartbeats = 0;
  #ending: Promise<void> | null = null;
  #checkedAt = -Infinity;

  constructor(client: MongoClient, control: string) {
    this.#client = client;
    this.#records = client.db(control).collection<PeerRecord>(PROCESSES.name);
  }

  /** Publishes a session, once, before its transaction writes anything. */
  async register({ id }: ClientSession): Promise<void> {
    this.#idleHeartbeats = 0;
    const key = id!.id.toString("hex");
    if (this.#sessions.has(key)) return;
    await this.#announce([...this.#sessions.values(), id!.id]);
    this.#sessions.set(key, id!.id);
    if (this.#heartbeat !== undefined) return;
    this.#heartbeat = setInterval(() => this.#sending = this.#heartbeatOnce(), HEARTBEAT_MS);
    Deno.unrefTimer(this.#heartbeat);
  }

  /** Aborts transactions of dead processes while `work` takes longer than usual. */
  async endingDeadTransactions<T>(work: Promise<T>): Promise<T> {
    const checking = setInterval(() => void this.#endDead().catch(() => {}), CHECK_MS);
    try {
      return await work;
    } finally {
      clearInterval(checking);
    }
  }

  /** Aborts transactions of dead processes after a conflict between short transactions. */
  noticeConflict(): void {
    if (performance.now() - this.#checkedAt > CHECK_MS) void this.#endDead().catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#heartbeat);
    await this.#sending;
    await this.#ending;
    await this.#leave();
  }

  /** Publishes a heartbeat with all sessions: another process may have deleted the record. */
  #announce(sessions: readonly Binary[] = [...this.#sessions.values()]): Promise<unknown> {
    const update = {
      $currentDate: { at: true as const },
      $addToSet: { sessions: { $each: [...sessions] } },
    };
    const options = { upsert: true, ...MAX_TIME };
    return retryOnce(() => this.#records.updateOne({ _id: this.#id }, update, options));
  }

  async #heartbeatOnce(): Promise<void> {
    if (++this.#idleHeartbeats > IDLE_HEARTBEATS) return await this.#leave();
    const isCheckDue = ++this.#heartbeats % CHECK_HEARTBEATS === 0;
    await (isCheckDue ? this.#endDead() : this.#announce()).catch(() => {});
  }

  async #leave(): Promise<void> {
    if (this.#heartbeat === undefined) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
    this.#sessions.clear();
    await this.#records.deleteOne({ _id: this.#id }, MAX_TIME).catch(() => {});
  }

  #endDead(): Promise<void> {
    this.#checkedAt = performance.now();
    return this.#ending ??= this.#killDead().finally(() => this.#ending = null);
  }

  /** Kills sessions of dead processes, by the server's clock only. */
  async #killDead(): Promise<void> {
    await this.#announce();
    const all = await this.#records.find({}, MAX_TIME).toArray();
    const now = all.find(({ _id }) => _id.equals(this.#id))?.at.getTime() ?? 0;
    for (const { _id, at, sessions } of all) {
      if (now - at.getTime() < SILENT_MS) continue;
      if (sessions.length > 0) {
        const ids = sessions.map((id) => ({ id }));
        await this.#client.db("admin").command({ killSessions: ids, ...MAX_TIME });
      }
      await this.#records.deleteOne({ _id, at }, MAX_TIME);
    }
  }
}
