import { encodeBase64Url } from "../crypto/base64.ts";
import { equalInConstantTime, mac, MAC_LENGTH, sha256 } from "../crypto/hashes.ts";
import { CURSOR_LENGTH_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { jsonText, parseJson } from "../store/json_text.ts";
import type { Filter, Id, Position, Scalar, SortKey } from "../store/port.ts";
import {
  type PagedList,
  restorePosition,
  type ShortenedPosition,
  shortenPosition,
} from "./shortened_position.ts";

/** A position in a list and the direction in which the list continues. */
export interface Cursor {
  readonly from: Position;
  readonly backwards: boolean;
}

export interface ShortenedCursor {
  readonly shortened: ShortenedPosition;
  readonly backwards: boolean;
}

/** List for which a cursor is valid. */
export interface CursorScope {
  readonly projectId: Id;
  readonly collection: string;
  readonly callerTag: string;
  /** Effective filter, including row-level security. */
  readonly filter: Filter;
  readonly sort: readonly SortKey[];
}

export type ScopeDigest = string;

export const scopeDigest = (
  { projectId, collection, callerTag, filter, sort }: CursorScope,
): ScopeDigest => sha256(JSON.stringify([projectId, collection, callerTag, filter, sort]));

/** Writes and reads the opaque, signed cursors of lists. */
export interface Cursors {
  write(cursor: Cursor, scope: ScopeDigest): string;
  /** Throws `INVALID_CURSOR` if the cursor was altered or belongs to another scope. */
  read(text: string, scope: ScopeDigest): Cursor | ShortenedCursor;
}

/** Reads a cursor. Throws `INVALID_CURSOR`, also if a shortened position cannot be restored. */
export async function readCursor(
  cursors: Cursors,
  { text, scope, list }: { text: string; scope: ScopeDigest; list: PagedList },
): Promise<Cursor> {
  const cursor = cursors.read(text, scope);
  if ("from" in cursor) return cursor;
  return { from: await restorePosition(list, cursor.shortened), backwards: cursor.backwards };
}

/** Bits of the number at the beginning of a cursor. */
const CURSOR_FLAGS = { forwards: 1, inclusive: 2, exact: 4, shortened: 8 } as const;

const PAYLOAD_LENGTH_MAX = CURSOR_LENGTH_MAX - ".".length - MAC_LENGTH;

/** @param keys The first key signs; all keys are accepted when reading. */
export function createCursors(keys: readonly string[]): Cursors {
  const sign = (key: string, payload: string, scope: ScopeDigest) =>
    mac(key, `${scope}.${payload}`);
  return {
    write({ from, backwards }, scope) {
      const flags = (backwards ? 0 : CURSOR_FLAGS.forwards) +
        (from.inclusive ? CURSOR_FLAGS.inclusive : 0);
      const complete = completePayload(flags, from);
      const payload = complete.length <= PAYLOAD_LENGTH_MAX
        ? complete
        : shortenedPayload(flags, from);
      return `${payload}.${sign(keys[0]!, payload, scope)}`;
    },
    read(text, scope) {
      const [payload = "", signature = ""] = text.split(".", 2);
      const isGenuine = text.length <= CURSOR_LENGTH_MAX && text === `${payload}.${signature}` &&
        keys.some((key) => equalInConstantTime(signature, sign(key, payload, scope)));
      if (!isGenuine) throw new Problem("INVALID_CURSOR");
      return parsePayload(parseJson(decode(payload)) as [number, ...Scalar[]]);
    },
  };
}

function completePayload(flags: number, { id, values, exact }: Position): string {
  const fields = exact === undefined ? [flags, id] : [flags + CURSOR_FLAGS.exact, exact, id];
  return encode(jsonText([...fields, ...values]));
}

function shortenedPayload(flags: number, position: Position): string {
  const { id, values, firstCut, wasExact, digest } = shortenPosition(position);
  const sum = flags + CURSOR_FLAGS.shortened + (wasExact ? CURSOR_FLAGS.exact : 0);
  return encode(jsonText([sum, digest, firstCut, id, ...values]));
}

function parsePayload(
  [flags, ...fields]: readonly [number, ...Scalar[]],
): Cursor | ShortenedCursor {
  const backwards = (flags & CURSOR_FLAGS.forwards) === 0;
  const inclusive = (flags & CURSOR_FLAGS.inclusive) === 0 ? {} : { inclusive: true };
  if (flags & CURSOR_FLAGS.shortened) {
    const [digest, firstCut, id, ...values] = fields as [string, number | null, Id, ...Scalar[]];
    const wasExact = (flags & CURSOR_FLAGS.exact) !== 0;
    return { shortened: { id, values, firstCut, wasExact, digest, ...inclusive }, backwards };
  }
  const exact = flags & CURSOR_FLAGS.exact ? { exact: fields.shift() as string } : null;
  const [id, ...values] = fields as [Id, ...Scalar[]];
  return { from: { id, values, ...inclusive, ...exact }, backwards };
}

const encode = (text: string) => encodeBase64Url(new TextEncoder().encode(text));
const decode = (text: string) =>
  new TextDecoder().decode(Uint8Array.fromBase64(text, { alphabet: "base64url" }));
