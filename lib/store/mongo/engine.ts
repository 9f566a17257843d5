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
  WriteOptions,
} from "../port.ts";
import { AbandonedSessions } from "./abandoned_sessions.ts";
import { bytesIn, bytesOfKind, kindsIn, validate } from "./bytes.ts";
import { MongoChangeLog } from "./change_log.ts";
import { CHANGES } from "./changes.ts";
import { connect, MAX_TIME } from "./connect.ts";
import { fence } from "./fence.ts";
import { isTransient, retryOnce, retryUnsent, toPortError } from "./failures.ts";
import { createIndexes, dropCollection, storedIndexes, wantedIndexes } from "./indexes.ts";
import type { Access } from "./access.ts";
import { MongoRecords } from "./records.ts";
import { checkSchema, probe } from "./schema.ts";
import { MongoSnapshot } from "./snapshot.ts";
import { transact } from "./transact.ts";
import {
  dropCreatedIndexes,
  dropUnwantedIndexes,
  Missing,
  MongoTransaction,
  type Redefinition,
  type TransactionContext,
} from "./transaction.ts";
import { Peers } from "./peers.ts";
import { ReadConnectionLimiter } from "./read_connection_limiter.ts";
import { SpaceQuota } from "./space_quota.ts";

export interface MongoOptions {
  /** Connection string. It may contain a password. */
  readonly url: string;
  /** Prefix of database names: `<prefix>_control` and `<prefix>_<project id>`. */
  readonly prefix: string;
  /** Time limit of a list or a count on the server in milliseconds. */
  readonly queryTimeLimitMs: number;
}

interface PreparedIndexes {
  readonly indexes: string;
  /** Time at which they existed, on the clock of `performance.now()`. */
  readonly at: number;
}

interface OpenSpace {
  readonly db: Db;
  readonly quota: SpaceQuota;
}

const SPACES_MAX = 1_000;
const PREPARED_MAX = 50_000;

/** The engine of a replica set or a sharded cluster, with one database per space. */
export class MongoEngine implements Engine {
  readonly name = "mongodb";
  readonly definitionLagMs = CACHE_MS;
  readonly checksDefinitionAtCommit = false;
  readonly changes: MongoChangeLog;
  readonly #client: MongoClient;
  readonly #options: Omit<MongoOptions, "url">;
  readonly #close: () => Promise<void>;
  readonly #spaces = createLru<Space, OpenSpace>(SPACES_MAX);
  /** Prepared indexes by space and definition name. */
  readonly #prepared = createLru<string, PreparedIndexes>(PREPARED_MAX);
  readonly #preparing = new Map<string, Promise<void>>();
  /** Queues of transactions that have conflicted, by space. */
  readonly #conflictQueue = new KeyedMutex();
  readonly #readConnections: ReadConnectionLimiter;
  readonly #open = new OpenTransactions<Space>();
  readonly #abandoned: AbandonedSessions;
  readonly #peers: Peers;
  /** Time in milliseconds for which a transaction is retried. */
  readonly #retryMs: number;

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
    this.#retryMs = 2 * client.options.serverSelectionTimeoutMS;
  }

  /** Connects to MongoDB. Throws `StoreUnavailable` with a remedy if Corbel cannot run on it. */
  static async open(options: MongoOptions): Promise<MongoEngine> {
    const control = databaseName(options, "control");
    const { url, queryTimeLimitMs } = options;
    const client = await connect(url, control, queryTimeLimitMs);
    try {
      await withPortErrors(() => checkSchema(client.db(control)));
    } catch (error) {
      await client.close();
      throw error;
    }
    return new MongoEngine(client, options, () => client.close());
  }

  /** Creates an engine on a client of {@linkcode connect}, which the caller closes. */
  static over(client: MongoClient, options: Omit<MongoOptions, "url">): MongoEngine {
    return new MongoEngine(client, options, () => Promise.resolve());
  }

  records<T extends StoredRecord>(
    space: Space,
    definition: Definition,
    writing: WriteOptions = {},
  ): Records<T> {
    const { db, quota: spaceQuota } = this.#space(space);
    const { quota } = writing;
    const access: Access = {
      db,
      session: null,
      queryTimeLimitMs: this.#options.queryTimeLimitMs,
      readConnections: this.#readConnections,
      run: (work) => withPortErrors(() => retryUnsent(work)),
      remove: (work) =>
        withPortErrors(async () => {
          this.#open.rejectInside(space);
          return await this.#peers.endingDeadTransactions(retryUnsent(work));
        }),
      write: (work) =>
        withPortErrors(async () => {
          this.#open.rejectInside(space);
          await this.#abandoned.end();
          await this.#prepare(space, definition);
          if (definition.recordedAs !== undefined) await this.#prepare(space, CHANGES);
          return await this.#peers.endingDeadTransactions(work());
        }),
      runInTransaction: (work) => this.#inSession(space, work),
      noteChanges: (bytes) => this.changes.noteChanges(space, bytes),
      reserveBytes: quota === undefined ? null : (bytes) => spaceQuota.admit(quota, bytes),
    };
    return new MongoRecords<T>(definition, access, writing);
  }

  async transaction<T>(space: Space, work: (tx: Transaction) => Promise<T>): Promise<T> {
    this.#open.rejectInside(space);
    const { db, quota: spaceQuota } = this.#space(space);
    const redefined = new Map<string, Redefinition>();
    const reservations: Disposable[] = [];
    const reserveBytes = async (quota: ByteQuota, bytes: number) =>
      void reservations.push(await spaceQuota.admit(quota, bytes));
    const releaseBytes = () => reservations.splice(0).forEach((one) => one[Symbol.dispose]());
    const run = () =>
      this.#inSession(space, async (session) => {
        releaseBytes(); // From an earlier run, which was rolled back.
        const context = { ...this.#transactionContext(space, session), reserveBytes };
        const transaction = new MongoTransaction(context, redefined);
        try {
          const result = await this.#open.run(space, () => work(transaction));
          if (transaction.failure !== null) throw transaction.failure.error;
          return result;
        } catch (error) {
          throw decisiveError(transaction.failure?.error, error);
        } finally {
          transaction.end();
        }
      });
    let result: T;
    try {
      result = await this.#provideMissing(run);
    } catch (error) {
      // Indexes that cannot be dropped now are dropped when the definition is changed again.
      for (const one of redefined.values()) await dropCreatedIndexes(db, one).catch(() => {});
      throw toPortError(error);
    } finally {
      releaseBytes();
    }
    // The transaction is committed, so nothing of it may be rolled back from here on.
    for (const { definition } of redefined.values()) {
      this.#prepared.delete(preparedKey(space, definition));
    }
    for (const one of redefined.values()) await withPortErrors(() => dropUnwantedIndexes(db, one));
    return result;
  }

  async snapshot<T>(space: Space, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    await using snapshot = new MongoSnapshot(this.#db(space));
    return await work(snapshot);
  }

  /**
   * Builds only list indexes, concurrently with writes. If the definition is not changed after all,
   * the next change drops them. Unique indexes are created with the definition, because values need
   * not be unique before.
   */
  async concurrentIndexBuild(
    space: Space,
    definition: Definition,
  ): Promise<(() => Promise<void>) | null> {
    const { name } = definition;
    const db = this.#db(space);
    const stored = await withPortErrors(() => storedIndexes(db, name));
    if (stored === null) return null;
    const missing = wantedIndexes(definition)
      .filter((index) => !index.unique && !stored.has(index.name));
    return missing.length === 0
      ? null
      : () => withPortErrors(() => createIndexes(db, name, missing));
  }

  externalCommitMark(): null {
    return null;
  }

  bytes(space: Space, alsoCounted: readonly Definition[] = []): Promise<number> {
    return withPortErrors(() => bytesIn(this.#db(space), alsoCounted));
  }

  bytesOf(space: Space, { name }: Definition): Promise<number> {
    return withPortErrors(() => bytesOfKind(this.#db(space), name));
  }

  recount(space: Space, definition: Definition): Promise<number> {
    return withPortErrors(() => validate(this.#db(space), definition.name));
  }

  upgradeRecords(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async dropDefinition(space: Space, definition: Definition): Promise<void> {
    await withPortErrors(() => dropCollection(this.#db(space), definition.name));
    this.#prepared.delete(preparedKey(space, definition));
  }

  async fence(space: Space, place: Parameters<typeof fence>[1]): Promise<void> {
    await withPortErrors(() => retryOnce(() => fence(this.#db(space), place)));
  }

  async spaces(): Promise<Id[]> {
    const before = databaseName(this.#options, "");
    const list = () => this.#client.db("admin").admin().listDatabases({ nameOnly: true });
    const { databases } = await withPortErrors(() => retryOnce(list));
    return databases.flatMap(({ name }) =>
      name.startsWith(before) ? parseId(name.slice(before.length)) ?? [] : []
    );
  }

  kinds(space: Space): Promise<string[]> {
    return withPortErrors(() => kindsIn(this.#db(space)));
  }

  unusableSpaces(): Id[] {
    return [];
  }

  deleteLeftovers(): Promise<void> {
    return Promise.resolve();
  }

  createSpace(): Promise<void> {
    return Promise.resolve(); // The first write creates it.
  }

  async dropSpace(projectId: Id): Promise<void> {
    await withPortErrors(() => retryOnce(() => this.#db(projectId).dropDatabase(MAX_TIME)));
    this.#spaces.delete(projectId);
    for (const key of this.#prepared.keys()) {
      if (key.startsWith(`${projectId}/`)) this.#prepared.delete(key);
    }
  }

  async ping(): Promise<void> {
    await withPortErrors(() => retryOnce(() => probe(this.#db("control"))));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.changes.close();
    await this.#peers[Symbol.asyncDispose]();
    await this.#close();
  }

  /** Runs `work` in a transaction, again after conflicts with other transactions. */
  async #inSession<T>(space: Space, work: (session: ClientSession) => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.#retryMs;
    let turn: Disposable | null = null;
    try {
      await this.#abandoned.end();
      const attempts = { client: this.#client, abandoned: this.#abandoned, deadline };
      const transacted = transact(attempts, async (session, run) => {
        // After a conflict, the transaction waits for others of this process.
        if (run > 1) {
          this.#peers.noticeConflict();
          turn ??= await this.#conflictQueue.acquire(space);
        }
        if (performance.now() > deadline) {
          throw new StoreUnavailable("A transaction conflicted with others for too long");
        }
        await this.#peers.register(session);
        return await work(session);
      });
      return await this.#peers.endingDeadTransactions(transacted);
    } finally {
      (turn as Disposable | null)?.[Symbol.dispose]();
    }
  }

  async #provideMissing<T>(run: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof Missing)) throw error;
        await error.provide();
      }
    }
  }

  #transactionContext(
    space: Space,
    session: ClientSession,
  ): Omit<TransactionContext, "reserveBytes"> {
    return {
      db: this.#db(space),
      session,
      queryTimeLimitMs: this.#options.queryTimeLimitMs,
      preparedAt: (definition) => this.#preparedAt(space, definition),
      prepare: (definition) => this.#prepare(space, definition),
      noteChanges: (bytes) => this.changes.noteChanges(space, bytes),
    };
  }

  /** Creates the collection and its indexes, unless this process has done so before. */
  async #prepare(space: Space, definition: Definition): Promise<void> {
    if (this.#preparedAt(space, definition) !== null) return;
    const key = preparedKey(space, definition);
    const wanted = indexSignature(definition);
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
    return prepared?.indexes === indexSignature(definition) ? prepared.at : null;
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

async function withPortErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toPortError(error);
  }
}

const databaseName = ({ prefix }: Pick<MongoOptions, "prefix">, space: Space): string =>
  `${prefix}_${space}`;

const preparedKey = (space: Space, { name }: Definition): string => `${space}/${name}`;

/** Returns a text that identifies a set of indexes. */
const indexSignature = (definition: Definition): string =>
  JSON.stringify(wantedIndexes(definition));

/** Returns the error of the failed call if it allows a retry, else what `work` has thrown. */
const decisiveError = (failure: unknown, thrown: unknown): unknown =>
  isTransient(failure) || failure instanceof Missing ? failure : thrown;
