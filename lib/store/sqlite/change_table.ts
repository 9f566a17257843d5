import {
  actionOf,
  type Actor,
  type Authorship,
  type ChangeAction,
  type PositionedChange,
} from "../changes.ts";
import {
  CHANGES_BYTES_MAX,
  CHANGES_MAX,
  CHANGES_MS,
  CHANGES_YOUNG_BYTES_MAX,
} from "../../limits.ts";
import { PositionLost } from "../errors.ts";
import { bytesOf } from "../json_text.ts";
import type { Definition, Id, WrittenRecord } from "../port.ts";
import type { Connection, Row } from "./connection.ts";
import { sql } from "./fragment.ts";

/** Whether a space has the table, which is made with the first definition that is recorded. */
export const hasChanges = (db: Connection): boolean =>
  db.get(sql("select 1 from sqlite_schema where type = 'table' and name = 'changes'")) !==
    undefined;

/**
 * Creates the table. `seq` is the order of the changes, since writes are serial; the newest row always
 * stays, so that no `seq` is used twice. `total` counts the bytes of all changes up to the row, so the
 * difference of two totals is the size of the changes between them.
 */
export function makeChanges(db: Connection): void {
  db.run(sql(
    "create table if not exists changes(seq integer primary key, at text not null, " +
      "name text not null, id text not null, action text not null, actor text not null, " +
      "total integer not null, before text, after text) strict",
  ));
}

/** Bytes of a row without its two texts. */
const ROW_BYTES = 128;
/** After so many rows, and after each large write, some of the oldest rows are removed. */
const TRIM_EVERY = 64;
const TRIM_BYTES = 65_536;
const TRIMMED_AT_ONCE = 256;

/** The newest row always stays, so that SQLite gives each row a larger `seq`. */
const INSERT = "insert into changes(at, name, id, action, actor, total, before, after) " +
  "values(?, ?, ?, ?, ?, ? + coalesce((select total from changes order by seq desc limit 1), 0), " +
  "?, ?) returning seq";

/** Notes what a write has done, in the step that writes the records. */
export function noteChanges(
  db: Connection,
  { name, recordedAs = name }: Definition,
  { written, by }: { readonly written: readonly WrittenRecord[]; readonly by: Authorship },
): void {
  const actor = actorText(by.actor);
  let [seq, bytes] = [0, 0];
  for (const { before, after } of written) {
    const [was, is] = [before?.json ?? null, after?.json ?? null];
    const size = (was === null ? 0 : bytesOf(was)) + (is === null ? 0 : bytesOf(is)) + ROW_BYTES;
    const action = actionOf(before && before.value, after && after.value);
    const { _id } = (after ?? before)!.value;
    const noted = sql(INSERT, by.at, recordedAs, _id, action, actor, size, was, is);
    seq = db.get(noted)![0] as number;
    bytes += size;
  }
  let due = Math.floor(seq / TRIM_EVERY) - Math.floor((seq - written.length) / TRIM_EVERY);
  if (bytes > TRIM_BYTES) due++;
  while (due-- > 0 && !isTrimmed(trimChanges(db, by.at)));
}

/** Returns position and total of the newest row; null if there is none. */
function newestOf(db: Connection): { readonly seq: number; readonly total: number } | null {
  const row = db.get(sql("select seq, total from changes order by seq desc limit 1"));
  return row === undefined ? null : { seq: row[0] as number, total: row[1] as number };
}

/** How many changes are kept. */
export interface ChangesKept {
  readonly max: number;
  readonly bytesMax: number;
  /** Limit of all bytes, including changes that may not have been delivered to every webhook yet. */
  readonly youngBytesMax: number;
}

const KEPT: ChangesKept = {
  max: CHANGES_MAX,
  bytesMax: CHANGES_BYTES_MAX,
  youngBytesMax: CHANGES_YOUNG_BYTES_MAX,
};
/** How long a server may be down that has changes to deliver to webhooks. */
const YOUNG_MS = 600_000;

/** Removes some changes beyond the limits; returns how many. */
export function trimChanges(db: Connection, now: string, kept = KEPT): number {
  const newest = newestOf(db);
  if (newest === null) return 0;
  const { seq, total } = newest;
  const ago = (ms: number) => new Date(Date.parse(now) - ms).toISOString();
  const removed = db.all(sql(
    `delete from changes where seq in (select seq from (select seq, total, at from changes ` +
      `order by seq limit ${TRIMMED_AT_ONCE}) where seq < ? and (seq <= ? or total <= ? or ` +
      `total <= ? and at < ? or at < ?)) returning seq`,
    seq,
    seq - kept.max,
    total - kept.youngBytesMax,
    total - kept.bytesMax,
    ago(YOUNG_MS),
    ago(CHANGES_MS),
  ));
  return removed.length;
}

/** Whether {@linkcode trimChanges} has left nothing to remove. */
export const isTrimmed = (removed: number): boolean => removed < TRIMMED_AT_ONCE;

/** Returns the `seq` of the newest change; 0 if there is none. */
export function newestChange(db: Connection): number {
  if (!hasChanges(db)) return 0;
  return (db.get(sql("select max(seq) from changes"))![0] ?? 0) as number;
}

/** Limits of one read. */
const READ_ROWS = 256;
const READ_BYTES = 4 * 1_048_576;

/** Returns the next changes after a row, in their order. Throws `PositionLost`. */
export function changesBehind(db: Connection, seq: number): PositionedChange[] {
  if (!hasChanges(db)) return [];
  const oldest = (db.get(sql("select min(seq) from changes"))![0] ?? 1) as number;
  if (seq < oldest - 1) throw new PositionLost();
  return db.all(sql(
    "select seq, at, name, id, action, actor, before, after from changes where seq > ? and " +
      "total <= (select total from changes where seq > ? order by seq limit 1) + ? " +
      "order by seq limit ?",
    seq,
    seq,
    READ_BYTES,
    READ_ROWS,
  )).map(changeOf);
}

/** As many digits as the largest number of a row has. */
const POSITION_DIGITS = 16;

export const positionOf = (seq: number): string => String(seq).padStart(POSITION_DIGITS, "0");

const changeOf = ([seq, at, name, recordId, action, actor, before, after]: Row) => ({
  position: positionOf(seq as number),
  at: at as string,
  name: name as string,
  recordId: recordId as Id,
  action: action as ChangeAction, // As it was noted.
  actor: actorOf(actor as string),
  before: before as string | null,
  after: after as string | null,
});

const actorText = ({ kind, id }: Actor): string => id === null ? kind : `${kind} ${id}`;

/** What {@linkcode actorText} has written. */
function actorOf(text: string): Actor {
  const [kind, id = null] = text.split(" ");
  return { kind, id } as Actor;
}
