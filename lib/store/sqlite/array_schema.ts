import type { Definition } from "../port.ts";
import { type ArrayTable, arrayTablePrefix, arrayTablesOf, type Pending } from "./array_tables.ts";
import type { Connection } from "./connection.ts";
import { quoted, sql } from "./fragment.ts";

/** Bare names of the tables of a definition's arrays, with what makes each of them. */
function storedTables(
  db: Connection,
  definition: Definition,
): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const prefix = arrayTablePrefix(definition);
  const tables = new Map<string, Map<string, string>>();
  const names = db.all(sql(
    "select name from sqlite_schema where type = 'table' and substr(name, 1, ?) = ?",
    prefix.length,
    prefix,
  ));
  for (const [name] of names) {
    const made = db.all(sql(
      "select type || ' ' || name, sql from sqlite_schema where sql is not null " +
        "and (tbl_name = ?1 or type = 'trigger' and substr(name, 8) = ?1)",
      name!,
    ));
    tables.set(name as string, new Map(made.map(([of, text]) => [of as string, text as string])));
  }
  return tables;
}

const isMade = ({ schema }: ArrayTable, made: ReadonlyMap<string, string> | undefined): boolean =>
  made !== undefined && [...schema].every(([of, text]) => made.get(of) === text);

const bareName = ({ name }: ArrayTable): string => name.slice(1, -1);

/** Whether all arrays of a definition that have an index have their tables. */
export function hasArrayTables(db: Connection, definition: Definition): boolean {
  const wanted = arrayTablesOf(definition);
  if (wanted.length === 0) return true;
  const stored = storedTables(db, definition);
  return wanted.every((table) => isMade(table, stored.get(bareName(table))));
}

/** Makes and fills what is missing; run inside a write transaction. */
export function makeArrayTables(db: Connection, definition: Definition): void {
  const stored = arrayTablesOf(definition).length === 0 ? null : storedTables(db, definition);
  for (const table of arrayTablesOf(definition)) {
    const made = stored!.get(bareName(table));
    for (const [of, statement] of table.schema) {
      if (made?.get(of) !== statement) db.run(sql(statement));
    }
    // A build has filled those of which only the triggers are missing.
    if (made === undefined) db.run(sql(table.fill("is not null")));
  }
}

/** Those of a definition of which there is nothing, made without triggers to be filled in steps. */
export function beginArrayTables(
  db: Connection,
  definition: Definition,
  pending: Pending,
): ArrayTable[] {
  const stored = storedTables(db, definition);
  const begun = arrayTablesOf(definition).filter((table) => !stored.has(bareName(table)));
  for (const table of begun) {
    for (const [of, statement] of table.schema) {
      if (!isTrigger(of)) db.run(sql(statement));
    }
    for (const statement of table.buildTriggers(pending)) db.run(sql(statement));
  }
  return begun;
}

const isTrigger = (of: string): boolean => of.startsWith("trigger ");

/** Whether a table has been filled, but nothing keeps it current yet. */
const isBegun = ({ schema }: ArrayTable, made: ReadonlyMap<string, string>): boolean =>
  [...schema].every(([of, text]) => isTrigger(of) !== (made.get(of) === text));

/**
 * Those that the definition does not want as they are, those that are begun and no more, or all of
 * them; inside a transaction. To what is unwanted a table that is begun does not belong.
 */
export function removeArrayTables(
  db: Connection,
  definition: Definition,
  which: "unwanted" | "begun" | "all",
): void {
  const wanted = new Map(arrayTablesOf(definition).map((table) => [bareName(table), table]));
  for (const [name, made] of storedTables(db, definition)) {
    const table = wanted.get(name);
    const isComplete = [...made.keys()].some(isTrigger);
    if (which === "begun" && isComplete) continue;
    if (which === "unwanted" && table !== undefined) {
      if (isMade(table, made) || isBegun(table, made)) continue;
    }
    dropTriggers(db, made);
    db.run(sql(`drop table ${quoted(name)}`));
  }
}

/** What keeps the tables current goes, until they are made anew: the texts that it reads change. */
export function releaseArrayTables(db: Connection, definition: Definition): void {
  for (const made of storedTables(db, definition).values()) dropTriggers(db, made);
}

function dropTriggers(db: Connection, made: ReadonlyMap<string, string>): void {
  for (const of of made.keys()) {
    const [type, ...rest] = of.split(" ");
    if (type === "trigger") db.run(sql(`drop trigger ${quoted(rest.join(" "))}`));
  }
}
