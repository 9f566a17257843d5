/**
 * The storage port. All persistent data goes through {@linkcode Engine} and {@linkcode Records}.
 * SQLite and MongoDB implement the port, and `tests/contract/` checks every driver against the
 * guarantees documented here.
 *
 * Comparison rules of every driver:
 *
 * - Sorting: missing and null values first, then ascending. Numbers are ordered by value, text by
 *   its UTF-8 bytes, false before true, dates by time. Ties are broken by `_id` in the direction of
 *   the last key.
 * - `gt gte lt lte regex` match only values of the operand's type: `true` never equals 1.
 * - A missing field equals null. `exists` tests for the field's presence: a null field exists.
 * - On an array, an operator matches if at least one element matches. `ne` and `nin` match if no
 *   element is equal.
 * - A path leads through objects only. Values inside an array's elements count as missing.
 * - `not` is two-valued: it matches exactly the records that its operand does not match.
 */

import { ANSWER_BYTES_MAX } from "../limits.ts";
import type { Figure, GroupKey, Groups, GroupSort } from "./aggregation.ts";
import type { Definition, Id, Json, Scalar, SortKey, Space, StoredRecord } from "./definition.ts";
import type { ChangeLog, WriteOptions } from "./changes.ts";

export type * from "./definition.ts";
export type {
  Actor,
  Authorship,
  ChangeAction,
  ChangeBatch,
  ChangeFeed,
  ChangeLog,
  ChangePosition,
  PositionedChange,
  RecordedChange,
  WriteOptions,
} from "./changes.ts";

export type Comparison = "eq" | "ne" | "gt" | "gte" | "lt" | "lte";

/** A condition on records, built by Corbel's code and never taken verbatim from a request. */
export type Filter =
  | { readonly op: "and" | "or"; readonly of: readonly Filter[] }
  | { readonly op: "not"; readonly of: Filter }
  | { readonly op: Comparison; readonly path: string; readonly value: Scalar }
  | { readonly op: "in" | "nin"; readonly path: string; readonly values: readonly Scalar[] }
  | { readonly op: "exists"; readonly path: string; readonly value: boolean }
  /** A pattern in RE2 syntax, matched anywhere, ignoring case, never in exponential time. */
  | { readonly op: "regex"; readonly path: string; readonly pattern: string }
  /**
   * A full-text search for words as `wordsIn` returns them. Every word must be the beginning of a
   * word in any of the record's search fields. An index serves the search. If the definition has no
   * search fields, or if there are no words, no record matches.
   */
  | { readonly op: "search"; readonly words: readonly string[] }
  /** A match on the record's exact revision. */
  | { readonly op: "revision"; readonly value: number };

/**
 * A change of one record, applied atomically and in the order of these members. Paths may be
 * dotted. Missing or null objects along a path are created; any other value along a path is a
 * `PathConflict`.
 *
 * All members from `increment` on throw `TypeConflict` if the stored value has another type.
 */
export interface Change {
  /** The new fields of the record. `_id` and the fields named in `keep` are not replaced. */
  readonly replace?: Readonly<Record<string, Json>>;
  /** Top-level fields that `replace` leaves unchanged if they are stored. */
  readonly keep?: readonly string[];
  readonly set?: Readonly<Record<string, Json>>;
  readonly unset?: readonly string[];
  /**
   * Amounts to add to numbers. A missing or null field counts as 0. Throws `TypeConflict` if the
   * sum is not finite, if the sum of two integers cannot be stored exactly, or if adding an amount
   * other than 0 does not change the stored number.
   */
  readonly increment?: Readonly<Record<string, number>>;
  /** Upper bounds for numbers or texts: a greater, missing or null value is set to the bound. */
  readonly min?: Readonly<Record<string, number | string>>;
  /** Lower bounds for numbers or texts: a smaller, missing or null value is set to the bound. */
  readonly max?: Readonly<Record<string, number | string>>;
  /** Elements to append to lists. A missing or null field counts as an empty list. */
  readonly push?: Readonly<Record<string, Json[]>>;
  /** Elements to append to lists without them. The order of members does not matter. */
  readonly addToSet?: Readonly<Record<string, Json[]>>;
  /** Elements to remove from lists, with duplicates. Missing and null fields are unchanged. */
  readonly pull?: Readonly<Record<string, Json[]>>;
}

export interface Stored<T = StoredRecord> {
  /** JSON text: `_id` first, then the fields in the order in which they were first written. */
  readonly json: string;
  /** Incremented with every change of the record. */
  readonly revision: number;
  /** The parsed record. Parsing happens on first access. */
  readonly value: T;
}

/** A record before and after a write. At least one of the two is not null. */
export interface WrittenRecord {
  readonly before: Stored | null;
  readonly after: Stored | null;
}

/** A position in a sorted list: the sort values and the id of a record. */
export interface Position {
  readonly values: readonly Scalar[];
  readonly id: Id;
  /** Whether a page read from this position includes the record at the position. */
  readonly inclusive?: boolean;
  /** Engine-specific exact position, which only the engine that wrote it reads. */
  readonly exact?: string;
}

/** Default maximum size of a page's JSON text in bytes. */
export const PAGE_BYTES_MAX = ANSWER_BYTES_MAX;

export interface ListQuery {
  readonly filter: Filter;
  readonly sort: readonly SortKey[];
  readonly limit: number;
  /** Maximum size of the page in bytes; {@linkcode PAGE_BYTES_MAX} by default. */
  readonly bytesMax?: number;
  /** Whether to throw `PageTooLarge` if the byte limit would end the page before `limit`. */
  readonly mustBeComplete?: boolean;
  /** Number of records to skip. Cannot be combined with `from`. */
  readonly offset?: number;
  /** Position before the page, or after it if `backwards`. Its record may be gone. */
  readonly from?: Position;
  readonly backwards?: boolean;
  /** Whether to count all matches. An estimate is exact for small numbers only, and cheaper. */
  readonly total?: boolean | "estimate";
}

/**
 * A page of a list. If the next record would make `items` exceed the byte limit, the page ends
 * before its record limit, but it always has at least one record. A driver stops reading at that
 * point: in addition to the page, it keeps no more than a further page of bytes and one record in
 * memory.
 */
export interface Page<T = StoredRecord> {
  /** The records' JSON texts in sort order, joined by commas, without brackets. */
  readonly items: string;
  /** The records' JSON texts, one per record. */
  readonly texts: readonly string[];
  /** Parses the records. Every call parses them again. */
  records(): T[];
  readonly size: number;
  /** Whether there are more records in the direction in which the page was read. */
  readonly more: boolean;
  /** Number of matching records in the list; null if it was not requested. */
  readonly total: number | null;
  /** Approximate number of records examined for page and total; null if unknown. */
  readonly examined: number | null;
  /** Returns the position of the first record; null for an empty page. */
  first(): Position | null;
  /** Returns the position of the last record; null for an empty page. */
  last(): Position | null;
}

export interface FindQuery {
  readonly filter: Filter;
  /** The sort keys; `_id` by default. */
  readonly sort?: readonly SortKey[];
  /** Maximum number of records; unlimited by default. */
  readonly limit?: number;
}

export interface Aggregation {
  readonly filter: Filter;
  /** Keys to group by. Without keys, all matching records, even none, form one group. */
  readonly keys: readonly GroupKey[];
  readonly figures: readonly Figure[];
  /** Order of the groups. Ties are broken by the keys in their order, ascending. */
  readonly sort: readonly GroupSort[];
  readonly limit: number;
  /** Maximum total size of the keys' texts in bytes; {@linkcode PAGE_BYTES_MAX} by default. */
  readonly bytesMax?: number;
}

/** A query of {@linkcode Records.referrers}: up to `limit` distinct records for each id. */
export interface ReferrerQuery {
  /** The path of a declared scalar. */
  readonly path: string;
  readonly ids: readonly Id[];
  readonly filter: Filter;
  readonly sort: readonly SortKey[];
  readonly limit: number;
}

export interface Explanation {
  /** Keys of the index that serves the query; null if all records are scanned. */
  readonly index: readonly SortKey[] | null;
  /** Approximate number of records examined for the page and, if requested, for the total. */
  readonly examined: number;
  /** Keys of an index that would speed up the query; null if no index would. */
  readonly advice: readonly SortKey[] | null;
}

/**
 * The records of one kind in one space.
 *
 * Every call is atomic, and durable when it resolves. A rejected or failed call changes nothing. A
 * driver retries transient errors itself (a busy file, a write conflict, a lost primary), a bounded
 * number of times and without applying a write twice. After that it throws `StoreUnavailable`.
 *
 * `list`, `count`, `aggregate` and `referrers` do not block other requests, regardless of how many
 * records they examine. When the engine's time limit passes, they throw `QueryTooSlow`, and the
 * query is no longer running.
 *
 * If the records were opened with a quota, a write that would make the space exceed the quota
 * throws `SpaceFull`. An engine may miss writes that other processes have in flight; docs/limits.md
 * states by how much all processes together may exceed the quota. A write that makes the space
 * smaller always succeeds.
 */
export interface Records<T extends StoredRecord = StoredRecord> {
  /** Throws `UniqueViolation` (with the path `_id` for a taken id) and `RecordTooLarge`. */
  insert(record: T): Promise<Stored<T>>;
  /** Inserts all of the records or none. Throws as {@linkcode insert} does. */
  insertMany(records: readonly T[]): Promise<Stored<T>[]>;
  /** Inserts all of the records or none, with the given revisions (1 or more). */
  restore(records: readonly Pick<Stored<T>, "value" | "revision">[]): Promise<void>;
  get(id: Id): Promise<Stored<T> | null>;
  /** Returns the first matching record in `_id` order. */
  findOne(filter: Filter): Promise<Stored<T> | null>;
  /** Lists records. By `from` and an index, all pages cost the same. Throws `PageTooLarge`. */
  list(query: ListQuery): Promise<Page<T>>;
  /**
   * Yields matching records as objects. They are read in pages, of which at most one is in memory
   * at a time. A record that is written during the iteration may be missing or may be yielded
   * twice. Throws as {@linkcode list} does.
   */
  find(query: FindQuery): AsyncGenerator<T>;
  count(filter: Filter): Promise<number>;
  /**
   * Groups matching records inside the engine. This process keeps no more groups in memory than it
   * returns. Throws as {@linkcode list} does, and `PageTooLarge`.
   */
  aggregate(query: Aggregation): Promise<Groups>;
  /**
   * Returns, for each id, the ids of the records whose value at the path is that id, in sort order.
   * Ids without such a record are missing from the result. An index that begins with the path
   * serves the query. Throws as {@linkcode list} does.
   */
  referrers(query: ReferrerQuery): Promise<ReadonlyMap<Id, readonly Id[]>>;
  /** Returns the plan of {@linkcode list}. Examines no more records than the list would. */
  explain(query: ListQuery): Promise<Explanation>;
  /**
   * Finds and changes a record in one atomic step: concurrent updates each see the result of the
   * one before. Resolves to the record after the change, or to null if no record matches. Throws
   * `UniqueViolation`, `PathConflict`, `TypeConflict` and `RecordTooLarge`.
   */
  updateOne(filter: Filter, change: Change): Promise<Stored<T> | null>;
  /**
   * Updates the matching record, or inserts `record` if no record matches, in one atomic step.
   * Resolves to the resulting record. If concurrent calls have a filter by `_id` or by a unique
   * field, exactly one of them inserts and the others update its record.
   *
   * Throws as {@linkcode updateOne} and {@linkcode insert} do. A `UniqueViolation` means that no
   * record matches, and that another record has a unique value of `record`. In a transaction on
   * MongoDB it can also mean that another transaction committed a matching record after this one
   * began.
   */
  upsert(filter: Filter, change: Change, record: T): Promise<Stored<T>>;
  /** Deletes a record permanently. Resolves to the deleted record, or to null. */
  deleteOne(filter: Filter): Promise<Stored<T> | null>;
  /** Deletes up to `limit` matching records permanently. Resolves to their number. */
  deleteMany(filter: Filter, limit: number): Promise<number>;
}

/** The contents of a space, readable to the end while other processes write. */
export interface Snapshot {
  /** Whether everything read so far is of one point in time. Always true on SQLite. */
  readonly isOfOneMoment: boolean;
  /**
   * Yields all records of a definition in id order, page by page. A page has little more than
   * {@linkcode SNAPSHOT_BYTES}, or a single record. Throws `StoreUnavailable`.
   */
  pages<T extends StoredRecord>(definition: Definition): AsyncGenerator<readonly Stored<T>[]>;
}

/** Bytes of JSON text after which a page of a snapshot ends. */
export const SNAPSHOT_BYTES = 4 * 1024 * 1024;
/** Maximum number of records in a page of a snapshot. */
export const SNAPSHOT_RECORDS = 1_000;

/** The only access to the space for `work`: any other would wait for the transaction. */
export interface Transaction {
  records<T extends StoredRecord>(definition: Definition, writing?: WriteOptions): Records<T>;
  /**
   * Makes stored records follow the definition: creates its indexes and drops others, updates the
   * words of its search fields, and converts values as its fields declare them. `before` is the
   * previous definition. A dropped index may still be enforced until the end of the transaction. If
   * the definition has `renames`, every record that has a renamed field gets a new revision and its
   * members move. Renames are not recorded as changes, and they require `before`. Throws
   * `UniqueViolation` if stored records violate a new unique index.
   */
  define(definition: Definition, before?: Definition): Promise<void>;
}

export interface TransactionOptions {
  /**
   * The definition that the transaction changes, and whose records it examines. If there are many
   * records, SQLite does this on a separate thread. Writers of the space wait for the end of the
   * transaction, however long it takes; readers do not wait.
   */
  readonly redefines?: Definition | undefined;
}

/** A database of isolated spaces. */
export interface Engine extends AsyncDisposable {
  readonly name: "sqlite" | "mongodb";
  readonly changes: ChangeLog;
  records<T extends StoredRecord>(
    space: Space,
    definition: Definition,
    writing?: WriteOptions,
  ): Records<T>;
  /**
   * Commits all of `work` or nothing. `work` sees its own changes; other callers see none of them
   * before the commit. `work` may run more than once, so it must not have other effects. After a
   * failed call the transaction can only be rolled back, even if `work` catches the error. After
   * the end of the transaction, its records throw. Inside `work`, writes through the engine's own
   * records of the space and nested transactions on it throw. Readers never wait, regardless of the
   * number of calls that `work` makes.
   */
  transaction<T>(
    space: Space,
    work: (tx: Transaction) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T>;
  /**
   * Reads a space without blocking writers or waiting for them. On SQLite, the write-ahead log
   * grows with every write until `work` ends. Throws `StoreUnavailable`.
   */
  snapshot<T>(space: Space, work: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /**
   * Returns a function that creates the indexes of a definition that can be built while other
   * processes write, before {@linkcode Transaction.define} is called. Resolves to null if there are
   * no such indexes. Always null on SQLite, where `define` creates all indexes.
   */
  concurrentIndexBuild(space: Space, definition: Definition): Promise<(() => Promise<void>) | null>;
  /**
   * Returns a text that changes with each commit of another process or thread in the space. Always
   * null on MongoDB, which would have to ask the server. Throws `StoreUnavailable`.
   */
  externalCommitMark(space: Space): string | null;
  /**
   * Milliseconds for which other processes may continue to read by a definition after a change of
   * it was committed. 0 on SQLite, where {@linkcode externalCommitMark} reveals the change.
   */
  readonly definitionLagMs: number;
  /**
   * Returns the stored size in bytes of all records whose kinds have a trash: a project's
   * documents. Takes constant time, and includes every write that has resolved.
   *
   * @param alsoCounted Kinds with `counted`, whose bytes are added.
   */
  bytes(space: Space, alsoCounted?: readonly Definition[]): Promise<number>;
  /** Returns the {@linkcode bytes} of one kind that has a trash or is `counted`. */
  bytesOf(space: Space, kind: Definition): Promise<number>;
  /**
   * Corrects the count of {@linkcode bytes} for a definition by examining every record. Resolves to
   * the number of bytes that were missing from the count; negative if there were too many.
   */
  recount(space: Space, definition: Definition): Promise<number>;
  /**
   * Converts records that an earlier version stored to the current layout, all of them or none.
   * Resolves to whether there were such records. Always false on MongoDB, whose layout has not
   * changed.
   */
  upgradeRecords(space: Space, definition: Definition): Promise<boolean>;
  /**
   * Deletes the table or collection of a definition with all its records. Does nothing if there is
   * none. Writes that are still in progress may fail, or may create the table again.
   */
  dropDefinition(space: Space, definition: Definition): Promise<void>;
  /**
   * Whether a write detects, at its commit, that the record its definition depends on has changed,
   * and throws `Outdated`. Otherwise, as on MongoDB, a definition must be behind a
   * {@linkcode fence} before it is changed.
   */
  readonly checksDefinitionAtCommit: boolean;
  /**
   * Fences off other versions of a definition. When the call has resolved, every write under the
   * name with another version throws `Outdated`, including writes of other processes and writes
   * that began earlier. Writes that finished before are committed and visible to new transactions.
   * Deletions continue. Does nothing if the engine {@linkcode checksDefinitionAtCommit}.
   */
  fence(space: Space, fenced: Pick<Definition, "name"> & { readonly version: Id }): Promise<void>;
  /** Returns the ids of all projects that have a space, even without a project record. */
  spaces(): Promise<Id[]>;
  /** Returns the names of all definitions under which a record was ever stored in the space. */
  kinds(space: Space): Promise<string[]>;
  /**
   * Returns the ids of projects whose space was found missing, foreign or damaged. All access to
   * these spaces throws. Always empty on MongoDB, which stores all spaces in one place.
   */
  unusableSpaces(): Id[];
  /** Deletes what killed processes left an hour ago. Does nothing on MongoDB. */
  deleteLeftovers(): Promise<void>;
  /** Creates the space if it does not exist. */
  createSpace(space: Space): Promise<void>;
  /**
   * Deletes a project's space permanently with all its contents. Does nothing if there is none.
   * Callers must not use the space during or after the call: using it would create an empty space.
   */
  dropSpace(projectId: Id): Promise<void>;
  /**
   * Resolves when a test write has succeeded. Throws `StoreUnavailable` if writing is not possible,
   * and `StoreMismatch` if a later version of Corbel has used the store since this process was
   * started.
   */
  ping(): Promise<void>;
}
