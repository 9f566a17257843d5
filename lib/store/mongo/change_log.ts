import type { ChangeStream, Db, Document, MongoClient } from "mongodb";
import { Timestamp } from "mongodb";
import type {
  ChangeBatch,
  ChangeFeed,
  ChangeLog,
  ChangePosition,
  PositionedChange,
} from "../changes.ts";
import { createLru } from "../../lru.ts";
import { PositionLost } from "../errors.ts";
import type { Space } from "../port.ts";
import { CHANGES, setMark, trimChanges } from "./changes.ts";
import { LIMITED } from "./connect.ts";
import { hasCode } from "./error_codes.ts";
import { translated } from "./failures.ts";
import { AS_BYTES, readTold, TOLD, type Told } from "./told.ts";

type Stream = ChangeStream<Document, Told>;

/** How long the server waits for something new before it answers that there is nothing. */
const WAIT_MS = 1_000;
/** Of texts that this process has noted in a space, after which it looks whether they are too much. */
const TRIM_BYTES = 16 * 1_048_576;
/** Spaces whose noted bytes are counted. One that is dropped is trimmed by the next pass. */
const COUNTED_SPACES_MAX = 10_000;
/** What the server no longer knows, or never knew. */
const LOST = [222, 280, 286];

/**
 * {@linkcode ChangeLog} of a replica set. Its order is that in which the server has committed
 * records that were inserted, and notes of what became of others, as its change streams tell it. A
 * process reads one stream of all spaces as long as anybody follows one of them, and where a follower
 * begins earlier than that, another one, up to a mark that it sets: what the server tells before the
 * mark is all that was committed before it, however late it tells it.
 */
export class MongoChangeLog implements ChangeLog {
  readonly isHeadExact = false;
  /** A commit of a few records takes less. */
  readonly notedAheadMs = 250;
  readonly #client: MongoClient;
  readonly #dbOf: (space: Space) => Db;
  readonly #followers = new Map<string, Set<Follower>>();
  readonly #notedBytes = createLru<Space, number>(COUNTED_SPACES_MAX);
  #tail: Promise<Stream> | null = null;
  #noted: (space: Space) => void = () => {};

  constructor(client: MongoClient, dbOf: (space: Space) => Db) {
    this.#client = client;
    this.#dbOf = dbOf;
  }

  async head(space: Space): Promise<ChangePosition> {
    try {
      // What a majority has. It may be a moment before what it has can be read: that is waited for.
      const time = await this.#read(space, { level: "majority" });
      await this.#read(space, { level: "majority", afterClusterTime: time });
      return positionOf(time, BEHIND_ALL);
    } catch (error) {
      throw translated(error);
    }
  }

  /** Resolves to the server's time of it. */
  async #read(space: Space, readConcern: object): Promise<Timestamp> {
    const { operationTime } = await this.#dbOf(space).command({
      find: CHANGES.name,
      limit: 1,
      projection: { _id: 1 },
      readConcern,
      ...LIMITED,
    });
    return operationTime as Timestamp; // Of a replica set.
  }

  follow(space: Space, after: ChangePosition): ChangeFeed {
    const db = this.#dbOf(space);
    const follower = new Follower();
    const batches = () => this.#batches(space, follower, after);
    this.#add(db.databaseName, follower);
    return {
      [Symbol.asyncIterator]: batches,
      [Symbol.asyncDispose]: async () => {
        follower.end();
        await this.#remove(db.databaseName, follower);
      },
    };
  }

  async trim(space: Space): Promise<number> {
    try {
      return await trimChanges(this.#dbOf(space));
    } catch (error) {
      throw translated(error);
    }
  }

  onNoted(called: (space: Space) => void): void {
    this.#noted = called;
  }

  /** This process has noted texts of so many bytes: it is looked whether they are too much. */
  noted(space: Space, bytes: number): void {
    this.#noted(space);
    const noted = (this.#notedBytes.get(space) ?? 0) + bytes;
    this.#notedBytes.set(space, noted % TRIM_BYTES);
    if (noted >= TRIM_BYTES) this.trim(space).catch(() => {}); // The next pass does it, too.
  }

  async close(): Promise<void> {
    const tail = this.#tail;
    for (const follower of [...this.#followers.values()].flatMap((all) => [...all])) follower.end();
    this.#followers.clear();
    this.#tail = null;
    await (await tail?.catch(() => null))?.close();
  }

  async *#batches(
    space: Space,
    follower: Follower,
    after: ChangePosition,
  ): AsyncGenerator<ChangeBatch> {
    try {
      await (this.#tail ??= this.#newTail());
      let upTo = after;
      if (after < await this.head(space)) upTo = yield* this.#earlier(space, after, follower);
      while (!follower.isEnded) {
        const changes = follower.take().filter(({ position }) => position > upTo);
        upTo = changes.at(-1)?.position ?? upTo;
        yield { changes, upTo };
        if (changes.length === 0) await follower.more();
      }
    } catch (error) {
      if (follower.isEnded) return;
      throw isLost(error) ? new PositionLost({ cause: error }) : translated(error);
    }
  }

  /** Tells what the tail may not; returns up to where. */
  async *#earlier(
    space: Space,
    after: ChangePosition,
    follower: Follower,
  ): AsyncGenerator<ChangeBatch, ChangePosition> {
    const control = this.#dbOf("control");
    const where = { $in: [this.#dbOf(space).databaseName, control.databaseName] };
    const here = { $match: { "ns.db": where } };
    const stream = this.#watch([here, ...TOLD], timeOf(after));
    const places = new Places();
    let upTo = after;
    try {
      const mark = await setMark(control);
      while (!follower.isEnded) {
        const next = await stream.tryNext();
        if (next === null) continue;
        const told = readTold(next);
        if (told === null) continue;
        if ("set" in told) {
          if (!mark.equals(told.set)) continue;
          // Of several servers one may commit a note at the mark's time.
          const before = positionOf(justBefore(next.clusterTime), BEHIND_ALL);
          return before > upTo ? before : upTo;
        }
        const position = places.of(next);
        if (position <= after) continue;
        upTo = position;
        yield { changes: [{ position, ...told }], upTo };
      }
      return upTo;
    } finally {
      await stream.close();
    }
  }

  #add(database: string, follower: Follower): void {
    const all = this.#followers.get(database) ?? new Set();
    this.#followers.set(database, all.add(follower));
  }

  async #remove(database: string, follower: Follower): Promise<void> {
    const all = this.#followers.get(database);
    if (all?.delete(follower) && all.size === 0) this.#followers.delete(database);
    if (this.#followers.size > 0) return;
    const tail = this.#tail;
    this.#tail = null;
    await (await tail?.catch(() => null))?.close();
  }

  #newTail(): Promise<Stream> {
    /** False where another one stands in its place. */
    const forget = () => {
      const isThis = this.#tail === tail;
      if (isThis) this.#tail = null;
      return isThis;
    };
    // What the driver cannot go on with by itself: whoever follows begins anew.
    const tail = this.#openTail((error) => {
      if (!forget()) return;
      for (const all of this.#followers.values()) for (const one of all) one.fail(error);
    });
    tail.catch(forget);
    return tail;
  }

  async #openTail(failed: (error: unknown) => void): Promise<Stream> {
    const tail = this.#watch(TOLD, timeOf(await this.head("control")));
    this.#tellAll(tail).catch(failed);
    return tail;
  }

  #watch(pipeline: Document[], startAtOperationTime: Timestamp): Stream {
    return this.#client.watch<Document, Told>(pipeline, {
      startAtOperationTime,
      maxAwaitTimeMS: WAIT_MS,
      ...AS_BYTES,
    });
  }

  /**
   * Throws once the stream ends. It is asked for each change: whoever waits for the driver's events
   * is not told that a server has ended a stream.
   */
  async #tellAll(tail: Stream): Promise<void> {
    const places = new Map<string, Places>();
    for await (const next of tail) {
      const database = next.ns.db;
      const followers = this.#followers.get(database);
      if (followers === undefined) {
        places.delete(database);
        continue;
      }
      let placesOfOne = places.get(database);
      if (placesOfOne === undefined) places.set(database, placesOfOne = new Places());
      const told = readTold(next);
      if (told === null || "set" in told) continue;
      const change = { position: placesOfOne.of(next), ...told };
      for (const follower of followers) follower.tell(change);
    }
  }
}

/** What one follower has not taken yet. */
class Follower {
  #told: PositionedChange[] = [];
  #failure: { readonly error: unknown } | null = null;
  #woken = Promise.withResolvers<void>();
  isEnded = false;

  tell(change: PositionedChange): void {
    this.#told.push(change);
    this.#woken.resolve();
  }

  fail(error: unknown): void {
    this.#failure = { error };
    this.#woken.resolve();
  }

  end(): void {
    this.isEnded = true;
    this.#woken.resolve();
  }

  take(): readonly PositionedChange[] {
    if (this.#failure !== null) throw this.#failure.error;
    this.#woken = Promise.withResolvers();
    return this.#told.splice(0);
  }

  more(): Promise<void> {
    return this.#woken.promise;
  }
}

/** Those of one transaction have the same time: they are told apart by their order. */
class Places {
  #time = "";
  #place = 0;

  of({ clusterTime }: Pick<Told, "clusterTime">): ChangePosition {
    const time = timeText(clusterTime);
    this.#place = time === this.#time ? this.#place + 1 : 0;
    this.#time = time;
    return positionOf(clusterTime, this.#place);
  }
}

const PLACE_DIGITS = 7;
const BEHIND_ALL = 10 ** PLACE_DIGITS - 1;

const timeText = (time: Timestamp): string =>
  time.high.toString(16).padStart(8, "0") + (time.low >>> 0).toString(16).padStart(8, "0");

const positionOf = (time: Timestamp, place: number): ChangePosition =>
  `${timeText(time)}.${String(place).padStart(PLACE_DIGITS, "0")}`;

const justBefore = (time: Timestamp): Timestamp => new Timestamp(time.subtract(1));

const timeOf = (position: ChangePosition): Timestamp =>
  new Timestamp({
    t: Number.parseInt(position.slice(0, 8), 16),
    i: Number.parseInt(position.slice(8, 16), 16),
  });

const isLost = (error: unknown): boolean => hasCode(error, ...LOST);
