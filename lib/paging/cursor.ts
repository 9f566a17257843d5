import { encodeBase64Url } from "../crypto/base64.ts";
import { equalInConstantTime, mac, MAC_LENGTH, sha256 } from "../crypto/hashes.ts";
import { CURSOR_LENGTH_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { jsonText, parseJson } from "../store/json_text.ts";
import type { Filter, Id, Position, Scalar, SortKey } from "../store/port.ts";
import {
  type PagedList,
  restored,
  shortened,
  type ShortenedPosition,
} from "./shortened_position.ts";

/** A place in a list, and the way to read on from it. */
export interface Cursor {
  readonly from: Position;
  readonly backwards: boolean;
}

/** The same with a position that must be restored before anything can be read from it. */
export interface ShortenedCursor {
  readonly shortened: ShortenedPosition;
  readonly backwards: boolean;
}

/** What a cursor is good for: one list and no other. */
export interface CursorScope {
  readonly projectId: Id;
  readonly collection: string;
  readonly callerTag: string;
  /** The effective filter, the caller's part included. */
  readonly filter: Filter;
  readonly sort: readonly SortKey[];
}

/** Stands for a scope; make it once and keep it. */
export type ScopeDigest = string;

export const digestOf = (
  { projectId, collection, callerTag, filter, sort }: CursorScope,
): ScopeDigest => sha256(JSON.stringify([projectId, collection, callerTag, filter, sort]));

/** Makes and reads the opaque, signed cursors of lists. */
export interface Cursors {
  write(cursor: Cursor, scope: ScopeDigest): string;
  /** Throws `INVALID_CURSOR` for a cursor that was altered or is of another scope. */
  read(text: string, scope: ScopeDigest): Cursor | ShortenedCursor;
}

/**
 * A cursor as it was sent, ready to be read from. Throws `INVALID_CURSOR`, also for one whose place
 * cannot be told any more.
 */
export async function readCursor(
  cursors: Cursors,
  { text, scope, list }: { text: string; scope: ScopeDigest; list: PagedList },
): Promise<Cursor> {
  const cursor = cursors.read(text, scope);
  if ("from" in cursor) return cursor;
  return { from: await restored(list, cursor.shortened), backwards: cursor.backwards };
}

/** Bits of the number that a cursor begins with. */
const WAY = { forwards: 1, inclusive: 2, exact: 4, shortened: 8 } as const;

const PAYLOAD_LENGTH_MAX = CURSOR_LENGTH_MAX - ".".length - MAC_LENGTH;

/** @param keys The key to sign with first; all are tried when reading. */
export function createCursors(keys: readonly string[]): Cursors {
  const sign = (key: string, payload: string, scope: ScopeDigest) =>
    mac(key, `${scope}.${payload}`);
  return {
    write({ from, backwards }, scope) {
      const way = (backwards ? 0 : WAY.forwards) + (from.inclusive ? WAY.inclusive : 0);
      const whole = wholePayload(way, from);
      const payload = whole.length <= PAYLOAD_LENGTH_MAX ? whole : shortenedPayload(way, from);
      return `${payload}.${sign(keys[0]!, payload, scope)}`;
    },
    read(text, scope) {
      const [payload = "", signature = ""] = text.split(".", 2);
      const genuine = text.length <= CURSOR_LENGTH_MAX && text === `${payload}.${signature}` &&
        keys.some((key) => equalInConstantTime(signature, sign(key, payload, scope)));
      if (!genuine) throw new Problem("INVALID_CURSOR");
      return cursorOf(parseJson(decode(payload)) as [number, ...Scalar[]]);
    },
  };
}

function wholePayload(way: number, { id, values, exact }: Position): string {
  const place = exact === undefined ? [way, id] : [way + WAY.exact, exact, id];
  return encode(jsonText([...place, ...values]));
}

function shortenedPayload(way: number, position: Position): string {
  const { id, values, firstCut, wasExact, digest } = shortened(position);
  const sum = way + WAY.shortened + (wasExact ? WAY.exact : 0);
  return encode(jsonText([sum, digest, firstCut, id, ...values]));
}

/** Reads what one of our keys has signed. */
function cursorOf([way, ...place]: readonly [number, ...Scalar[]]): Cursor | ShortenedCursor {
  const backwards = (way & WAY.forwards) === 0;
  const inclusive = (way & WAY.inclusive) === 0 ? {} : { inclusive: true };
  if (way & WAY.shortened) {
    const [digest, firstCut, id, ...values] = place as [string, number | null, Id, ...Scalar[]];
    const wasExact = (way & WAY.exact) !== 0;
    return { shortened: { id, values, firstCut, wasExact, digest, ...inclusive }, backwards };
  }
  const exact = way & WAY.exact ? { exact: place.shift() as string } : null;
  const [id, ...values] = place as [Id, ...Scalar[]];
  return { from: { id, values, ...inclusive, ...exact }, backwards };
}

const encode = (text: string) => encodeBase64Url(new TextEncoder().encode(text));
const decode = (text: string) =>
  new TextDecoder().decode(Uint8Array.fromBase64(text, { alphabet: "base64url" }));
