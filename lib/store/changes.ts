/** What of each write to certain records is kept, as a part of the storage port. */

import type { ByteQuota, Definition, Id, Space, StoredRecord } from "./definition.ts";

/** Who has changed a record. */
export type Actor =
  /** A signed-in user of the project. */
  | { readonly kind: "user"; readonly id: Id }
  /** A member of the project, by the id of their account. */
  | { readonly kind: "member"; readonly id: Id }
  /** Whoever has the project's secret key; the command line; Corbel itself. */
  | { readonly kind: "key" | "operator" | "corbel"; readonly id: null };

/** Who writes, and when by the clock of the process. */
export interface Authorship {
  readonly actor: Actor;
  readonly at: string;
}

/** How records are written. */
export interface Writing {
  /** No limit if left out. */
  readonly quota?: ByteQuota | undefined;
  /** Who writes, for the record of changes. */
  readonly by?: Authorship;
}

/** To the trash is `deleted`, out of it `recovered`, and away for good `removed`. */
export type ChangeAction = "created" | "changed" | "deleted" | "recovered" | "removed";

/** A change of a record, noted in the step or the transaction that made it. */
export interface RecordedChange extends Authorship {
  /** What the records are noted under: see `Definition.recordedAs`. */
  readonly name: string;
  readonly recordId: Id;
  readonly action: ChangeAction;
  /** The record's JSON texts; null where there was or is none. */
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * A place in the order in which changes were committed, as text. Of two of one space the later one
 * is the greater one, compared character by character.
 */
export type ChangePosition = string;

export interface PositionedChange extends RecordedChange {
  readonly position: ChangePosition;
}

/** Some of what a feed tells. */
export interface ChangeBatch {
  /** In their order; none says that nothing more is committed at the moment. */
  readonly changes: readonly PositionedChange[];
  /** All up to here is told: where another feed may go on. */
  readonly upTo: ChangePosition;
}

/** Changes in their order, as they are committed by whichever process. Ended by disposing of it. */
export interface ChangeFeed extends AsyncIterable<ChangeBatch>, AsyncDisposable {}

/**
 * The record of changes. Drivers note every write to records whose definition has `recordedAs`, by
 * whichever call it is made, in the same step or transaction: there is no change without its note,
 * and none twice. They keep them for `CHANGES_MS`, at most `CHANGES_MAX` of a space, and
 * `CHANGES_BYTES_MAX` of those that are not so young that somebody may not be told of them yet; the
 * oldest go first, in bounded batches.
 */
export interface ChangeLog {
  /** A position behind all that is committed: whoever reads records from now on sees all before it. */
  head(space: Space): Promise<ChangePosition>;
  /**
   * What is committed behind a position, those to come included, nothing left out. Changes of one
   * record come in the order of their commits. Waiting costs the store no query for each follower.
   * The iteration throws `PositionLost` where changes behind the position are gone, and
   * `StoreUnavailable`.
   */
  follow(space: Space, after: ChangePosition): ChangeFeed;
  /**
   * Whether {@linkcode head} is behind every commit that a read could have seen until then. On
   * MongoDB a read may see what is committed beside it, and its position comes later.
   */
  readonly isHeadExact: boolean;
  /** Milliseconds by which {@linkcode onNoted} may call before the commit: 0 on SQLite. */
  readonly notedAheadMs: number;
  /**
   * Calls back whenever this process has noted changes in a space, perhaps
   * {@linkcode notedAheadMs} before their commit. In the place of who was called back before.
   */
  onNoted(called: (space: Space) => void): void;
  /** Removes what is too old or too much; resolves to how many. @param now ISO 8601. */
  trim(space: Space, now: string): Promise<number>;
}

/** By the marks of the trash, as every record with one carries them. */
export function actionOf(before: StoredRecord | null, after: StoredRecord | null): ChangeAction {
  if (before === null) return "created";
  if (after === null) return "removed";
  const [was, is] = [before.isDeleted === true, after.isDeleted === true];
  if (was === is) return "changed";
  return is ? "deleted" : "recovered";
}

/** Who writes records that are recorded. Whoever forgets to say so must not write. */
export function authorOf({ name }: Pick<Definition, "name">, { by }: Writing): Authorship {
  if (by === undefined) throw new Error(`Nobody is said to write the records of ${name}`);
  return by;
}

/** Whoever has the secret key. */
export const KEY: Actor = { kind: "key", id: null };

/** Who works at the command line. */
export const OPERATOR: Actor = { kind: "operator", id: null };

/** Who does what nobody has asked for. */
export const CORBEL: Actor = { kind: "corbel", id: null };

/** What Corbel does by itself. @param at ISO 8601. */
export const byCorbel = (at: string): Writing => ({ by: { actor: CORBEL, at } });
