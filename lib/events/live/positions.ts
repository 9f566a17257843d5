import { signed, unsigned } from "../../crypto/signed.ts";
import type { Collection } from "../../documents/collection.ts";
import type { ChangePosition, Id } from "../../store/port.ts";

/** What a position is good for: one collection in one state of its definition. */
export interface PositionScope {
  readonly projectId: Id;
  readonly collection: Collection;
}

/** Makes and reads the ids of events. */
export interface LivePositions {
  write(position: ChangePosition, scope: PositionScope): string;
  /** Null for one that was altered, or is of another scope. */
  read(text: string, scope: PositionScope): ChangePosition | null;
}

const LENGTH_MAX = 200;

/** @param keys The key to sign with first; all are tried when reading. */
export function createLivePositions(keys: readonly string[]): LivePositions {
  return {
    write: (position, scope) => signed(keys[0]!, purposeOf(scope), position),
    read: (text, scope) => text.length > LENGTH_MAX ? null : unsigned(keys, purposeOf(scope), text),
  };
}

function purposeOf({ projectId, collection: { definition, records } }: PositionScope): string {
  const { version, restsOn } = records;
  return JSON.stringify([projectId, definition.name, version, restsOn?.revision]);
}
