import { type Collection, type Db, ObjectId } from "mongodb";
import { Patience } from "../../patience.ts";
import { SpaceFull } from "../errors.ts";
import type { Definition, Room } from "../port.ts";
import { bytesIn } from "./bytes.ts";
import { LIMITED } from "./connect.ts";
import { isDuplicate, repeatable } from "./failures.ts";

/** In each project's database, one record: which process may still write how much. */
export const SHARES: Definition = { name: "_shares", fields: {}, indexes: [], trash: false };

interface SharesRecord {
  readonly _id: "shares";
  /** Grows with every share that is given. */
  readonly turn: number;
  /** By process. */
  readonly shares: Readonly<Record<string, GivenShare>>;
}

interface Others {
  readonly turn: number;
  /** What they may still write. */
  readonly bytes: number;
  readonly dead: readonly string[];
}

interface GivenShare {
  /** What it may still write, writes under way included. */
  readonly bytes: number;
  /** By the server's clock. */
  readonly at: Date;
}

/** How long a process writes by a share without asking again. */
const SHARE_MS = 5_000;
/** After which the share of a process that says nothing is nobody's: no write of it is under way. */
const DEAD_MS = 60_000;
/** How long a write waits for what others have under way, or do not need. */
const WAIT_MS = SHARE_MS + 1_000;
/** A share is a part of what is free, so that the others have theirs. */
const PARTS = 16;
const SHARE_BYTES_MAX = 16 * 1_048_576;
const TIDY_MS = 1_000;

/** Of one space, in this process. */
interface Share {
  readonly db: Db;
  /** What writes that begin now may add. */
  left: number;
  /** Which limit it was given under. */
  bytesMax: number;
  /** By `performance.now()`. */
  until: number;
  /** Bytes that writes under way may add. */
  pending: number;
  /** While it is asked for, or given back, nobody begins to write. */
  changing: Promise<void> | null;
}

/**
 * Holds spaces to their {@linkcode Room}. What is stored is counted by the server beside the writes,
 * so no write can look at it and be sure. Each process is given a share of what is free, which it
 * writes by without asking; what is stored and all shares together are never more than the room.
 */
export class Rooms implements AsyncDisposable {
  /** Names this process in the records. */
  readonly #me = new ObjectId().toHexString();
  /** By name of the database; of those that were written to a moment ago. */
  readonly #shares = new Map<string, Share>();
  #tidying: ReturnType<typeof setInterval> | undefined;

  /** Leave to add so many bytes, until it is disposed of. Throws `SpaceFull`. */
  async take(db: Db, room: Room, bytes: number): Promise<Disposable> {
    let share = this.#shareOf(db);
    while (!this.#isEnough(share, room, bytes)) {
      if (share.changing === null) await this.#changing(share, () => this.#ask(share, room, bytes));
      else await share.changing.catch(() => {});
      share = this.#shareOf(db); // It may have been given back meanwhile.
    }
    share.left -= bytes;
    share.pending += bytes;
    return {
      [Symbol.dispose]: () => {
        share.pending -= bytes;
        // What is left of a small share may be what another process waits for.
        if (share.pending === 0 && share.left === 0) this.#giveBack(share);
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#tidying);
    await Promise.all([...this.#shares.values()].map((share) => this.#giveBack(share)));
  }

  #shareOf(db: Db): Share {
    let share = this.#shares.get(db.databaseName);
    if (share === undefined) {
      const nothing = { left: 0, bytesMax: 0, until: 0, pending: 0 };
      share = { db, ...nothing, changing: null };
      this.#shares.set(db.databaseName, share);
    }
    return share;
  }

  #isEnough({ changing, left, bytesMax, until }: Share, room: Room, bytes: number): boolean {
    return changing === null && left >= bytes && bytesMax === room.bytesMax &&
      performance.now() < until;
  }

  #changing(share: Share, work: () => Promise<void>): Promise<void> {
    return share.changing = work().finally(() => share.changing = null);
  }

  /** Waits for writes under way, and for shares that others do not need, where it takes those. */
  async #ask(share: Share, { bytesMax, beside }: Room, bytes: number): Promise<void> {
    for (const patience = new Patience();;) {
      const begun = performance.now();
      // What ends from here on may be in the reading or not: it counts as if it were not.
      const { pending } = share;
      const others = await this.#others(share, pending);
      const used = await bytesIn(share.db, beside);
      const free = bytesMax - used - pending - others.bytes;
      if (bytes <= free) {
        const left = Math.max(bytes, Math.min(SHARE_BYTES_MAX, Math.floor(free / PARTS)));
        if (await this.#give(share, others, pending + left)) {
          Object.assign(share, { left, bytesMax, until: begun + SHARE_MS });
          return;
        }
      } else if (pending === 0 && others.bytes === 0) throw new SpaceFull(bytesMax);
      if (patience.isOver(WAIT_MS)) throw new SpaceFull(bytesMax);
      await patience.pause();
    }
  }

  /** What the others have, after this process has given back all but what is under way. */
  async #others(share: Share, pending: number): Promise<Others> {
    this.#tidying ??= this.#startTidying();
    share.left = 0;
    const record = await repeatable(() =>
      recordsOf(share).findOneAndUpdate({ _id: "shares" }, {
        $set: { [`shares.${this.#me}.bytes`]: pending },
        $currentDate: { [`shares.${this.#me}.at`]: true as const },
        $setOnInsert: { turn: 0 },
      }, { upsert: true, returnDocument: "after", ...LIMITED })
        .catch((error) => isDuplicate(error) ? null : Promise.reject(error))
    );
    if (record === null) return await this.#others(share, pending); // Another one made it just now.
    const { turn, shares } = record;
    const now = shares[this.#me]!.at.getTime();
    let bytes = 0;
    const dead: string[] = [];
    for (const [by, share] of Object.entries(shares)) {
      if (by === this.#me) continue;
      if (now - share.at.getTime() > DEAD_MS) dead.push(by);
      else bytes += share.bytes;
    }
    return { turn, bytes, dead };
  }

  /** Resolves to false where another share was given since the others' were looked at. */
  async #give(share: Share, { turn, dead }: Others, bytes: number): Promise<boolean> {
    const given = {
      $inc: { turn: 1 },
      $set: { [`shares.${this.#me}.bytes`]: bytes },
      $currentDate: { [`shares.${this.#me}.at`]: true as const },
      ...(dead.length > 0 && {
        $unset: Object.fromEntries(dead.map((by) => [`shares.${by}`, true as const])),
      }),
    };
    // Sent again it finds another turn if it was given the first time, and is asked for anew.
    const { matchedCount } = await repeatable(() =>
      recordsOf(share).updateOne({ _id: "shares", turn }, given, LIMITED)
    );
    return matchedCount === 1;
  }

  async #giveBack(share: Share): Promise<void> {
    if (share.pending > 0 || share.changing !== null) return;
    const gone = { $unset: { [`shares.${this.#me}`]: true as const } };
    await this.#changing(share, async () => {
      // What cannot be given back is nobody's after a while.
      await recordsOf(share).updateOne({ _id: "shares" }, gone, LIMITED).catch(() => {});
      this.#shares.delete(share.db.databaseName);
    });
  }

  #startTidying(): ReturnType<typeof setInterval> {
    const timer = setInterval(() => {
      const now = performance.now();
      for (const share of this.#shares.values()) {
        if (share.until < now) this.#giveBack(share);
      }
    }, TIDY_MS);
    Deno.unrefTimer(timer);
    return timer;
  }
}

const recordsOf = ({ db }: Share): Collection<SharesRecord> => db.collection(SHARES.name);
