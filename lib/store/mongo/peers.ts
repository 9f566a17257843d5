import {
  type Binary,
  type ClientSession,
  type Collection,
  type MongoClient,
  ObjectId,
} from "mongodb";
import type { Definition } from "../port.ts";
import { LIMITED } from "./connect.ts";
import { repeatable } from "./failures.ts";

/** In the control database: processes that may have a transaction open. */
const PROCESSES: Definition = { name: "processes", fields: {}, indexes: [], trash: false };

interface PeerRecord {
  readonly _id: ObjectId;
  /** By the server's clock, when it was alive. */
  readonly at: Date;
  /** Ids of sessions in which it had transactions. */
  readonly sessions: readonly Binary[];
}

/** How often a process says that it is alive, while it has transactions now and then. */
const BEAT_MS = 1_000;
/** After so long a silence another one ends its transactions. */
const SILENT_MS = 2_500;
/** After how many beats of its own a process looks whether another one is silent. */
const LOOK_BEATS = 3;
/** After so many beats without a transaction it says no more. */
const IDLE_BEATS = 60;
/** How long a write may take until one looks whether a dead process is in its way, and how often. */
const LOOK_MS = 500;

/**
 * The processes on one MongoDB. A process that is killed in the middle of a transaction leaves it
 * open on the server for a minute, and with it locks on what it has written. Each says in which
 * sessions it has transactions, and that it is alive; the others end those of the dead, at once where
 * somebody waits for a lock.
 * A process that was only stopped for a while finds its transaction gone, and runs it again.
 */
export class Peers implements AsyncDisposable {
  readonly #client: MongoClient;
  readonly #records: Collection<PeerRecord>;
  readonly #id = new ObjectId();
  /** Those that the others know of, by their texts. */
  readonly #sessions = new Map<string, Binary>();
  #beat: ReturnType<typeof setInterval> | undefined;
  #beating: Promise<unknown> = Promise.resolve();
  #beats = 0;
  #idleBeats = 0;
  #ending: Promise<void> | null = null;
  #lookedAt = -Infinity;

  constructor(client: MongoClient, control: string) {
    this.#client = client;
    this.#records = client.db(control).collection<PeerRecord>(PROCESSES.name);
  }

  /** Before a session's transaction writes anything. Free for one that is known already. */
  async enter({ id }: ClientSession): Promise<void> {
    this.#idleBeats = 0;
    const key = id!.id.toString("hex");
    if (this.#sessions.has(key)) return;
    await this.#say([...this.#sessions.values(), id!.id]);
    this.#sessions.set(key, id!.id);
    if (this.#beat !== undefined) return;
    this.#beat = setInterval(() => this.#beating = this.#beatOnce(), BEAT_MS);
    Deno.unrefTimer(this.#beat);
  }

  /** Ends transactions of dead processes while `work` takes longer than it should. */
  async pastTheDead<T>(work: Promise<T>): Promise<T> {
    const looking = setInterval(() => void this.#endDead().catch(() => {}), LOOK_MS);
    try {
      return await work;
    } finally {
      clearInterval(looking);
    }
  }

  /** The same for whoever meets locks again and again, in transactions that never take long. */
  wasInTheWay(): void {
    if (performance.now() - this.#lookedAt > LOOK_MS) void this.#endDead().catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#beat);
    await this.#beating;
    await this.#ending;
    await this.#leave();
  }

  /** All of it each time: whoever took this process for dead has forgotten it. */
  #say(sessions: readonly Binary[] = [...this.#sessions.values()]): Promise<unknown> {
    const said = {
      $currentDate: { at: true as const },
      $addToSet: { sessions: { $each: [...sessions] } },
    };
    const options = { upsert: true, ...LIMITED };
    return repeatable(() => this.#records.updateOne({ _id: this.#id }, said, options));
  }

  /** What cannot be said is said at the next beat. */
  async #beatOnce(): Promise<void> {
    if (++this.#idleBeats > IDLE_BEATS) return await this.#leave();
    const isLookDue = ++this.#beats % LOOK_BEATS === 0;
    await (isLookDue ? this.#endDead() : this.#say()).catch(() => {});
  }

  async #leave(): Promise<void> {
    if (this.#beat === undefined) return;
    clearInterval(this.#beat);
    this.#beat = undefined;
    this.#sessions.clear();
    await this.#records.deleteOne({ _id: this.#id }, LIMITED).catch(() => {});
  }

  #endDead(): Promise<void> {
    this.#lookedAt = performance.now();
    return this.#ending ??= this.#killDead().finally(() => this.#ending = null);
  }

  /** Compares with what it says itself: no two machines' clocks have to agree. */
  async #killDead(): Promise<void> {
    await this.#say();
    const all = await this.#records.find({}, LIMITED).toArray();
    const now = all.find(({ _id }) => _id.equals(this.#id))?.at.getTime() ?? 0;
    for (const { _id, at, sessions } of all) {
      if (now - at.getTime() < SILENT_MS) continue;
      if (sessions.length > 0) {
        const ids = sessions.map((id) => ({ id }));
        await this.#client.db("admin").command({ killSessions: ids, ...LIMITED });
      }
      await this.#records.deleteOne({ _id, at }, LIMITED);
    }
  }
}
