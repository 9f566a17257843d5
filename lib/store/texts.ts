/** Conversion of stored JSON texts to results, independent of the engine. */

import { inSlices } from "../next_turn.ts";
import { PageTooLarge, RecordTooLarge, TooManyMembers, TypeConflict } from "./errors.ts";
import { bytesOf, exceedsBytes, parseJson, recordText } from "./json_text.ts";
import {
  type Definition,
  type ListQuery,
  type Page,
  PAGE_BYTES_MAX,
  type Position,
  type Scalar,
  type Stored,
  type StoredRecord,
} from "./port.ts";
import { indexedArrays, oversizedArrayFaults, valueAt } from "./shape.ts";

/**
 * Returns the JSON text to store for a record. Throws `RecordTooLarge`, `TooManyMembers`, and
 * `TypeConflict` for an indexed list with more elements than an index accepts.
 */
export function storableText(definition: Definition, record: StoredRecord): string {
  const { bytesMax, membersMax } = definition;
  for (const { path, message } of oversizedArrayFaults(indexedArrays(definition), record)) {
    throw new TypeConflict(path, message);
  }
  const json = recordText(record);
  if (bytesMax !== undefined && exceedsBytes(json, bytesMax)) throw new RecordTooLarge(bytesMax);
  // The members of most records need not be counted, because their text is too short for the limit.
  if (membersMax !== undefined && json.length > membersMax * MEMBER_CHARS_MIN) {
    if (membersIn(json) > membersMax) throw new TooManyMembers(membersMax);
  }
  return json;
}

/** Minimum number of characters of a member: `"":0` and a comma. */
const MEMBER_CHARS_MIN = 5;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/** Counts the members of all objects in a JSON text. Parsing it would be much slower. */
function membersIn(json: string): number {
  let [members, inString] = [0, false];
  for (let i = 0; i < json.length; i++) {
    const unit = json.charCodeAt(i);
    if (unit === QUOTE) inString = !inString;
    else if (unit === BACKSLASH) i++;
    else if (unit === COLON && !inString) members++;
  }
  return members;
}

/** A stored record that is parsed on first use. */
export class StoredText<T> implements Stored<T> {
  readonly json: string;
  readonly revision: number;
  #parsed: T | undefined;

  constructor(json: string, revision: number) {
    this.json = json;
    this.revision = revision;
  }

  get value(): T {
    return this.#parsed ??= parseJson(this.json) as T;
  }
}

/** Parses JSON texts that are joined by commas. The caller chooses the records' type. */
export const recordsIn = <T>(items: string): T[] => parseJson(`[${items}]`) as T[];

/** Parses the texts of many records. Yields to other work every few milliseconds. */
export async function recordsOfTexts<T>(texts: readonly string[]): Promise<T[]> {
  const records: T[] = [];
  await inSlices(texts, (text) => void records.push(parseJson(text) as T));
  return records;
}

/**
 * The texts read for a page, in reading order. If the list continues, there is one text more than
 * requested, or the texts exceed the byte limit of the page.
 */
export interface ReadPage extends Pick<Page, "total" | "examined"> {
  readonly texts: readonly string[];
}

/** Builds the page of a list. Throws `PageTooLarge` if it must be complete and is not. */
export function pageOf<T>(
  { texts: read, total, examined }: ReadPage,
  query: ListQuery,
): Page<T> {
  const size = fittingCount(read, query);
  if (query.mustBeComplete && size < Math.min(read.length, query.limit)) {
    throw new PageTooLarge(query.bytesMax ?? PAGE_BYTES_MAX);
  }
  const texts = read.slice(0, size);
  if (query.backwards) texts.reverse();
  const items = texts.join(",");
  return {
    items,
    texts,
    records: () => recordsIn<T>(items),
    size,
    more: read.length > size,
    total,
    examined,
    first: () => position(texts[0], query),
    last: () => position(texts.at(-1), query),
  };
}

/** Returns the number of texts that fit the page, commas included; at least one. */
function fittingCount(
  read: readonly string[],
  { limit, bytesMax = PAGE_BYTES_MAX }: ListQuery,
): number {
  const count = Math.min(read.length, limit);
  let length = 0;
  for (let i = 0; i < count; i++) length += read[i]!.length + 1;
  if (length * UTF8_BYTES_MAX <= bytesMax) return count;
  let bytes = -1; // The first text has no comma before it.
  for (let i = 0; i < count; i++) {
    bytes += 1 + bytesOf(read[i]!);
    if (bytes > bytesMax && i > 0) return i;
  }
  return count;
}

/** Maximum number of UTF-8 bytes per UTF-16 unit. */
const UTF8_BYTES_MAX = 3;

function position(json: string | undefined, { sort }: ListQuery): Position | null {
  if (json === undefined) return null;
  const record = parseJson(json) as StoredRecord;
  return {
    values: sort.map(({ path }) => (valueAt(record, path) ?? null) as Scalar), // Keys are scalars.
    id: record._id,
  };
}
