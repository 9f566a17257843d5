import type { ClientSession, Db } from "mongodb";
import { renamedRecords } from "../renames.ts";
import type {
  ByteQuota,
  Definition,
  Records,
  StoredRecord,
  Transaction,
  Writing,
} from "../port.ts";
import { isTimeout, isTransient, translated } from "./failures.ts";
import {
  createIndexes,
  dropIndexes,
  isOurs,
  type NamedIndex,
  storedIndexes,
  wantedIndexes,
} from "./indexes.ts";
import type { Access } from "./access.ts";
import { CHANGES } from "./changes.ts";
import { MongoRecords } from "./records.ts";
import { redate } from "./redate.ts";
import { renameMembers } from "./rename.ts";
import { reword } from "./reword.ts";

/** What must be there before a transaction begins: it is undone and run again afterwards. */
export class Missing extends Error {
  override readonly name = "Missing";
  readonly provide: () => Promise<void>;

  constructor(provide: () => Promise<void>) {
    super("Collections and indexes cannot be made while a transaction holds them");
    this.provide = provide;
  }
}

/** What a transaction needs of its engine. */
export interface Surrounding {
  readonly db: Db;
  readonly session: ClientSession;
  readonly queryTimeLimitMs: number;
  /** By `performance.now()`, when the collection and its indexes were there; null if not known. */
  preparedAt(definition: Definition): number | null;
  prepare(definition: Definition): Promise<void>;
  /** Texts of so many bytes were noted as changes. */
  noted(bytes: number): void;
  /** Leave to add so many bytes, until the transaction's end. Throws `SpaceFull`. */
  take(quota: ByteQuota, bytes: number): Promise<void>;
}

/** Indexes that a transaction made for a definition, or is to drop with it. */
export interface Redefinition {
  readonly definition: Definition;
  readonly made: readonly NamedIndex[];
}

/** What is given back at the transaction's end. */
const NOTHING_LEFT: Disposable = { [Symbol.dispose]() {} };

/** Once one of its calls has failed a transaction can only be undone, as on every engine. */
export class MongoTransaction implements Transaction {
  readonly #around: Surrounding;
  /** By name of the definition; outlives the runs of one transaction. */
  readonly #redefined: Map<string, Redefinition>;
  /** By `performance.now()`; null before the first call. */
  #begunAt: number | null = null;
  #ended = false;
  #failure: { error: unknown } | null = null;

  constructor(around: Surrounding, redefined: Map<string, Redefinition>) {
    this.#around = around;
    this.#redefined = redefined;
  }

  records<T extends StoredRecord>(definition: Definition, writing: Writing = {}): Records<T> {
    const { db, session, queryTimeLimitMs, take, noted } = this.#around;
    const { quota } = writing;
    const isNoted = definition.recordedAs !== undefined;
    const write = <R>(work: () => Promise<R>): Promise<R> =>
      this.#guarded(async () => {
        await this.#prepare(definition);
        if (isNoted) await this.#prepare(CHANGES);
        this.#begin();
        return await work();
      });
    const run = <R>(work: () => Promise<R>): Promise<R> =>
      this.#guarded(() => {
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
      noted,
      together: (work) => work(session),
      take: quota === undefined ? null : async (bytes) => {
        await take(quota, bytes);
        return NOTHING_LEFT;
      },
    };
    return new MongoRecords<T>(definition, access, writing);
  }

  define(definition: Definition, before?: Definition): Promise<void> {
    const { db, session, queryTimeLimitMs } = this.#around;
    const { name } = definition;
    return this.#guarded(async () => {
      const stored = await storedIndexes(db, name);
      if (stored === null) return; // The first write makes the collection, and its indexes.
      const made = wantedIndexes(definition).filter((index) => !stored.has(index.name));
      if (made.length > 0) {
        throw new Missing(async () => {
          await createIndexes(db, name, made).catch(async (error) => {
            // They may be there all the same. A build that takes long goes on: the same change
            // finds it done when it is sent again.
            if (!isTimeout(error)) await dropMade(db, { definition, made }).catch(() => {});
            throw error;
          });
          const earlier = this.#redefined.get(name)?.made ?? [];
          this.#redefined.set(name, { definition, made: [...earlier, ...made] });
        });
      }
      if (!this.#redefined.has(name)) this.#redefined.set(name, { definition, made });
      const redating = { collection: db.collection(name), session, queryTimeLimitMs };
      await renameMembers(redating, definition);
      const was = before && renamedRecords(before, definition.renames ?? []);
      if (was !== undefined) await redate(redating, was, definition);
      await reword(redating, was, definition);
    });
  }

  /** The server begins it with the first call. */
  #begin(): void {
    this.#begunAt ??= performance.now();
  }

  /**
   * Collections and indexes cannot be made beside a transaction that may hold them already, and one
   * that began before a unique index was there might write past it.
   */
  async #prepare(definition: Definition): Promise<void> {
    if (this.#redefined.has(definition.name)) return;
    const preparedAt = this.#around.preparedAt(definition);
    const neededBy = this.#begunAt ?? Infinity;
    if (preparedAt !== null && preparedAt < neededBy) return;
    const provide = () => this.#around.prepare(definition);
    if (this.#begunAt !== null) throw new Missing(provide);
    await provide();
  }

  /** What the run failed of, if it did: the reason that decides whether it may be run again. */
  get failure(): { readonly error: unknown } | null {
    return this.#failure;
  }

  end(): void {
    this.#ended = true;
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    if (this.#ended) throw new Error("The transaction has ended");
    if (this.#failure !== null) throw this.#failure.error;
    try {
      return await work();
    } catch (thrown) {
      const error = isTransient(thrown) ? thrown : translated(thrown);
      this.#failure = { error };
      throw error;
    }
  }
}

/** After the commit: indexes that the definition does not name go. */
export async function dropStrays(db: Db, { definition }: Redefinition): Promise<void> {
  const wanted = new Set(wantedIndexes(definition).map(({ name }) => name));
  const stored = await storedIndexes(db, definition.name);
  const strays = [...stored?.keys() ?? []].filter((name) => isOurs(name) && !wanted.has(name));
  await dropIndexes(db, definition.name, strays);
}

/** After a failure: indexes that were made for the definition go. */
export const dropMade = (db: Db, { definition, made }: Redefinition): Promise<void> =>
  dropIndexes(db, definition.name, made.map(({ name }) => name));
