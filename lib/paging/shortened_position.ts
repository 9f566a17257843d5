/**
 * Positions whose values are too long for a cursor: it has the beginnings of long texts, the
 * record's id and a digest of the position. If the record no longer matches the digest, the
 * beginnings are the position, provided that no other record of the list begins with them.
 * Otherwise the cursor is rejected, because the list could skip or repeat records.
 */

import { sha256 } from "../crypto/hashes.ts";
import { Problem } from "../problems.ts";
import { and, compare, eq } from "../store/filter.ts";
import { jsonText } from "../store/json_text.ts";
import type { Filter, Id, Position, Records, Scalar, SortKey } from "../store/port.ts";

export interface ShortenedPosition {
  readonly id: Id;
  readonly values: readonly Scalar[];
  /** Index of the first value that was cut; null if all values are complete. */
  readonly firstCut: number | null;
  /** Whether the position had `exact`, which can be restored only from the record. */
  readonly wasExact: boolean;
  readonly digest: string;
  readonly inclusive?: boolean;
}

/** Maximum number of bytes of all values together, as JSON. */
const VALUES_BYTES_MAX = 1280;

export function shortenPosition(position: Position): ShortenedPosition {
  const { id, values, inclusive } = position;
  const bytesMax = Math.floor(VALUES_BYTES_MAX / values.length);
  const cut = values.map((it) => typeof it === "string" ? fittingPrefix(it, bytesMax) : it);
  const firstCut = cut.findIndex((value, i) => value !== values[i]);
  return {
    id,
    values: cut,
    firstCut: firstCut === -1 ? null : firstCut,
    wasExact: position.exact !== undefined,
    digest: positionDigest(position),
    ...(inclusive && { inclusive }),
  };
}

const positionDigest = ({ id, values, exact }: Position): string =>
  sha256(jsonText([id, exact ?? null, ...values]));

const encoder = new TextEncoder();

/** Returns the longest beginning of a text that has at most `bytesMax` bytes as a JSON string. */
function fittingPrefix(text: string, bytesMax: number): string {
  let bytes = 2;
  let end = 0;
  for (const char of text) {
    bytes += encoder.encode(JSON.stringify(char)).length - 2;
    if (bytes > bytesMax) return text.slice(0, end);
    end += char.length;
  }
  return text;
}

export interface PagedList {
  readonly records: Pick<Records, "list">;
  readonly filter: Filter;
  readonly sort: readonly SortKey[];
}

/** Throws `INVALID_CURSOR` if the position can no longer be determined. */
export async function restorePosition(list: PagedList, from: ShortenedPosition): Promise<Position> {
  const { id, values, firstCut, wasExact, digest, inclusive = false } = from;
  const { records, sort } = list;
  const present = (await records.list({ filter: eq("_id", id), sort, limit: 1 })).first();
  const at = { ...(inclusive && { inclusive }) };
  if (present !== null && positionDigest(present) === digest) return { ...present, ...at };
  if (firstCut === null) throw positionGone();
  const sharing = await findFirstSharing(list, from, firstCut);
  // Finds the record if it cannot be found by its id.
  if (sharing !== null && positionDigest(sharing) === digest) return { ...sharing, ...at };
  if (sharing !== null || wasExact) throw positionGone();
  const isNear = present !== null && sharesPrefix(present.values, from.values, firstCut);
  return isNear ? { ...present, ...at } : { id, values, ...at };
}

const positionGone = () =>
  new Problem("INVALID_CURSOR", {
    message: "The document of this cursor has changed or is gone, and other documents begin with " +
      "the same text: start again without the cursor.",
  });

const sharesPrefix = (
  values: readonly Scalar[],
  cut: readonly Scalar[],
  firstCut: number,
): boolean =>
  values.slice(0, firstCut).every((value, i) => value === cut[i]) &&
  String(values[firstCut]).startsWith(cut[firstCut] as string); // Only texts are cut.

/** Returns the first other record of the list whose values begin with the given values, or null. */
async function findFirstSharing(
  { records, filter, sort }: PagedList,
  { id, values }: ShortenedPosition,
  firstCut: number,
): Promise<Position | null> {
  const { path } = sort[firstCut]!;
  const text = values[firstCut] as string; // Only texts are cut.
  const behind = successorOfPrefix(text);
  const sharing = and(
    filter,
    compare("_id", "ne", id),
    ...sort.slice(0, firstCut).map((key, i) => eq(key.path, values[i]!)),
    compare(path, "gte", text),
    ...(behind === null ? [] : [compare(path, "lt", behind)]),
  );
  return (await records.list({ filter: sharing, sort, limit: 1 })).first();
}

const LAST_CHARACTER = 0x10ffff;
const SURROGATES = { first: 0xd800, last: 0xdfff };

/** Returns the first text after all texts with the prefix, or null if there is none. */
export function successorOfPrefix(text: string): string | null {
  const characters = [...text].map((char) => char.codePointAt(0)!);
  while (characters.at(-1) === LAST_CHARACTER) characters.pop();
  const last = characters.pop();
  if (last === undefined) return null;
  const next = last + 1 === SURROGATES.first ? SURROGATES.last + 1 : last + 1;
  return String.fromCodePoint(...characters, next);
}
