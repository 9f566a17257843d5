/**
 * Positions whose values are too long for a cursor. It carries the beginnings of long texts, the
 * record's id and a digest of what was left out. The record still tells the whole position as long
 * as its values are the same, which the digest shows. Once they are not, the beginnings do where
 * nothing else in the list shares them; else nobody can say any more where the position was, and the
 * cursor is refused: no record is ever passed over or shown twice.
 */

import { sha256 } from "../crypto/hashes.ts";
import { Problem } from "../problems.ts";
import { and, compare, eq } from "../store/filter.ts";
import { jsonText } from "../store/json_text.ts";
import type { Filter, Id, Position, Records, Scalar, SortKey } from "../store/port.ts";

export interface ShortenedPosition {
  readonly id: Id;
  /** Long texts are cut. */
  readonly values: readonly Scalar[];
  /** Which of the values is the first that was cut; null if none was. */
  readonly firstCut: number | null;
  /** Whether the engine knew more of it than the values say, which only the record can tell. */
  readonly wasExact: boolean;
  /** Of the whole position. */
  readonly digest: string;
  readonly inclusive?: boolean;
}

/** Bytes that all values may have together, as JSON. */
const VALUES_BYTES_MAX = 1280;

export function shortened(position: Position): ShortenedPosition {
  const { id, values, inclusive } = position;
  const bytesMax = Math.floor(VALUES_BYTES_MAX / values.length);
  const cut = values.map((value) => typeof value === "string" ? beginning(value, bytesMax) : value);
  const firstCut = cut.findIndex((value, i) => value !== values[i]);
  return {
    id,
    values: cut,
    firstCut: firstCut === -1 ? null : firstCut,
    wasExact: position.exact !== undefined,
    digest: digestOf(position),
    ...(inclusive && { inclusive }),
  };
}

const digestOf = ({ id, values, exact }: Position): string =>
  sha256(jsonText([id, exact ?? null, ...values]));

const encoder = new TextEncoder();

/** As many characters from the beginning as fit, written as a JSON string. */
function beginning(text: string, bytesMax: number): string {
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

/** Throws `INVALID_CURSOR` where the position cannot be told any more. */
export async function restored(list: PagedList, from: ShortenedPosition): Promise<Position> {
  const { id, values, firstCut, wasExact, digest, inclusive = false } = from;
  const { records, sort } = list;
  const present = (await records.list({ filter: eq("_id", id), sort, limit: 1 })).first();
  const at = { ...(inclusive && { inclusive }) };
  if (present !== null && digestOf(present) === digest) return { ...present, ...at };
  if (firstCut === null) throw gone();
  const sharing = await firstSharing(list, from, firstCut);
  // A record whose id cannot be asked for is met here.
  if (sharing !== null && digestOf(sharing) === digest) return { ...sharing, ...at };
  if (sharing !== null || wasExact) throw gone();
  const isNear = present !== null && sharesBeginning(present.values, from.values, firstCut);
  return isNear ? { ...present, ...at } : { id, values, ...at };
}

const gone = () =>
  new Problem("INVALID_CURSOR", {
    message: "The document that this cursor names has changed or is gone, and others begin with " +
      "the same text: start again without it.",
  });

const sharesBeginning = (
  values: readonly Scalar[],
  cut: readonly Scalar[],
  firstCut: number,
): boolean =>
  values.slice(0, firstCut).every((value, i) => value === cut[i]) &&
  String(values[firstCut]).startsWith(cut[firstCut] as string); // Only texts are cut.

/** The first other one in the list with the same values, up to the beginning of the first long one. */
async function firstSharing(
  { records, filter, sort }: PagedList,
  { id, values }: ShortenedPosition,
  firstCut: number,
): Promise<Position | null> {
  const { path } = sort[firstCut]!;
  const text = values[firstCut] as string; // Only texts are cut.
  const behind = textBehind(text);
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

/** The first text behind all those that begin with this one; null if there is none. */
export function textBehind(text: string): string | null {
  const characters = [...text].map((char) => char.codePointAt(0)!);
  while (characters.at(-1) === LAST_CHARACTER) characters.pop();
  const last = characters.pop();
  if (last === undefined) return null;
  const next = last + 1 === SURROGATES.first ? SURROGATES.last + 1 : last + 1;
  return String.fromCodePoint(...characters, next);
}
