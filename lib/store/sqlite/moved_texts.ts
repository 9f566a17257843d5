import { Outdated } from "../errors.ts";
import type { Definition } from "../port.ts";
import { BUILDING } from "./array_tables.ts";
import { isBuilding, retireColumns, retiredColumns } from "./builds.ts";
import type { Connection } from "./connection.ts";
import { quoted, sql } from "./fragment.ts";
import { isConcerned, NEXT_TEXT, nextText } from "./next_text.ts";
import { inSeqSteps, type SeqStep, type Write } from "./seq_steps.ts";
import { tableName } from "./table_name.ts";

/**
 * Texts of records in which members are renamed. Ahead of a definition they are made in a column
 * beside the texts that stand, whose place they take with it; all else that is built is read out of
 * them. What stood there is emptied afterwards, a few records at a time; until that is done it is
 * noted, so that the room comes back also where the process is killed.
 */

const NEXT_REVISION = '"+rev"';

/** By kind of records, how many bytes their next texts have. */
const MAKE = "create table if not exists moved_texts(name text primary key, " +
  "bytes integer not null) strict, without rowid";

const nextRevision = (definition: Definition): string => `rev + ${isConcerned(definition)}`;

/** Renames the members of all records at once; inside a write transaction. */
export function moveTexts(db: Connection, definition: Definition): void {
  const table = tableName(definition);
  const bytes = () =>
    db.get(sql(`select coalesce(sum(octet_length(doc)), 0) from ${table}`))![0] as number;
  const before = bytes();
  db.run(sql(
    `update ${table} set rev = ${nextRevision(definition)}, doc = ${nextText(definition)} ` +
      `where ${isConcerned(definition)}`,
  ));
  const added = bytes() - before;
  db.run(sql("update counts set bytes = bytes + ? where name = ?", added, definition.name));
}

/** Keeps the next texts of what is written from now on, and how many bytes they have. */
export function beginTexts(db: Connection, definition: Definition): void {
  const [table, { name }] = [tableName(definition), definition];
  db.run(sql(MAKE));
  db.run(sql("insert or replace into moved_texts(name, bytes) values(?, 0)", name));
  db.run(sql(`alter table ${table} add column ${NEXT_REVISION} integer`));
  db.run(sql(`alter table ${table} add column ${NEXT_TEXT} text`));
  const trigger = (event: string, body: string) => {
    const called = quoted(`${BUILDING}${event.replaceAll('"', "")} t_${name}`);
    db.run(sql(`create trigger ${called} after ${event} on ${table} begin ${body}; end`));
  };
  for (const event of ["insert", "update of doc"]) {
    trigger(event, fillStatement(definition, "= new.seq"));
  }
  const add = (bytes: string) =>
    `update moved_texts set bytes = bytes + ${bytes} where name = '${name.replaceAll("'", "''")}'`;
  const [was, is] = [
    `coalesce(octet_length(old.${NEXT_TEXT}), 0)`,
    `octet_length(new.${NEXT_TEXT})`,
  ];
  trigger(`update of ${NEXT_TEXT}`, add(`${is} - ${was}`));
  trigger("delete", add(`-${was}`));
}

const fillStatement = (definition: Definition, seq: string): string =>
  `update ${tableName(definition)} set ${NEXT_REVISION} = ${nextRevision(definition)}, ` +
  `${NEXT_TEXT} = ${nextText(definition)} where seq ${seq}`;

/** Triggers make all else that is built of these records. */
export const fillTexts = (db: Connection, definition: Definition, { from, to }: SeqStep): void =>
  db.run(sql(fillStatement(definition, `between ${from} and ${to}`)));

/** The next texts take the place of those that stand; no trigger may know the column. */
export function takeOverTexts(db: Connection, definition: Definition): void {
  const table = tableName(definition);
  const former = ["rev", "doc"];
  for (const name of former) db.run(sql(`alter table ${table} alter column ${name} drop not null`));
  retireColumns(db, definition, former);
  db.run(sql(`alter table ${table} rename column ${NEXT_REVISION} to rev`));
  db.run(sql(`alter table ${table} rename column ${NEXT_TEXT} to doc`));
  db.run(sql(
    "update counts set bytes = (select bytes from moved_texts m where m.name = counts.name) " +
      "where name = ?",
    definition.name,
  ));
}

/** Kinds of records of which former texts may be left. */
export function withFormerTexts(db: Connection): string[] {
  const known = db.get(sql("select 1 from sqlite_schema where name = 'moved_texts'"));
  return known === undefined
    ? []
    : db.all(sql("select name from moved_texts")).map(([name]) => name as string);
}

/** Empties what former texts and columns have left in records, unless a build goes on there. */
export async function emptyFormerTexts(
  write: Write,
  definition: Pick<Definition, "name">,
): Promise<void> {
  for (let isDone = false; !isDone;) {
    const columns = await write((db) => formerColumns(db, definition));
    if (columns === null) return;
    const same: Write = (work) =>
      write((db) => {
        if (formerColumns(db, definition)?.join() !== columns.join()) throw new Outdated();
        return work(db);
      });
    try {
      await emptyColumns(same, definition, columns);
      isDone = true;
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
    }
  }
}

/** Null where there is nothing to do, or not now. */
function formerColumns(db: Connection, definition: Pick<Definition, "name">): string[] | null {
  const isLeft = withFormerTexts(db).includes(definition.name) && !isBuilding(db, definition);
  return isLeft ? retiredColumns(db, definition) : null;
}

async function emptyColumns(
  write: Write,
  definition: Pick<Definition, "name">,
  columns: readonly string[],
): Promise<void> {
  const table = tableName(definition);
  if (columns.length > 0) {
    const last = await write((db) => db.get(sql(`select max(seq) from ${table}`))![0]);
    const none = columns.map((column) => `${column} = null`).join();
    const some = columns.map((column) => `${column} is not null`).join(" or ");
    await inSeqSteps(write, { table, last: Number(last) }, (db, { from, to }) => {
      db.run(sql(`update ${table} set ${none} where seq between ${from} and ${to} and (${some})`));
    });
  }
  await write((db) => db.run(sql("delete from moved_texts where name = ?", definition.name)));
}
