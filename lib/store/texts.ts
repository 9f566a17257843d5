/** From JSON texts of records to what a driver answers, the same on every engine. */

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
import { crowded, indexedArrays, valueAt } from "./shape.ts";

/**
 * The text that a record is stored as. Throws `RecordTooLarge` and `TooManyMembers`, and a
 * `TypeConflict` for a list that has an index and more elements than that takes.
 */
export function fittingText(definition: Definition, record: StoredRecord): string {
  const { bytesMax, membersMax } = definition;
  for (const { path, message } of crowded(indexedArrays(definition), record)) {
    throw new TypeConflict(path, message);
  }
  const json = recordText(record);
  if (bytesMax !== undefined && exceedsBytes(json, bytesMax)) throw new RecordTooLarge(bytesMax);
  // Most records are too short for it, so most are not counted.
  if (membersMax !== undefined && json.length > membersMax * MEMBER_CHARS_MIN) {
    if (membersIn(json) > membersMax) throw new TooManyMembers(membersMax);
  }
  return json;
}

/** `"":0` and a comma. */
const MEMBER_CHARS_MIN = 5;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/** Members of all objects of a JSON text; the values themselves would take a hundred times as long. */
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

/** A record as it was read; parsed on first use. */
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

/** The records of JSON texts that are joined by commas. Callers type what they have stored. */
export const recordsIn = <T>(items: string): T[] => parseJson(`[${items}]`) as T[];

/** Parses records of many megabytes, and lets whatever else waits go first every few milliseconds. */
export async function recordsOfTexts<T>(texts: readonly string[]): Promise<T[]> {
  const records: T[] = [];
  await inSlices(texts, (text) => void records.push(parseJson(text) as T));
  return records;
}

/**
 * What was read for a page, in the order of reading: one text more than asked for, if there are, or
 * else two or more that hold more bytes than the page may.
 */
export interface ReadPage extends Pick<Page, "total" | "examined"> {
  readonly texts: readonly string[];
}

export function pageOf<T>(
  { texts: read, total, examined }: ReadPage,
  query: ListQuery,
): Page<T> {
  const size = fittingCount(read, query);
  if (query.onlyWhole && size < Math.min(read.length, query.limit)) {
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

/** How many of the texts a page may hold, commas included; at least one if there is one. */
function fittingCount(
  read: readonly string[],
  { limit, bytesMax = PAGE_BYTES_MAX }: ListQuery,
): number {
  const count = Math.min(read.length, limit);
  let length = 0;
  for (let i = 0; i < count; i++) length += read[i]!.length + 1;
  if (length * UTF8_BYTES_MAX <= bytesMax) return count;
  let bytes = -1; // The first has no comma in front of it.
  for (let i = 0; i < count; i++) {
    bytes += 1 + bytesOf(read[i]!);
    if (bytes > bytesMax && i > 0) return i;
  }
  return count;
}

/** Of one UTF-16 unit of a text. */
const UTF8_BYTES_MAX = 3;

function position(json: string | undefined, { sort }: ListQuery): Position | null {
  if (json === undefined) return null;
  const record = parseJson(json) as StoredRecord;
  return {
    values: sort.map(({ path }) => (valueAt(record, path) ?? null) as Scalar), // Sorts are scalars.
    id: record._id,
  };
}
