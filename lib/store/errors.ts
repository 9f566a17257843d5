/**
 * What a driver may throw. Expected absence is a return value (`null`, `0`), never one of these.
 */

/** A unique index refused the write. Nothing of the write, or of its transaction, was stored. */
export class UniqueViolation extends Error {
  override readonly name = "UniqueViolation";
  /** The path of the field whose value is taken; of several together, joined by commas. */
  readonly path: string;

  constructor(path: string, options?: ErrorOptions) {
    super(`A unique index on "${path}" refused the write`, options);
    this.path = path;
  }
}

/** A dotted `set` met something on its way that is not an object. Nothing was changed. */
export class PathConflict extends Error {
  override readonly name = "PathConflict";
  readonly path: string;

  constructor(path: string) {
    super(`"${path}" leads through a value that is not an object`);
    this.path = path;
  }
}

/** A step of a change met a value that it cannot change. Nothing was changed. */
export class TypeConflict extends Error {
  override readonly name = "TypeConflict";
  readonly path: string;
  /** Said of the path: `holds no number`. */
  readonly why: string;

  constructor(path: string, why: string) {
    super(`"${path}" ${why}`);
    this.path = path;
    this.why = why;
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

/** The write would have made its space hold more than it may. Nothing of it was stored. */
export class SpaceFull extends Error {
  override readonly name = "SpaceFull";

  constructor(bytesMax: number) {
    super(`The space would hold more than ${bytesMax} bytes`);
  }
}

/** The page that was asked for whole would have more bytes than it may. */
export class PageTooLarge extends Error {
  override readonly name = "PageTooLarge";

  constructor(bytesMax: number) {
    super(`The page would exceed ${bytesMax} bytes`);
  }
}

/** What the definition rests on has changed, or is gone. Nothing of the write was stored. */
export class Outdated extends Error {
  override readonly name = "Outdated";

  constructor(options?: ErrorOptions) {
    super("The definition is not the one that stands", options);
  }
}

/** The store cannot be used at the moment: full, read-only, gone, or busy for too long. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
}

/** What is stored does not look as this version expects it: wrong file, schema or index shape. */
export class StoreMismatch extends Error {
  override readonly name = "StoreMismatch";
}

/** Changes behind a position are not kept any more. */
export class PositionLost extends Error {
  override readonly name = "PositionLost";

  constructor(options?: ErrorOptions) {
    super("Changes behind this position are not kept any more", options);
  }
}

/** The query's time limit passed. Nothing of it is left running. */
export class QueryTooSlow extends Error {
  override readonly name = "QueryTooSlow";
  /** Fields of the index that would help, as a sort names them; null if none would. */
  readonly index: string | null;
  /** The collection that it is missing in, where the query names another one. */
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
