import { Outdated } from "../errors.ts";
import type { Definition } from "../port.ts";
import { BUILDING } from "./array_tables.ts";
import type { Connection } from "./connection.ts";
import { directionOf, quoted, sql } from "./fragment.ts";
import { type IndexSchema, indexStatement } from "./index_schema.ts";
import { inSeqSteps, type SeqStep, type Write } from "./seq_steps.ts";
import { bareTableName, tableName } from "./table_name.ts";

/**
 * An index that is made a few rows at a time, where `CREATE INDEX` would keep all writers out until
 * it has ended. A table beside the rows has the index's values under the same `seq`, and an index
 * over them; triggers keep it current. An entry of an index is its values and a `seq`, so that index
 * has the very entries that one over the rows would have. Once it is full, the schema is told that
 * it is one over the rows.
 *
 * Nothing may be refused because of an index that no definition has yet: of two rows with one value
 * that is to be unique, the second stands in the table without it until the index is handed over.
 */

const PREFIX = "x_";

/** That of `i_things list (…)` is `x_things list (…)`. */
const bareTableBeside = ({ name }: IndexSchema): string => PREFIX + name.slice(PREFIX.length);

const tableBeside = (index: IndexSchema): string => quoted(bareTableBeside(index));

/** What finds the rows that were left out. */
const leftOutIndex = ({ name }: IndexSchema): string => quoted(`left out of ${name}`);

const EVENTS = ["insert", "update", "delete"] as const;

const triggerName = (event: string, { name }: IndexSchema): string =>
  quoted(`${BUILDING}${event} ${name}`);

const keyNames = ({ keys }: IndexSchema): string[] => keys.map((_, i) => `k${i}`);

/**
 * Makes the table of an index, empty.
 *
 * @returns `seq` of the last row that is to be filled: later ones are filled by triggers.
 */
export function beginIndex(db: Connection, definition: Definition, index: IndexSchema): number {
  const [table, rows, names] = [tableBeside(index), tableName(definition), keyNames(index)];
  const columns = index.keys.map(({ type }, i) => `, ${names[i]} ${type}`);
  db.run(sql(`create table ${table}(seq integer primary key${columns.join("")})`));
  const ordered = index.keys.map(({ descending }, i) => names[i] + directionOf(descending));
  const [unique, where] = index.isUnique
    ? ["unique ", ` where ${names.map((name) => `${name} is not null`).join(" and ")}`]
    : ["", ""];
  db.run(sql(`create ${unique}index ${quoted(index.name)} on ${table}(${ordered.join()})${where}`));
  if (index.isUnique) {
    db.run(sql(`create index ${leftOutIndex(index)} on ${table}(seq) where ${leftOut(index)}`));
  }
  const remove = `delete from ${table} where seq = old.seq; `;
  const add = fillStatements(definition, index, "= new.seq").map((text) => `${text}; `).join("");
  const bodies = { insert: add, update: remove + add, delete: remove };
  for (const event of EVENTS) {
    db.run(sql(
      `create trigger ${triggerName(event, index)} after ${event} on ${rows} ` +
        `begin ${bodies[event]}end`,
    ));
  }
  return db.get(sql(`select coalesce(max(seq), 0) from ${rows}`))![0] as number;
}

const leftOut = (index: IndexSchema): string =>
  keyNames(index).map((name) => `${name} is null`).join(" and ");

function fillStatements(definition: Definition, index: IndexSchema, seq: string): string[] {
  const [table, names] = [tableBeside(index), keyNames(index)];
  const from = `from ${tableName(definition)} not indexed where seq ${seq}` +
    (index.where === null ? "" : ` and ${index.where}`);
  const values = index.keys.map(({ value }) => value);
  const all = `insert or ignore into ${table}(seq, ${names.join()}) select seq, ${values.join()} `;
  const others = `insert or ignore into ${table}(seq) select seq `;
  return (index.isUnique ? [all, others] : [all]).map((into) => into + from);
}

/** Fills what no trigger has filled. */
export function fillIndex(
  db: Connection,
  definition: Definition,
  { index, step: { from, to } }: { readonly index: IndexSchema; readonly step: SeqStep },
): void {
  const statements = fillStatements(definition, index, `between ${from} and ${to}`);
  for (const statement of statements) db.run(sql(statement));
}

/**
 * Makes a full index one over the rows, if there is one. Its table stays, to be removed. Throws
 * `UniqueViolation` where a row that was left out still has the value of another one.
 */
export function handOverIndex(db: Connection, definition: Definition, index: IndexSchema): void {
  if (!isBegun(db, index)) return;
  if (index.isUnique) enterLeftOut(db, definition, index);
  for (const event of EVENTS) db.run(sql(`drop trigger if exists ${triggerName(event, index)}`));
  db.changeSchema(sql(
    "update sqlite_schema set tbl_name = ?, sql = ? where type = 'index' and name = ?",
    ...[bareTableName(definition), indexStatement(definition, index), index.name],
  ));
}

function isBegun(db: Connection, index: IndexSchema): boolean {
  const found = sql(
    "select 1 from sqlite_schema where type = 'index' and name = ? and tbl_name = ?",
    ...[index.name, bareTableBeside(index)],
  );
  return db.get(found) !== undefined;
}

function enterLeftOut(db: Connection, definition: Definition, index: IndexSchema): void {
  const [table, names] = [tableBeside(index), keyNames(index).join()];
  const values = index.keys.map(({ value }) => value).join();
  db.run(sql(
    `update ${table} as x set (${names}) = ` +
      `(select ${values} from ${tableName(definition)} r where r.seq = x.seq) where seq in ` +
      `(select seq from ${table} indexed by ${leftOutIndex(index)} where ${leftOut(index)})`,
  ));
}

/**
 * Removes the tables of indexes that were handed over, a few rows at a time: to drop a full one at
 * once takes 40 ms for a million.
 *
 * @param write Throws `Outdated` while a build goes on, which has such tables too: they are left then.
 */
export async function removeTablesBeside(
  write: Write,
  { name }: Pick<Definition, "name">,
): Promise<void> {
  try {
    for (const table of await write((db) => tablesBeside(db, `${PREFIX}${name} `))) {
      await removeInSteps(write, table);
    }
  } catch (error) {
    if (!(error instanceof Outdated)) throw error;
  }
}

async function removeInSteps(write: Write, table: string): Promise<void> {
  const last = await write((db) => db.get(sql(`select max(seq) from ${table}`))![0]);
  await inSeqSteps(write, { table, last: Number(last) }, (db, { from, to }) => {
    db.run(sql(`delete from ${table} where seq between ${from} and ${to}`));
  });
  await write((db) => db.run(sql(`drop table if exists ${table}`)));
}

/** Removes all such tables, with the indexes that were not handed over. */
export function dropTablesBeside(db: Connection, { name }: Pick<Definition, "name">): void {
  for (const table of tablesBeside(db, `${PREFIX}${name} `)) db.run(sql(`drop table ${table}`));
}

/** Names of definitions that have such tables. */
export const kindsWithTablesBeside = (db: Connection): ReadonlySet<string> =>
  new Set(tablesBeside(db, PREFIX).map((table) => table.slice(1 + PREFIX.length).split(" ")[0]!));

/** In quotes. */
const tablesBeside = (db: Connection, prefix: string): string[] =>
  db.all(sql(
    "select name from sqlite_schema where type = 'table' and substr(name, 1, ?) = ?",
    ...[prefix.length, prefix],
  )).map(([name]) => quoted(name as string));
