import { sign, unsign } from "../../crypto/signed.ts";
import type { Collection } from "../../documents/collection.ts";
import type { ChangePosition, Id } from "../../store/port.ts";

/** Scope in which a position is valid: one collection in one version of its definition. */
export interface PositionScope {
  readonly projectId: Id;
  readonly collection: Collection;
}

/** Writes and reads event ids, which are signed positions. */
export interface LivePositions {
  write(position: ChangePosition, scope: PositionScope): string;
  /** Returns null if the id was altered or belongs to another scope. */
  read(text: string, scope: PositionScope): ChangePosition | null;
}

const LENGTH_MAX = 200;

/** @param keys Signing keys. The first one signs; all of them are tried to verify. */
export function createLivePositions(keys: readonly string[]): LivePositions {
  return {
    write: (position, scope) => sign(keys[0]!, signingPurpose(scope), position),
    read: (text, scope) =>
      text.length > LENGTH_MAX ? null : unsign(keys, signingPurpose(scope), text),
  };
}

function signingPurpose({ projectId, collection: { definition, records } }: PositionScope): string {
  const { version, dependsOn } = records;
  return JSON.stringify([projectId, definition.name, version, dependsOn?.revision]);
}
