/** What records are and how their kinds are declared, as a part of the storage port. */

import type { FieldType } from "./field_types.ts";
import type { Id } from "./values.ts";

export type { FieldType } from "./field_types.ts";
export type { Id, Json, Scalar, StoredRecord } from "./values.ts";

/** The control plane, or one project by its id. A record never leaves its space. */
export type Space = "control" | Id;

/** The declared shape of a field. A driver may lean on it: stored values always fit. */
export interface FieldShape {
  readonly type: FieldType;
  /** For `Object`: its declared members. */
  readonly fields?: Readonly<Record<string, FieldShape>>;
  /** For `Array`: its elements. */
  readonly items?: FieldShape;
  /** Of a field at the top: every record has it, and it is never null. */
  readonly always?: boolean;
}

/** A field at the top of records whose values another one takes over. */
export interface FieldRename {
  readonly from: string;
  readonly to: string;
}

export interface SortKey {
  /** A declared scalar's path, or `_id`. */
  readonly path: string;
  readonly descending: boolean;
}

export interface Index {
  /**
   * Of one that is not unique, at most one may be an `Array` of scalars: the index then has each of
   * its elements, and serves conditions on them.
   */
  readonly keys: readonly SortKey[];
  /**
   * Holds among records in which the values of all keys are present and not null and, where the
   * definition has a trash, that are not deleted.
   */
  readonly unique?: boolean;
}

/**
 * A kind of record within a space. A driver creates what it needs for it on first use,
 * idempotently, and fails loudly where something of that name exists with another shape.
 */
export interface Definition {
  /**
   * Unique in its space, also when letter case is ignored. Names that begin with `_` are Corbel's
   * own: no collection of a project can be called so.
   */
  readonly name: string;
  readonly fields: Readonly<Record<string, FieldShape>>;
  readonly indexes: readonly Index[];
  /**
   * Paths of the texts and lists of texts that `search` looks into; nothing if left out. A driver
   * keeps their words, as `wordsOf` finds them, beside each record: whatever writes a record writes
   * its words in the same step. They are in no answer.
   */
  readonly search?: readonly string[];
  /**
   * Records carry `isDeleted`. Indexes then serve lists of live and of deleted records, and
   * counts of all live, all deleted and all records cost O(1) on SQLite.
   */
  readonly trash: boolean;
  /**
   * What each write to a record is noted under in the space's `ChangeLog`; not noted if left out.
   * Such records are written through `Writing.by` only.
   */
  readonly recordedAs?: string;
  /** Whether its bytes are counted; those of what has a trash always are. */
  readonly counted?: boolean;
  /** A `Date` field. Expired records may stay for a while: expiry is always also in the filter. */
  readonly expiry?: string;
  /**
   * A record of another kind in the same space, and the revision that this definition was made of.
   * Where the engine has `checksDefinitionAtCommit`, a write that finds it changed or gone at the
   * moment of its commit throws `Outdated`.
   */
  readonly restsOn?: {
    readonly kind: Definition;
    readonly id: Id;
    readonly revision: number;
  };
  /** Tells this state of the definition from every other that there was or will be. */
  readonly version?: Id;
  /**
   * Of a definition that is being brought to stand: fields that take over the values of others, each
   * in a record that has the other one. Neither name is the other one of another rename.
   */
  readonly renames?: readonly FieldRename[];
  /** Largest JSON text of a record in bytes; none if left out. */
  readonly bytesMax?: number;
  /** Most members of a record, those of objects within it included; without a bound if left out. */
  readonly membersMax?: number;
}

/** How many bytes a space may hold. */
export interface ByteQuota {
  /** Upper bound of {@linkcode Engine.bytes} after a write that adds bytes. */
  readonly bytesMax: number;
  /** Kinds that are `counted`, whose bytes are added. */
  readonly alsoCounted: readonly Definition[];
}
