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
import { MAX_TIME } from "./connect.ts";
import { hasCode } from "./error_codes.ts";
import { toPortError } from "./failures.ts";
import { AS_BYTES, CHANGE_EVENTS, type ChangeEvent, readChangeEvent } from "./change_events.ts";

type Stream = ChangeStream<Document, ChangeEvent>;

/** Time in milliseconds that the server waits for a new event before it returns an empty batch. */
const WAIT_MS = 1_000;
/** Bytes of texts that this process records in a space between two checks of the size limit. */
const TRIM_BYTES = 16 * 1_048_576;
/** Number of spaces whose recorded bytes are counted. Others are trimmed periodically. */
const COUNTED_SPACES_MAX = 10_000;
/** Error codes for events that the server no longer has or never had. */
const LOST_POSITION = [222, 280, 286];

/**
 * The {@linkcode ChangeLog} of a replica set. Its order is the order in which the server's change
 * streams deliver inserted records and entries of other changes. A process reads one stream of all
 * spaces while there are followers. A follower that starts at an earlier position reads a stream of
 * its own, up to a mark that it writes: all events before the mark include everything that was
 * committed before it, even if they arrive late.
 */
export class MongoChangeLog implements ChangeLog {
  readonly isHeadExact = false;
  /** Exceeds the duration of a commit of a few records, in milliseconds. */
  readonly recordedAheadMs = 250;
  readonly #client: MongoClient;
  readonly #dbOf: (space: Space) => Db;
  readonly #followers = new Map<string, Set<Follower>>();
  readonly #recordedBytes = createLru<Space, number>(COUNTED_SPACES_MAX);
  #tail: Promise<Stream> | null = null;
  #listener: (space: Space) => void = () => {};

  constructor(client: MongoClient, dbOf: (space: Space) => Db) {
    this.#client = client;
    this.#dbOf = dbOf;
  }

  async head(space: Space): Promise<ChangePosition> {
    try {
      // The majority's time may be slightly ahead of what can be read, so the second read waits for
      // it.
      const time = await this.#read(space, { level: "majority" });
      await this.#read(space, { level: "majority", afterClusterTime: time });
      return positionOf(time, ORDINAL_MAX);
    } catch (error) {
      throw toPortError(error);
    }
  }

  /** Reads from the change log. Resolves to the server's operation time. */
  async #read(space: Space, readConcern: object): Promise<Timestamp> {
    const { operationTime } = await this.#dbOf(space).command({
      find: CHANGES.name,
      limit: 1,
      projection: { _id: 1 },
      readConcern,
      ...MAX_TIME,
    });
    return operationTime as Timestamp; // Replica sets always return it.
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
      throw toPortError(error);
    }
  }

  onRecorded(listener: (space: Space) => void): void {
    this.#listener = listener;
  }

  /** Reports recorded changes with `bytes` bytes of text, and trims the log if necessary. */
  noteChanges(space: Space, bytes: number): void {
    this.#listener(space);
    const recorded = (this.#recordedBytes.get(space) ?? 0) + bytes;
    this.#recordedBytes.set(space, recorded % TRIM_BYTES);
    if (recorded >= TRIM_BYTES) this.trim(space).catch(() => {}); // Trimmed later, too.
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
      if (after < await this.head(space)) upTo = yield* this.#readEarlier(space, after, follower);
      while (!follower.isEnded) {
        const changes = follower.take().filter(({ position }) => position > upTo);
        upTo = changes.at(-1)?.position ?? upTo;
        yield { changes, upTo };
        if (changes.length === 0) await follower.more();
      }
    } catch (error) {
      if (follower.isEnded) return;
      throw isPositionLost(error) ? new PositionLost({ cause: error }) : toPortError(error);
    }
  }

  /** Yields changes that the tail may not include. Returns the position up to which it has read. */
  async *#readEarlier(
    space: Space,
    after: ChangePosition,
    follower: Follower,
  ): AsyncGenerator<ChangeBatch, ChangePosition> {
    const control = this.#dbOf("control");
    const where = { $in: [this.#dbOf(space).databaseName, control.databaseName] };
    const here = { $match: { "ns.db": where } };
    const stream = this.#watch([here, ...CHANGE_EVENTS], timeOf(after));
    const counter = new PositionCounter();
    let upTo = after;
    try {
      const mark = await setMark(control);
      while (!follower.isEnded) {
        const next = await stream.tryNext();
        if (next === null) continue;
        const change = readChangeEvent(next);
        if (change === null) continue;
        if ("set" in change) {
          if (!mark.equals(change.set)) continue;
          // On several servers, an entry may be committed at the mark's time.
          const before = positionOf(justBefore(next.clusterTime), ORDINAL_MAX);
          return before > upTo ? before : upTo;
        }
        const position = counter.next(next);
        if (position <= after) continue;
        upTo = position;
        yield { changes: [{ position, ...change }], upTo };
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
    /** Clears the tail. Returns false if another stream has replaced it. */
    const clearTail = () => {
      const isThis = this.#tail === tail;
      if (isThis) this.#tail = null;
      return isThis;
    };
    // The driver could not resume the stream, so all followers start again.
    const tail = this.#openTail((error) => {
      if (!clearTail()) return;
      for (const all of this.#followers.values()) for (const one of all) one.fail(error);
    });
    tail.catch(clearTail);
    return tail;
  }

  async #openTail(failed: (error: unknown) => void): Promise<Stream> {
    const tail = this.#watch(CHANGE_EVENTS, timeOf(await this.head("control")));
    this.#deliver(tail).catch(failed);
    return tail;
  }

  #watch(pipeline: Document[], startAtOperationTime: Timestamp): Stream {
    return this.#client.watch<Document, ChangeEvent>(pipeline, {
      startAtOperationTime,
      maxAwaitTimeMS: WAIT_MS,
      ...AS_BYTES,
    });
  }

  /**
   * Delivers the events of a stream to followers. Throws when the stream ends. Events are pulled,
   * because the driver's event emitter does not report that a server has ended a stream.
   */
  async #deliver(tail: Stream): Promise<void> {
    const counters = new Map<string, PositionCounter>();
    for await (const next of tail) {
      const database = next.ns.db;
      const followers = this.#followers.get(database);
      if (followers === undefined) {
        counters.delete(database);
        continue;
      }
      let counter = counters.get(database);
      if (counter === undefined) counters.set(database, counter = new PositionCounter());
      const recorded = readChangeEvent(next);
      if (recorded === null || "set" in recorded) continue;
      const change = { position: counter.next(next), ...recorded };
      for (const follower of followers) follower.push(change);
    }
  }
}

class Follower {
  #queue: PositionedChange[] = [];
  #failure: { readonly error: unknown } | null = null;
  #wake = Promise.withResolvers<void>();
  isEnded = false;

  push(change: PositionedChange): void {
    this.#queue.push(change);
    this.#wake.resolve();
  }

  fail(error: unknown): void {
    this.#failure = { error };
    this.#wake.resolve();
  }

  end(): void {
    this.isEnded = true;
    this.#wake.resolve();
  }

  take(): readonly PositionedChange[] {
    if (this.#failure !== null) throw this.#failure.error;
    this.#wake = Promise.withResolvers();
    return this.#queue.splice(0);
  }

  more(): Promise<void> {
    return this.#wake.promise;
  }
}

/** Assigns positions. Changes of one transaction have equal times and are numbered in order. */
class PositionCounter {
  #time = "";
  #ordinal = 0;

  next({ clusterTime }: Pick<ChangeEvent, "clusterTime">): ChangePosition {
    const time = timeText(clusterTime);
    this.#ordinal = time === this.#time ? this.#ordinal + 1 : 0;
    this.#time = time;
    return positionOf(clusterTime, this.#ordinal);
  }
}

const ORDINAL_DIGITS = 7;
const ORDINAL_MAX = 10 ** ORDINAL_DIGITS - 1;

const timeText = (time: Timestamp): string =>
  time.high.toString(16).padStart(8, "0") + (time.low >>> 0).toString(16).padStart(8, "0");

const positionOf = (time: Timestamp, ordinal: number): ChangePosition =>
  `${timeText(time)}.${String(ordinal).padStart(ORDINAL_DIGITS, "0")}`;

const justBefore = (time: Timestamp): Timestamp => new Timestamp(time.subtract(1));

const timeOf = (position: ChangePosition): Timestamp =>
  new Timestamp({
    t: Number.parseInt(position.slice(0, 8), 16),
    i: Number.parseInt(position.slice(8, 16), 16),
  });

const isPositionLost = (error: unknown): boolean => hasCode(error, ...LOST_POSITION);
