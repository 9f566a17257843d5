/** The change log: a record of each write to certain kinds, as a part of the storage port. */

import type { ByteQuota, Definition, Id, Space, StoredRecord } from "./definition.ts";

export type Actor =
  /** A signed-in user of the project. */
  | { readonly kind: "user"; readonly id: Id }
  /** A member of the project, by the id of their account. */
  | { readonly kind: "member"; readonly id: Id }
  /** The holder of the project's secret key, the command line, or Corbel itself. */
  | { readonly kind: "key" | "operator" | "corbel"; readonly id: null };

/** The author and the time of a write. */
export interface Authorship {
  readonly actor: Actor;
  /** Time by the clock of the process, ISO 8601. */
  readonly at: string;
}

export interface WriteOptions {
  /** Size limit of the space; none by default. */
  readonly quota?: ByteQuota | undefined;
  /** Author and time for the change log. Required for kinds with `recordedAs`. */
  readonly by?: Authorship;
}

/** `deleted` moves to the trash, `recovered` restores, and `removed` deletes permanently. */
export type ChangeAction = "created" | "changed" | "deleted" | "recovered" | "removed";

/** A change of a record, recorded in the step or transaction that made it. */
export interface RecordedChange extends Authorship {
  /** Name under which the kind is recorded: see `Definition.recordedAs`. */
  readonly name: string;
  readonly recordId: Id;
  readonly action: ChangeAction;
  /** The record's JSON text before the change; null if it did not exist. */
  readonly before: string | null;
  /** The record's JSON text after the change; null if it no longer exists. */
  readonly after: string | null;
}

/** A position in the order of commits, as text that compares like the order. */
export type ChangePosition = string;

export interface PositionedChange extends RecordedChange {
  readonly position: ChangePosition;
}

export interface ChangeBatch {
  /** Changes in commit order; empty if no further change is committed at the moment. */
  readonly changes: readonly PositionedChange[];
  /** Position up to which all changes have been delivered, from which another feed may continue. */
  readonly upTo: ChangePosition;
}

/** Changes of all processes in commit order. The feed ends when it is disposed. */
export interface ChangeFeed extends AsyncIterable<ChangeBatch>, AsyncDisposable {}

/**
 * The change log. Drivers record every write to kinds with `recordedAs` in the same step or
 * transaction as the write, regardless of the call that makes it: every change has exactly one
 * entry. Entries are kept for `CHANGES_MS`. A space has at most `CHANGES_MAX` entries, and at most
 * `CHANGES_BYTES_MAX` bytes of entries that are old enough to have been delivered. The oldest
 * entries are deleted first, in bounded batches.
 */
export interface ChangeLog {
  /** Returns a position after all commits. A later read sees every change before the position. */
  head(space: Space): Promise<ChangePosition>;
  /**
   * Follows all changes after a position, including future ones. Changes of one record arrive in
   * commit order. Waiting followers do not each query the store. The iteration throws
   * `PositionLost` if changes after the position have been deleted, and `StoreUnavailable`.
   */
  follow(space: Space, after: ChangePosition): ChangeFeed;
  /**
   * Whether {@linkcode head} is after every commit that an earlier read could have seen. On MongoDB
   * a read may see a concurrent commit that gets a later position.
   */
  readonly isHeadExact: boolean;
  /** Maximum milliseconds from the {@linkcode onRecorded} call to the commit: 0 on SQLite. */
  readonly recordedAheadMs: number;
  /**
   * Sets the function that is called when this process has recorded changes in a space, up to
   * {@linkcode recordedAheadMs} before their commit. Replaces the previous function.
   */
  onRecorded(listener: (space: Space) => void): void;
  /**
   * Deletes entries beyond the limits of age, number and size. Resolves to the number of deleted
   * entries.
   *
   * @param now The current time, ISO 8601.
   */
  trim(space: Space, now: string): Promise<number>;
}

/** Returns the action that leads from one state of a record to another, by `isDeleted`. */
export function actionOf(before: StoredRecord | null, after: StoredRecord | null): ChangeAction {
  if (before === null) return "created";
  if (after === null) return "removed";
  const [was, is] = [before.isDeleted === true, after.isDeleted === true];
  if (was === is) return "changed";
  return is ? "deleted" : "recovered";
}

/** Returns the author of a write to a recorded kind. Throws if it is missing. */
export function authorOf({ name }: Pick<Definition, "name">, { by }: WriteOptions): Authorship {
  if (by === undefined) throw new Error(`The write to ${name} has no author`);
  return by;
}

export const KEY: Actor = { kind: "key", id: null };

export const OPERATOR: Actor = { kind: "operator", id: null };

/** Corbel itself, for changes that were not requested. */
export const CORBEL: Actor = { kind: "corbel", id: null };

/**
 * Returns the write options for a change by Corbel itself.
 *
 * @param at Time of the change, ISO 8601.
 */
export const byCorbel = (at: string): WriteOptions => ({ by: { actor: CORBEL, at } });
