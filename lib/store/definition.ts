/** Definitions of record kinds, as a part of the storage port. */

import type { FieldType } from "./field_types.ts";
import type { Id } from "./values.ts";

export type { FieldType } from "./field_types.ts";
export type { Id, Json, Scalar, StoredRecord } from "./values.ts";

/** The control space, or a project's space by its id. Records never leave their space. */
export type Space = "control" | Id;

/** The declared shape of a field. Drivers may rely on stored values having this shape. */
export interface FieldShape {
  readonly type: FieldType;
  readonly fields?: Readonly<Record<string, FieldShape>>;
  /** Shape of the elements of an `Array`. */
  readonly items?: FieldShape;
  /** Whether every record has this top-level field with a value other than null. */
  readonly isAlwaysSet?: boolean;
}

export interface FieldRename {
  readonly from: string;
  readonly to: string;
}

export interface SortKey {
  /** The path of a declared scalar, or `_id`. */
  readonly path: string;
  readonly descending: boolean;
}

export interface Index {
  /**
   * Keys of the index. At most one key of a non-unique index may be an `Array` of scalars. The
   * index then has an entry for each element and serves conditions on elements.
   */
  readonly keys: readonly SortKey[];
  /**
   * Whether values must be unique among records in which all keys are present and not null and, if
   * the definition has a trash, which are not deleted.
   */
  readonly unique?: boolean;
}

/**
 * A kind of record within a space. On first use, a driver creates its table and indexes
 * idempotently. It throws if a table or an index of that name exists with another shape.
 */
export interface Definition {
  /**
   * Name, unique in its space regardless of letter case. Names that begin with `_` are reserved: a
   * project's collection cannot have such a name.
   */
  readonly name: string;
  readonly fields: Readonly<Record<string, FieldShape>>;
  readonly indexes: readonly Index[];
  /**
   * Paths of the texts and lists of texts that `search` covers; none by default. A driver stores
   * their words, as `wordsOf` returns them, in the same step as the record. The words are never
   * returned.
   */
  readonly search?: readonly string[];
  /**
   * Whether records have `isDeleted`. Indexes then serve lists of live and of deleted records, and
   * counting all live, all deleted or all records takes constant time on SQLite.
   */
  readonly trash: boolean;
  /**
   * Name under which each write is recorded in the space's `ChangeLog`; not recorded by default.
   * Recorded kinds must be written with `WriteOptions.by`.
   */
  readonly recordedAs?: string;
  /** Whether the bytes of the records are counted. Kinds with a trash are always counted. */
  readonly counted?: boolean;
  /** A `Date` field after which records expire. They may remain for a while: filter them out. */
  readonly expiry?: string;
  /**
   * The record of another kind that this definition was read from, with its revision. If the engine
   * has `checksDefinitionAtCommit`, a write throws `Outdated` when that record has changed or is
   * gone at its commit.
   */
  readonly dependsOn?: {
    readonly kind: Definition;
    readonly id: Id;
    readonly revision: number;
  };
  /** Identifier of this version of the definition, never reused. */
  readonly version?: Id;
  /** Field renames, applied to all records with the old field. Each name occurs at most once. */
  readonly renames?: readonly FieldRename[];
  /** Maximum size of a record's JSON text in bytes; unlimited by default. */
  readonly bytesMax?: number;
  /** Maximum number of members of a record, nested ones included; unlimited by default. */
  readonly membersMax?: number;
}

export interface ByteQuota {
  /** Maximum of {@linkcode Engine.bytes}, checked by writes that add bytes. */
  readonly bytesMax: number;
  readonly alsoCounted: readonly Definition[];
}
