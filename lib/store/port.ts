/**
 * The storage port: everything Corbel keeps goes through {@linkcode Engine} and
 * {@linkcode Records}. SQLite and MongoDB each implement it once, and `tests/contract/` holds
 * every driver to the obligations written here.
 *
 * Comparison, on every driver:
 *
 * - Sorting: missing and null first, then ascending; numbers by value, text by its UTF-8 bytes,
 *   false before true, dates by time. Ties are broken by `_id` in the direction of the last key.
 * - `gt gte lt lte regex` match only values of the operand's own type; `true` is never 1.
 * - A missing field equals null. `exists` asks whether the field is there, be it null.
 * - On an array an operator matches if one element does; `ne` and `nin` match if none does.
 * - A path reaches into objects only; what lies behind an array is missing.
 * - `not` is two-valued: it matches exactly the records its operand does not.
 */

import { ANSWER_BYTES_MAX } from "../limits.ts";
import type { Figure, GroupKey, Groups, GroupSort } from "./aggregation.ts";
import type { Definition, Id, Json, Scalar, SortKey, Space, StoredRecord } from "./definition.ts";
import type { ChangeLog, Writing } from "./changes.ts";

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
  Writing,
} from "./changes.ts";

export type Comparison = "eq" | "ne" | "gt" | "gte" | "lt" | "lte";

/** Built by our code, never text from a request. */
export type Filter =
  | { readonly op: "and" | "or"; readonly of: readonly Filter[] }
  | { readonly op: "not"; readonly of: Filter }
  | { readonly op: Comparison; readonly path: string; readonly value: Scalar }
  | { readonly op: "in" | "nin"; readonly path: string; readonly values: readonly Scalar[] }
  | { readonly op: "exists"; readonly path: string; readonly value: boolean }
  /** RE2 syntax, matched anywhere in the text, case-insensitive, in no exponential time. */
  | { readonly op: "regex"; readonly path: string; readonly pattern: string }
  /**
   * Words as `wordsIn` finds them. Each is the beginning of a word of the record's search fields,
   * which are taken together. An index serves it. No record matches where the definition has no
   * search fields, or where there are no words.
   */
  | { readonly op: "search"; readonly words: readonly string[] }
  /** The record's revision is exactly this one. */
  | { readonly op: "revision"; readonly value: number };

/**
 * Applied as one atomic step, in this order. Paths may be dotted; objects on the way that are
 * missing or null are made, anything else on the way is a `PathConflict`.
 */
export interface Change {
  /** The whole record but for `_id`, and but for the fields named in `keep`. */
  readonly replace?: Readonly<Record<string, Json>>;
  /** Top-level fields that `replace` leaves as they are stored, if they are. */
  readonly keep?: readonly string[];
  readonly set?: Readonly<Record<string, Json>>;
  readonly unset?: readonly string[];
  /**
   * Adds to a number; a missing or null field counts as 0. What holds anything else, would become
   * larger than a number can be, or cannot hold the sum of two integers or anything but what it held
   * before, is a `TypeConflict`, as in all that follow.
   */
  readonly increment?: Readonly<Record<string, number>>;
  /** Lowers a number or a text to this one of its type, where it is more, missing or null. */
  readonly min?: Readonly<Record<string, number | string>>;
  /** Raises it to this one, where it is less, missing or null. */
  readonly max?: Readonly<Record<string, number | string>>;
  /** Adds elements to the end of a list; a missing or null field counts as an empty one. */
  readonly push?: Readonly<Record<string, Json[]>>;
  /** The same, but for those that it has already; objects are equal whatever the order of members. */
  readonly addToSet?: Readonly<Record<string, Json[]>>;
  /** Takes all elements that equal one of these out of a list; a missing or null field stays so. */
  readonly pull?: Readonly<Record<string, Json[]>>;
}

/** A record as it is stored. */
export interface Stored<T = StoredRecord> {
  /** JSON text: `_id` first, then the fields in the order in which they were first written. */
  readonly json: string;
  /** Grows with every change of the record. */
  readonly revision: number;
  /** The parsed record; parsed on first use. */
  readonly value: T;
}

/** What became of one record; one of the two is not null. */
export interface WrittenRecord {
  readonly before: Stored | null;
  readonly after: Stored | null;
}

/** The sort values of a record and its id: where a page begins or ends. */
export interface Position {
  readonly values: readonly Scalar[];
  readonly id: Id;
  /** Whether reading on from here begins with the record at this very position. */
  readonly inclusive?: boolean;
  /** What an engine adds to find the place again where that does not do; nobody else reads it. */
  readonly exact?: string;
}

/** Bytes of JSON text that a page holds at most, where the query does not say otherwise. */
export const PAGE_BYTES_MAX = ANSWER_BYTES_MAX;

export interface ListQuery {
  readonly filter: Filter;
  readonly sort: readonly SortKey[];
  readonly limit: number;
  /** How many bytes the page may hold; {@linkcode PAGE_BYTES_MAX} if left out. */
  readonly bytesMax?: number;
  /** Whether to throw `PageTooLarge` where the page would end before its limit for its bytes. */
  readonly onlyWhole?: boolean;
  /** Rows to pass over; not together with `from`. */
  readonly offset?: number;
  /** Continue behind this position, or before it when `backwards`. The record may be gone. */
  readonly from?: Position;
  readonly backwards?: boolean;
  /**
   * Whether to count the matching records too. An estimate may be off, and cost less; it counts
   * small numbers of matches exactly.
   */
  readonly total?: boolean | "estimate";
}

/**
 * A page ends before its limit where the next record would take `items` beyond the bytes it may
 * hold; it has at least one record. A driver stops reading there: beside the page it holds no more
 * than as much again and one record.
 */
export interface Page<T = StoredRecord> {
  /** The records' JSON texts in the order of the sort, joined by commas, without brackets. */
  readonly items: string;
  /** The same texts, one by one. */
  readonly texts: readonly string[];
  /** The records themselves, parsed with each call. */
  records(): T[];
  readonly size: number;
  /** Whether the list goes on in the direction that was read. */
  readonly more: boolean;
  /** How many records match, ignoring the page; null if it was not asked for. */
  readonly total: number | null;
  /**
   * About how many records were looked at for the page and its total; null where the engine does
   * not say.
   */
  readonly examined: number | null;
  /** Positions of the first and the last record; null for an empty page. */
  first(): Position | null;
  last(): Position | null;
}

/** What {@linkcode Records.find} looks for. */
export interface FindQuery {
  readonly filter: Filter;
  /** By `_id` if left out. */
  readonly sort?: readonly SortKey[];
  /** How many at most; all that match if left out. */
  readonly limit?: number;
}

/** What {@linkcode Records.aggregate} works out. */
export interface Aggregation {
  readonly filter: Filter;
  /** Without any, all matches are one group, also where nothing matches. */
  readonly keys: readonly GroupKey[];
  readonly figures: readonly Figure[];
  /** Ties are broken by the keys in their order, ascending. */
  readonly sort: readonly GroupSort[];
  readonly limit: number;
  /** How many bytes the texts among the keys may have together; {@linkcode PAGE_BYTES_MAX} if left out. */
  readonly bytesMax?: number;
}

/** Who {@linkcode Records.referrers} looks for: at most `limit` for each id, none of them twice. */
export interface ReferrerQuery {
  /** A declared scalar's path. */
  readonly path: string;
  readonly ids: readonly Id[];
  readonly filter: Filter;
  readonly sort: readonly SortKey[];
  readonly limit: number;
}

/** How a list would be read. */
export interface Explanation {
  /** Keys of the index that serves it; null where every record is looked at. */
  readonly index: readonly SortKey[] | null;
  /** About how many records must be looked at for the page and, where it is asked for, the total. */
  readonly examined: number;
  /** Keys of the index that would help; null if none would. */
  readonly advice: readonly SortKey[] | null;
}

/**
 * The records of one kind in one space.
 *
 * Every call is atomic, and durable when it resolves. A refusal or a failure leaves no trace.
 * What a driver may have to retry (a busy file, a write conflict, a lost primary) it retries
 * itself, bounded, and never applies twice; after that it throws `StoreUnavailable`.
 *
 * `list`, `count`, `aggregate` and `referrers` hold nobody else up, however many records they look
 * at. Past the engine's time limit they throw `QueryTooSlow`, and nothing of them is left running.
 *
 * Records that were asked for with a quota throw `SpaceFull` instead of a write that would make the
 * space exceed the quota. An engine may miss what other processes have in flight; docs/limits.md says
 * by how much all of them together may exceed the quota. A write that makes the space smaller is
 * always done.
 */
export interface Records<T extends StoredRecord = StoredRecord> {
  /** Throws `UniqueViolation` (path `_id` for a taken id) and `RecordTooLarge`. */
  insert(record: T): Promise<Stored<T>>;
  /** All or nothing. */
  insertMany(records: readonly T[]): Promise<Stored<T>[]>;
  /** The same with the revisions that they had elsewhere, from 1 on. Throws as {@linkcode insert} does. */
  restore(records: readonly Pick<Stored<T>, "value" | "revision">[]): Promise<void>;
  get(id: Id): Promise<Stored<T> | null>;
  /** The first in `_id` order. */
  findOne(filter: Filter): Promise<Stored<T> | null>;
  /**
   * With an index over the sort a page costs the same at any depth when read by `from`.
   * Throws `PageTooLarge`.
   */
  list(query: ListQuery): Promise<Page<T>>;
  /**
   * Matches as objects, read by pages: no more than one is in memory at a time. What is written
   * meanwhile may be missing, or met at both places that it had. Throws as {@linkcode list} does.
   */
  find(query: FindQuery): AsyncGenerator<T>;
  count(filter: Filter): Promise<number>;
  /**
   * Groups of what matches, worked out where it is stored. However many groups there are, no more
   * are held in this process than are answered.
   * Throws as {@linkcode list} does, and `PageTooLarge`.
   */
  aggregate(query: Aggregation): Promise<Groups>;
  /**
   * By id, the ids of the records that hold it at the path, in order; nothing for an id that none
   * holds. An index that begins with the path serves it. Throws as {@linkcode list} does.
   */
  referrers(query: ReferrerQuery): Promise<ReadonlyMap<Id, readonly Id[]>>;
  /** How {@linkcode list} would read; looks at no more than that would. */
  explain(query: ListQuery): Promise<Explanation>;
  /**
   * Finds and changes in one atomic step, so of many at once each sees the other's result.
   * Resolves to the record after the change, or null when none matches.
   * Throws `UniqueViolation`, `PathConflict`, `TypeConflict` and `RecordTooLarge`.
   */
  updateOne(filter: Filter, change: Change): Promise<Stored<T> | null>;
  /**
   * {@linkcode updateOne}, or {@linkcode insert} of `record` where none matches, in one atomic step.
   * Resolves to the record as it is then. Of many at once with a filter by `_id`, or by a field that
   * is unique, exactly one inserts; each of the others changes what is there.
   *
   * Throws what both throw: a `UniqueViolation` says that none matches, and one that does not has a
   * unique value of `record`. In a transaction on MongoDB it may also be that another has committed
   * such a record since the transaction began.
   */
  upsert(filter: Filter, change: Change, record: T): Promise<Stored<T>>;
  /** Removes for good. Resolves to the record as it was, or null when none matches. */
  deleteOne(filter: Filter): Promise<Stored<T> | null>;
  /** Removes for good at most `limit` records; resolves to how many. */
  deleteMany(filter: Filter, limit: number): Promise<number>;
}

/** What a space holds, to be read to its end while others write. */
export interface Snapshot {
  /**
   * Whether all that was read so far is of one moment, which is not before the snapshot was begun.
   * Always so on SQLite.
   */
  readonly isOfOneMoment: boolean;
  /**
   * All records of a definition in the order of their ids, page after page. However large they are, a
   * page has hardly more than {@linkcode SNAPSHOT_BYTES}, or one record. Throws `StoreUnavailable`.
   */
  pages<T extends StoredRecord>(definition: Definition): AsyncGenerator<readonly Stored<T>[]>;
}

/** Bytes of JSON text after which a page of a snapshot ends. */
export const SNAPSHOT_BYTES = 4 * 1024 * 1024;
/** How many records it has at most. */
export const SNAPSHOT_RECORDS = 1_000;

/** What `work` may touch: everything else would wait for the transaction to end. */
export interface Transaction {
  records<T extends StoredRecord>(definition: Definition, writing?: Writing): Records<T>;
  /**
   * Makes what is stored follow the definition: indexes it names are created, others dropped, words
   * of its search fields are kept, and values as its fields declare them. `before` is what they
   * followed so far. What is dropped may still hold until the transaction's end. Where the definition
   * has `renames`, records that have one of those fields get another revision, and their members
   * move; nothing of it is noted as a change, and `before` must be given.
   * Throws `UniqueViolation` when stored records contradict a new unique index.
   */
  define(definition: Definition, before?: Definition): Promise<void>;
}

/** What a transaction is for. */
export interface TransactionOptions {
  /**
   * The definition whose records the transaction looks at and defines anew. Where there are many,
   * SQLite does so in a thread of its own; writers of the space wait for the transaction's end,
   * however long it takes, and readers go on.
   */
  readonly redefines?: Definition | undefined;
}

/** A database: many spaces, each apart from the others. */
export interface Engine extends AsyncDisposable {
  readonly name: "sqlite" | "mongodb";
  readonly changes: ChangeLog;
  records<T extends StoredRecord>(
    space: Space,
    definition: Definition,
    writing?: Writing,
  ): Records<T>;
  /**
   * All of `work` or nothing of it. `work` sees its own changes, others see none before the end.
   * It may run more than once: it must touch nothing but the transaction it is given. After a call
   * that failed the transaction can only be undone, whatever `work` makes of the failure; after its
   * end its records are refused, and before it writes by the engine's own records of the space and
   * further transactions on it. However many calls it makes, others read meanwhile.
   */
  transaction<T>(
    space: Space,
    work: (tx: Transaction) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T>;
  /**
   * Reads a space while others write, which waits for nothing. On SQLite the space's log grows by all
   * that is written until `work` ends. Throws `StoreUnavailable`.
   */
  snapshot<T>(space: Space, work: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /**
   * Returns the function that makes those indexes of a definition that are made while others write,
   * before {@linkcode Transaction.define}. Resolves to null if there are none: always on SQLite,
   * where `define` makes all of them.
   */
  indexesAhead(space: Space, definition: Definition): Promise<(() => Promise<void>) | null>;
  /**
   * Names what other processes and threads have committed in a space: another text after each of
   * their commits. Always null on MongoDB, which would have to ask the server. Throws
   * `StoreUnavailable`.
   */
  commitsOfOthers(space: Space): string | null;
  /**
   * Milliseconds for which other processes may go on reading under a definition after its change
   * was committed: 0 on SQLite, where {@linkcode commitsOfOthers} shows them the change.
   */
  readonly definitionLagMs: number;
  /**
   * Bytes of all records of those kinds together that have a trash, as they are stored: a project's
   * documents. Costs the same however many there are, and sees every write that was answered.
   *
   * @param alsoCounted Kinds that are `counted`, whose bytes are added.
   */
  bytes(space: Space, alsoCounted?: readonly Definition[]): Promise<number>;
  /** Bytes of all records of one kind that has a trash or is `counted`, as {@linkcode bytes} knows them. */
  bytesOf(space: Space, kind: Definition): Promise<number>;
  /**
   * Sets right what {@linkcode bytes} knows of a definition, by looking at every record. Resolves to
   * how many bytes were missing there; less than 0 if there were too many.
   */
  recount(space: Space, definition: Definition): Promise<number>;
  /**
   * Brings records that an earlier version stored to the layout of this one, all or none of them;
   * resolves to whether there was anything to do. There never is on MongoDB, which has one layout.
   */
  bringOver(space: Space, definition: Definition): Promise<boolean>;
  /**
   * Removes what the records of a definition were kept in, with all that is left of them. Does
   * nothing where there is none. Who still writes them then may fail, or make it anew.
   */
  drop(space: Space, definition: Definition): Promise<void>;
  /**
   * Whether a write finds out by itself, at the moment of its commit, that what its definition rests
   * on has changed, and throws `Outdated`. Where it does not, as on MongoDB, a definition must be
   * behind a {@linkcode fence} before it is changed.
   */
  readonly checksDefinitionAtCommit: boolean;
  /**
   * From its end on every write to the place of this name whose definition has another version
   * throws `Outdated`, whoever writes, and whenever it began; those before are committed, and seen
   * by a transaction that begins now. Removals go on. Does nothing where the engine
   * {@linkcode checksDefinitionAtCommit}.
   */
  fence(space: Space, place: Pick<Definition, "name"> & { readonly version: Id }): Promise<void>;
  /** Ids of all projects that have a space, also of those that nobody knows. */
  spaces(): Promise<Id[]>;
  /** Names of definitions that have a place in a space: all of which something was ever stored. */
  kinds(space: Space): Promise<string[]>;
  /**
   * Projects whose spaces were found missing, foreign or damaged: what is asked of them throws. Never
   * any on MongoDB, which keeps all of them in one place.
   */
  lost(): Id[];
  /**
   * Removes what processes that were killed have left half-made an hour ago. Does nothing on MongoDB,
   * whose server undoes it.
   */
  tidy(): Promise<void>;
  /** Makes the space if it is missing. */
  createSpace(space: Space): Promise<void>;
  /**
   * Removes a project's space with all that is in it, for good; does nothing where there is none.
   * Nobody may use the space meanwhile or afterwards: whoever does makes an empty one.
   */
  dropSpace(projectId: Id): Promise<void>;
  /**
   * Resolves when something was written. Throws `StoreUnavailable` where that cannot be, and
   * `StoreMismatch` where a later version of Corbel uses the store since this one was started.
   */
  ping(): Promise<void>;
}
