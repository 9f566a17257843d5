import type { ClientSession, Db } from "mongodb";
import { renamedRecords } from "../renames.ts";
import type {
  ByteQuota,
  Definition,
  Records,
  StoredRecord,
  Transaction,
  WriteOptions,
} from "../port.ts";
import { isTimeout, isTransient, toPortError } from "./failures.ts";
import {
  createIndexes,
  dropIndexes,
  isManagedIndex,
  type NamedIndex,
  storedIndexes,
  wantedIndexes,
} from "./indexes.ts";
import type { Access } from "./access.ts";
import { CHANGES } from "./changes.ts";
import { MongoRecords } from "./records.ts";
import { convertDates } from "./convert_dates.ts";
import { renameMembers } from "./rename_members.ts";
import { updateWords } from "./update_words.ts";

/** A missing collection or index, which is created before the transaction is retried. */
export class Missing extends Error {
  override readonly name = "Missing";
  readonly provide: () => Promise<void>;

  constructor(provide: () => Promise<void>) {
    super("Collections and indexes cannot be created while a transaction uses them");
    this.provide = provide;
  }
}

/** Access of a transaction to its engine. */
export interface TransactionContext {
  readonly db: Db;
  readonly session: ClientSession;
  readonly queryTimeLimitMs: number;
  /** Time at which the collection and its indexes existed, by `performance.now()`, or null. */
  preparedAt(definition: Definition): number | null;
  prepare(definition: Definition): Promise<void>;
  /** Reports recorded changes with texts of `bytes` bytes. */
  noteChanges(bytes: number): void;
  /** Reserves bytes of a quota until the end of the transaction. Throws `SpaceFull`. */
  reserveBytes(quota: ByteQuota, bytes: number): Promise<void>;
}

/** Indexes that a transaction created for a definition. They are dropped if it fails. */
export interface Redefinition {
  readonly definition: Definition;
  readonly createdIndexes: readonly NamedIndex[];
}

/** A reservation that is released at the end of the transaction instead. */
const NOTHING_TO_RELEASE: Disposable = { [Symbol.dispose]() {} };

/** A transaction. After a call has failed, it can only be rolled back, as on every engine. */
export class MongoTransaction implements Transaction {
  readonly #context: TransactionContext;
  /** Changed definitions by name, across the retries of one transaction. */
  readonly #redefined: Map<string, Redefinition>;
  /** Time of the first call, on the clock of `performance.now()`; null before it. */
  #beganAt: number | null = null;
  #ended = false;
  #failure: { error: unknown } | null = null;

  constructor(context: TransactionContext, redefined: Map<string, Redefinition>) {
    this.#context = context;
    this.#redefined = redefined;
  }

  records<T extends StoredRecord>(definition: Definition, writing: WriteOptions = {}): Records<T> {
    const { db, session, queryTimeLimitMs, reserveBytes, noteChanges } = this.#context;
    const { quota } = writing;
    const isRecorded = definition.recordedAs !== undefined;
    const write = <R>(work: () => Promise<R>): Promise<R> =>
      this.#runStep(async () => {
        await this.#prepare(definition);
        if (isRecorded) await this.#prepare(CHANGES);
        this.#begin();
        return await work();
      });
    const run = <R>(work: () => Promise<R>): Promise<R> =>
      this.#runStep(() => {
        this.#begin();
        return work();
      });
    const access: Access = {
      db,
      session,
      queryTimeLimitMs,
      readConnections: null,
      run,
      remove: write,
      write,
      noteChanges,
      runInTransaction: (work) => work(session),
      reserveBytes: quota === undefined ? null : async (bytes) => {
        await reserveBytes(quota, bytes);
        return NOTHING_TO_RELEASE;
      },
    };
    return new MongoRecords<T>(definition, access, writing);
  }

  define(definition: Definition, before?: Definition): Promise<void> {
    const { db, session, queryTimeLimitMs } = this.#context;
    const { name } = definition;
    return this.#runStep(async () => {
      const stored = await storedIndexes(db, name);
      if (stored === null) return; // The first write creates the collection and its indexes.
      const made = wantedIndexes(definition).filter((index) => !stored.has(index.name));
      if (made.length > 0) {
        throw new Missing(async () => {
          await createIndexes(db, name, made).catch(async (error) => {
            // The indexes may exist nevertheless: a long build continues, and a retry of the change
            // finds it done.
            if (!isTimeout(error)) {
              await dropCreatedIndexes(db, { definition, createdIndexes: made }).catch(() => {});
            }
            throw error;
          });
          const earlier = this.#redefined.get(name)?.createdIndexes ?? [];
          this.#redefined.set(name, { definition, createdIndexes: [...earlier, ...made] });
        });
      }
      if (!this.#redefined.has(name)) {
        this.#redefined.set(name, { definition, createdIndexes: made });
      }
      const conversion = { collection: db.collection(name), session, queryTimeLimitMs };
      await renameMembers(conversion, definition);
      const was = before && renamedRecords(before, definition.renames ?? []);
      if (was !== undefined) await convertDates(conversion, was, definition);
      await updateWords(conversion, was, definition);
    });
  }

  /** Notes the start of the transaction: the server begins it with the first call. */
  #begin(): void {
    this.#beganAt ??= performance.now();
  }

  /**
   * Creates missing collections and indexes. That is not possible in a transaction that may already
   * use them. A transaction that began before a unique index existed could violate it.
   */
  async #prepare(definition: Definition): Promise<void> {
    if (this.#redefined.has(definition.name)) return;
    const preparedAt = this.#context.preparedAt(definition);
    const neededBy = this.#beganAt ?? Infinity;
    if (preparedAt !== null && preparedAt < neededBy) return;
    const provide = () => this.#context.prepare(definition);
    if (this.#beganAt !== null) throw new Missing(provide);
    await provide();
  }

  /** The error of a failed call, which decides whether the transaction may be retried. */
  get failure(): { readonly error: unknown } | null {
    return this.#failure;
  }

  end(): void {
    this.#ended = true;
  }

  async #runStep<T>(work: () => Promise<T>): Promise<T> {
    if (this.#ended) throw new Error("The transaction has ended");
    if (this.#failure !== null) throw this.#failure.error;
    try {
      return await work();
    } catch (thrown) {
      const error = isTransient(thrown) ? thrown : toPortError(thrown);
      this.#failure = { error };
      throw error;
    }
  }
}

/** Drops indexes that the definition no longer has. Must be called after the commit. */
export async function dropUnwantedIndexes(db: Db, { definition }: Redefinition): Promise<void> {
  const wanted = new Set(wantedIndexes(definition).map(({ name }) => name));
  const stored = await storedIndexes(db, definition.name);
  const unwanted = [...stored?.keys() ?? []].filter((name) =>
    isManagedIndex(name) && !wanted.has(name)
  );
  await dropIndexes(db, definition.name, unwanted);
}

/** Drops indexes that were created for the definition. Must be called after a failure. */
export const dropCreatedIndexes = (
  db: Db,
  { definition, createdIndexes: made }: Redefinition,
): Promise<void> => dropIndexes(db, definition.name, made.map(({ name }) => name));
