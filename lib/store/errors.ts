/** Errors of the storage drivers. A missing record is not an error but `null` or `0`. */

/** A unique index rejected the write. Nothing of the write or of its transaction was stored. */
export class UniqueViolation extends Error {
  override readonly name = "UniqueViolation";
  /** The path of the field whose value is taken; several paths are joined by commas. */
  readonly path: string;

  constructor(path: string, options?: ErrorOptions) {
    super(`A unique index on "${path}" refused the write`, options);
    this.path = path;
  }
}

/** A dotted path of a change leads through a value that is not an object. Nothing was changed. */
export class PathConflict extends Error {
  override readonly name = "PathConflict";
  readonly path: string;

  constructor(path: string) {
    super(`"${path}" leads through a value that is not an object`);
    this.path = path;
  }
}

/** A step of a change cannot be applied to the stored value. Nothing was changed. */
export class TypeConflict extends Error {
  override readonly name = "TypeConflict";
  readonly path: string;
  /** The problem as a predicate of the path, such as `is not a number`. */
  readonly reason: string;

  constructor(path: string, why: string) {
    super(`"${path}" ${why}`);
    this.path = path;
    this.reason = why;
  }
}

/** The record would exceed the definition's `bytesMax`. Nothing was changed. */
export class RecordTooLarge extends Error {
  override readonly name = "RecordTooLarge";

  constructor(bytesMax: number) {
    super(`The record would exceed ${bytesMax} bytes`);
  }
}

/** The record would exceed the definition's `membersMax`. Nothing was changed. */
export class TooManyMembers extends Error {
  override readonly name = "TooManyMembers";

  constructor(membersMax: number) {
    super(`The record would have more than ${membersMax} members`);
  }
}

/** The write would exceed the quota of its space. Nothing was stored. */
export class SpaceFull extends Error {
  override readonly name = "SpaceFull";

  constructor(bytesMax: number) {
    super(`The space would hold more than ${bytesMax} bytes`);
  }
}

/** A page that must be complete exceeds its byte limit. */
export class PageTooLarge extends Error {
  override readonly name = "PageTooLarge";

  constructor(bytesMax: number) {
    super(`The page would exceed ${bytesMax} bytes`);
  }
}

/** The record that the definition was read from has changed or is gone. Nothing was stored. */
export class Outdated extends Error {
  override readonly name = "Outdated";

  constructor(options?: ErrorOptions) {
    super("The definition has changed since it was read", options);
  }
}

/** The store is temporarily unusable: full, read-only, unreachable, or busy for too long. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
}

/** The stored data is not what this version expects: wrong file, schema or index shape. */
export class StoreMismatch extends Error {
  override readonly name = "StoreMismatch";
}

/** Changes after a position have been deleted. */
export class PositionLost extends Error {
  override readonly name = "PositionLost";

  constructor(options?: ErrorOptions) {
    super("Changes after this position have been deleted", options);
  }
}

/** The query exceeded its time limit and is no longer running. */
export class QueryTooSlow extends Error {
  override readonly name = "QueryTooSlow";
  /** Fields of an index that would help, in the notation of a sort; null if no index would. */
  readonly index: string | null;
  /** The collection that lacks the index, if the query names another collection. */
  readonly collection: string | null;

  constructor(
    index: string | null,
    { collection = null, ...options }: ErrorOptions & { collection?: string | null } = {},
  ) {
    super("The query took longer than its time limit", options);
    this.index = index;
    this.collection = collection;
  }
}
