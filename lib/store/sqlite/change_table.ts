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

/** Whether a space has the change table, which is created with the first recorded definition. */
export const hasChangeTable = (db: Connection): boolean =>
  db.get(sql("select 1 from sqlite_schema where type = 'table' and name = 'changes'")) !==
    undefined;

/**
 * Creates the change table. `seq` is the order of the changes, since writes are serial. The newest
 * row is never deleted, so that no `seq` is used twice. `total` is the size of all changes up to
 * the row, so the difference of two totals is the size of the changes between them.
 */
export function createChangeTable(db: Connection): void {
  db.run(sql(
    "create table if not exists changes(seq integer primary key, at text not null, " +
      "name text not null, id text not null, action text not null, actor text not null, " +
      "total integer not null, before text, after text) strict",
  ));
}

/** Size of a row in bytes, without its two texts. */
const ROW_BYTES = 128;
/** Number of rows after which the oldest rows are trimmed. */
const TRIM_INTERVAL_ROWS = 64;
/** Size of a write in bytes from which it trims the oldest rows. */
const TRIM_BYTES = 65_536;
const TRIM_BATCH_ROWS = 256;

/** The newest row is never deleted, so SQLite gives each new row a larger `seq`. */
const INSERT = "insert into changes(at, name, id, action, actor, total, before, after) " +
  "values(?, ?, ?, ?, ?, ? + coalesce((select total from changes order by seq desc limit 1), 0), " +
  "?, ?) returning seq";

/** Records the changes of a write, in the step that writes the records. */
export function recordChanges(
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
    const insert = sql(INSERT, by.at, recordedAs, _id, action, actor, size, was, is);
    seq = db.get(insert)![0] as number;
    bytes += size;
  }
  let due = Math.floor(seq / TRIM_INTERVAL_ROWS) -
    Math.floor((seq - written.length) / TRIM_INTERVAL_ROWS);
  if (bytes > TRIM_BYTES) due++;
  while (due-- > 0 && !isTrimmed(trimChanges(db, by.at)));
}

/** Returns position and total of the newest row; null if there is none. */
function newestOf(db: Connection): { readonly seq: number; readonly total: number } | null {
  const row = db.get(sql("select seq, total from changes order by seq desc limit 1"));
  return row === undefined ? null : { seq: row[0] as number, total: row[1] as number };
}

export interface ChangeLimits {
  readonly max: number;
  readonly bytesMax: number;
  /** Maximum size in bytes of all changes, including those not delivered to webhooks yet. */
  readonly youngBytesMax: number;
}

const LIMITS: ChangeLimits = {
  max: CHANGES_MAX,
  bytesMax: CHANGES_BYTES_MAX,
  youngBytesMax: CHANGES_YOUNG_BYTES_MAX,
};
/** Age in milliseconds up to which changes may be undelivered after an outage. */
const YOUNG_MS = 600_000;

/** Deletes a batch of changes beyond the limits. Returns the number of deleted changes. */
export function trimChanges(db: Connection, now: string, kept = LIMITS): number {
  const newest = newestOf(db);
  if (newest === null) return 0;
  const { seq, total } = newest;
  const ago = (ms: number) => new Date(Date.parse(now) - ms).toISOString();
  const removed = db.all(sql(
    `delete from changes where seq in (select seq from (select seq, total, at from changes ` +
      `order by seq limit ${TRIM_BATCH_ROWS}) where seq < ? and (seq <= ? or total <= ? or ` +
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

/** Whether {@linkcode trimChanges} has left nothing to delete. */
export const isTrimmed = (removed: number): boolean => removed < TRIM_BATCH_ROWS;

/** Returns the `seq` of the newest change; 0 if there is none. */
export function newestChange(db: Connection): number {
  if (!hasChangeTable(db)) return 0;
  return (db.get(sql("select max(seq) from changes"))![0] ?? 0) as number;
}

/** Maximum numbers of rows and bytes that one read returns. */
const READ_ROWS_MAX = 256;
const READ_BYTES_MAX = 4 * 1_048_576;

/** Returns the next changes after a row, in their order. Throws `PositionLost`. */
export function changesAfter(db: Connection, seq: number): PositionedChange[] {
  if (!hasChangeTable(db)) return [];
  const oldest = (db.get(sql("select min(seq) from changes"))![0] ?? 1) as number;
  if (seq < oldest - 1) throw new PositionLost();
  return db.all(sql(
    "select seq, at, name, id, action, actor, before, after from changes where seq > ? and " +
      "total <= (select total from changes where seq > ? order by seq limit 1) + ? " +
      "order by seq limit ?",
    seq,
    seq,
    READ_BYTES_MAX,
    READ_ROWS_MAX,
  )).map(changeOf);
}

/** Number of digits of the largest row number. */
const POSITION_DIGITS = 16;

export const positionOf = (seq: number): string => String(seq).padStart(POSITION_DIGITS, "0");

const changeOf = ([seq, at, name, recordId, action, actor, before, after]: Row) => ({
  position: positionOf(seq as number),
  at: at as string,
  name: name as string,
  recordId: recordId as Id,
  action: action as ChangeAction, // As it was recorded.
  actor: actorOf(actor as string),
  before: before as string | null,
  after: after as string | null,
});

const actorText = ({ kind, id }: Actor): string => id === null ? kind : `${kind} ${id}`;

function actorOf(text: string): Actor {
  const [kind, id = null] = text.split(" ");
  return { kind, id } as Actor;
}
