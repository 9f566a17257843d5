import type { ClientSession, Db, MongoClient } from "mongodb";
import { parseId } from "../../ids.ts";
import { KeyedMutex } from "../../keyed_mutex.ts";
import { CACHE_MS } from "../../limits.ts";
import { createLru } from "../../lru.ts";
import { StoreUnavailable } from "../errors.ts";
import { OpenTransactions } from "../open_transactions.ts";
import type {
  ByteQuota,
  Definition,
  Engine,
  Id,
  Records,
  Snapshot,
  Space,
  StoredRecord,
  Transaction,
  Writing,
} from "../port.ts";
import { AbandonedSessions } from "./abandoned.ts";
import { bytesIn, bytesOfKind, kindsIn, validate } from "./bytes.ts";
import { MongoChangeLog } from "./change_log.ts";
import { CHANGES } from "./changes.ts";
import { connect, LIMITED } from "./connect.ts";
import { fence } from "./fence.ts";
import { isTransient, repeatable, sent, translated } from "./failures.ts";
import { createIndexes, dropCollection, storedIndexes, wantedIndexes } from "./indexes.ts";
import type { Access } from "./access.ts";
import { MongoRecords } from "./records.ts";
import { checkSchema, probe } from "./schema.ts";
import { MongoSnapshot } from "./snapshot.ts";
import { transact } from "./transact.ts";
import {
  dropMade,
  dropStrays,
  Missing,
  MongoTransaction,
  type Redefinition,
  type Surrounding,
} from "./transaction.ts";
import { Peers } from "./peers.ts";
import { ReadConnectionLimiter } from "./read_connection_limiter.ts";
import { SpaceQuota } from "./space_quota.ts";

export interface MongoOptions {
  /** May hold a password. */
  readonly url: string;
  /** Databases are called `<prefix>_control` and `<prefix>_<project id>`. */
  readonly prefix: string;
  /** Milliseconds after which the server gives a list or a count up. */
  readonly queryTimeLimitMs: number;
}

/** Indexes that are known to be there. */
interface Prepared {
  readonly indexes: string;
  /** By `performance.now()`. */
  readonly at: number;
}

/** A space, as this process knows it. */
interface OpenSpace {
  readonly db: Db;
  readonly quota: SpaceQuota;
}

const SPACES_KEPT = 1_000;
const PREPARED_KEPT = 50_000;

/** A replica set or a sharded cluster: one database per space. */
export class MongoEngine implements Engine {
  readonly name = "mongodb";
  readonly definitionLagMs = CACHE_MS;
  readonly checksDefinitionAtCommit = false;
  readonly changes: MongoChangeLog;
  readonly #client: MongoClient;
  readonly #options: Omit<MongoOptions, "url">;
  readonly #close: () => Promise<void>;
  readonly #spaces = createLru<Space, OpenSpace>(SPACES_KEPT);
  /** By space and name of a definition. */
  readonly #prepared = createLru<string, Prepared>(PREPARED_KEPT);
  readonly #preparing = new Map<string, Promise<void>>();
  /** By space, the transaction that was in the way of others. */
  readonly #turns = new KeyedMutex();
  readonly #readConnections: ReadConnectionLimiter;
  readonly #open = new OpenTransactions<Space>();
  readonly #abandoned: AbandonedSessions;
  readonly #peers: Peers;
  /** Milliseconds for which a transaction is run again before it is given up. */
  readonly #triesMs: number;

  private constructor(
    client: MongoClient,
    options: Omit<MongoOptions, "url">,
    close: () => Promise<void>,
  ) {
    this.#client = client;
    this.changes = new MongoChangeLog(client, (space) => this.#db(space));
    this.#options = options;
    this.#close = close;
    this.#readConnections = new ReadConnectionLimiter(client.options.maxPoolSize);
    this.#abandoned = new AbandonedSessions(client);
    this.#peers = new Peers(client, databaseName(options, "control"));
    this.#triesMs = 2 * client.options.serverSelectionTimeoutMS;
  }

  /** Throws `StoreUnavailable` that says what to do when Corbel cannot run on what is there. */
  static async open(options: MongoOptions): Promise<MongoEngine> {
    const control = databaseName(options, "control");
    const { url, queryTimeLimitMs } = options;
    const client = await connect(url, control, queryTimeLimitMs);
    try {
      await guarded(() => checkSchema(client.db(control)));
    } catch (error) {
      await client.close();
      throw error;
    }
    return new MongoEngine(client, options, () => client.close());
  }

  /** On a client that {@linkcode connect} made and that its owner closes. */
  static over(client: MongoClient, options: Omit<MongoOptions, "url">): MongoEngine {
    return new MongoEngine(client, options, () => Promise.resolve());
  }

  records<T extends StoredRecord>(
    space: Space,
    definition: Definition,
    writing: Writing = {},
  ): Records<T> {
    const { db, quota: spaceQuota } = this.#space(space);
    const { quota } = writing;
    const access: Access = {
      db,
      session: null,
      queryTimeLimitMs: this.#options.queryTimeLimitMs,
      readConnections: this.#readConnections,
      run: (work) => guarded(() => sent(work)),
      remove: (work) =>
        guarded(async () => {
          this.#open.refuseInside(space);
          return await this.#peers.pastTheDead(sent(work));
        }),
      write: (work) =>
        guarded(async () => {
          this.#open.refuseInside(space);
          await this.#abandoned.end();
          await this.#prepare(space, definition);
          if (definition.recordedAs !== undefined) await this.#prepare(space, CHANGES);
          return await this.#peers.pastTheDead(work());
        }),
      together: (work) => this.#inSession(space, work),
      noted: (bytes) => this.changes.noted(space, bytes),
      take: quota === undefined ? null : (bytes) => spaceQuota.admit(quota, bytes),
    };
    return new MongoRecords<T>(definition, access, writing);
  }

  async transaction<T>(space: Space, work: (tx: Transaction) => Promise<T>): Promise<T> {
    this.#open.refuseInside(space);
    const { db, quota: spaceQuota } = this.#space(space);
    const redefined = new Map<string, Redefinition>();
    const taken: Disposable[] = [];
    const take = async (quota: ByteQuota, bytes: number) =>
      void taken.push(await spaceQuota.admit(quota, bytes));
    const giveBack = () => taken.splice(0).forEach((one) => one[Symbol.dispose]());
    const run = () =>
      this.#inSession(space, async (session) => {
        giveBack(); // That of an earlier run, which was undone.
        const around = { ...this.#surrounding(space, session), take };
        const transaction = new MongoTransaction(around, redefined);
        try {
          const result = await this.#open.run(space, () => work(transaction));
          if (transaction.failure !== null) throw transaction.failure.error;
          return result;
        } catch (error) {
          throw decisive(transaction.failure?.error, error);
        } finally {
          transaction.end();
        }
      });
    let result: T;
    try {
      result = await this.#withWhatIsMissing(run);
    } catch (error) {
      // What cannot be undone now is undone when the definition is changed again.
      for (const one of redefined.values()) await dropMade(db, one).catch(() => {});
      throw translated(error);
    } finally {
      giveBack();
    }
    // It is committed: from here on nothing of it may be undone.
    for (const { definition } of redefined.values()) {
      this.#prepared.delete(preparedKey(space, definition));
    }
    for (const one of redefined.values()) await guarded(() => dropStrays(db, one));
    return result;
  }

  async snapshot<T>(space: Space, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    await using snapshot = new MongoSnapshot(this.#db(space));
    return await work(snapshot);
  }

  /**
   * Only indexes of lists: a server makes them while others write, and one that no definition comes
   * to want goes with the next change. Values are unique from the definition on, not sooner.
   */
  async indexesAhead(
    space: Space,
    definition: Definition,
  ): Promise<(() => Promise<void>) | null> {
    const { name } = definition;
    const db = this.#db(space);
    const stored = await guarded(() => storedIndexes(db, name));
    if (stored === null) return null;
    const missing = wantedIndexes(definition)
      .filter((index) => !index.unique && !stored.has(index.name));
    return missing.length === 0 ? null : () => guarded(() => createIndexes(db, name, missing));
  }

  commitsOfOthers(): null {
    return null;
  }

  bytes(space: Space, alsoCounted: readonly Definition[] = []): Promise<number> {
    return guarded(() => bytesIn(this.#db(space), alsoCounted));
  }

  bytesOf(space: Space, { name }: Definition): Promise<number> {
    return guarded(() => bytesOfKind(this.#db(space), name));
  }

  recount(space: Space, definition: Definition): Promise<number> {
    return guarded(() => validate(this.#db(space), definition.name));
  }

  bringOver(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async drop(space: Space, definition: Definition): Promise<void> {
    await guarded(() => dropCollection(this.#db(space), definition.name));
    this.#prepared.delete(preparedKey(space, definition));
  }

  async fence(space: Space, place: Parameters<typeof fence>[1]): Promise<void> {
    await guarded(() => repeatable(() => fence(this.#db(space), place)));
  }

  async spaces(): Promise<Id[]> {
    const before = databaseName(this.#options, "");
    const list = () => this.#client.db("admin").admin().listDatabases({ nameOnly: true });
    const { databases } = await guarded(() => repeatable(list));
    return databases.flatMap(({ name }) =>
      name.startsWith(before) ? parseId(name.slice(before.length)) ?? [] : []
    );
  }

  kinds(space: Space): Promise<string[]> {
    return guarded(() => kindsIn(this.#db(space)));
  }

  lost(): Id[] {
    return [];
  }

  tidy(): Promise<void> {
    return Promise.resolve();
  }

  createSpace(): Promise<void> {
    return Promise.resolve(); // The first write makes it.
  }

  async dropSpace(projectId: Id): Promise<void> {
    await guarded(() => repeatable(() => this.#db(projectId).dropDatabase(LIMITED)));
    this.#spaces.delete(projectId);
    for (const key of this.#prepared.keys()) {
      if (key.startsWith(`${projectId}/`)) this.#prepared.delete(key);
    }
  }

  async ping(): Promise<void> {
    await guarded(() => repeatable(() => probe(this.#db("control"))));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.changes.close();
    await this.#peers[Symbol.asyncDispose]();
    await this.#close();
  }

  /** All of `work` or nothing, run again while it is in the way of others. */
  async #inSession<T>(space: Space, work: (session: ClientSession) => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.#triesMs;
    let turn: Disposable | null = null;
    try {
      await this.#abandoned.end();
      const attempts = { client: this.#client, abandoned: this.#abandoned, deadline };
      const transacted = transact(attempts, async (session, run) => {
        // Who was in the way once waits for the others of this process.
        if (run > 1) {
          this.#peers.wasInTheWay();
          turn ??= await this.#turns.acquire(space);
        }
        if (performance.now() > deadline) {
          throw new StoreUnavailable("A transaction was in the way of others for too long");
        }
        await this.#peers.enter(session);
        return await work(session);
      });
      return await this.#peers.pastTheDead(transacted);
    } finally {
      (turn as Disposable | null)?.[Symbol.dispose]();
    }
  }

  async #withWhatIsMissing<T>(run: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof Missing)) throw error;
        await error.provide();
      }
    }
  }

  #surrounding(space: Space, session: ClientSession): Omit<Surrounding, "take"> {
    return {
      db: this.#db(space),
      session,
      queryTimeLimitMs: this.#options.queryTimeLimitMs,
      preparedAt: (definition) => this.#preparedAt(space, definition),
      prepare: (definition) => this.#prepare(space, definition),
      noted: (bytes) => this.changes.noted(space, bytes),
    };
  }

  /** Makes the collection and its indexes, unless this process has done it before. */
  async #prepare(space: Space, definition: Definition): Promise<void> {
    if (this.#preparedAt(space, definition) !== null) return;
    const key = preparedKey(space, definition);
    const wanted = signature(definition);
    const underWay = `${key} ${wanted}`;
    let preparing = this.#preparing.get(underWay);
    if (preparing === undefined) {
      preparing = createIndexes(this.#db(space), definition.name, wantedIndexes(definition))
        .then(() => void this.#prepared.set(key, { indexes: wanted, at: performance.now() }))
        .finally(() => this.#preparing.delete(underWay));
      this.#preparing.set(underWay, preparing);
    }
    await preparing;
  }

  #preparedAt(space: Space, definition: Definition): number | null {
    const prepared = this.#prepared.get(preparedKey(space, definition));
    return prepared?.indexes === signature(definition) ? prepared.at : null;
  }

  #db(space: Space): Db {
    return this.#space(space).db;
  }

  #space(space: Space): OpenSpace {
    let open = this.#spaces.get(space);
    if (open === undefined) {
      const db = this.#client.db(databaseName(this.#options, space));
      this.#spaces.set(space, open = { db, quota: new SpaceQuota(db) });
    }
    return open;
  }
}

async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translated(error);
  }
}

const databaseName = ({ prefix }: Pick<MongoOptions, "prefix">, space: Space): string =>
  `${prefix}_${space}`;

const preparedKey = (space: Space, { name }: Definition): string => `${space}/${name}`;

/** Another text for every other set of indexes. */
const signature = (definition: Definition): string => JSON.stringify(wantedIndexes(definition));

/** Whatever work makes of a failed call: one that passes, or lacks something, is run again. */
const decisive = (failure: unknown, thrown: unknown): unknown =>
  isTransient(failure) || failure instanceof Missing ? failure : thrown;
