import type { Definition } from "../port.ts";
import { type ArrayTable, arrayTablePrefix, arrayTablesOf } from "./array_tables.ts";
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
    if (made === undefined) db.run(sql(table.fillStatement));
  }
}

/**
 * Removes the tables that the definition does not want as they are, or all of them. Must run inside a
 * write transaction.
 */
export function removeArrayTables(
  db: Connection,
  definition: Definition,
  which: "unwanted" | "all",
): void {
  const wanted = new Map(arrayTablesOf(definition).map((table) => [bareName(table), table]));
  for (const [name, made] of storedTables(db, definition)) {
    const table = wanted.get(name);
    if (which === "unwanted" && table !== undefined && isMade(table, made)) continue;
    dropTriggers(db, made);
    db.run(sql(`drop table ${quoted(name)}`));
  }
}

function dropTriggers(db: Connection, made: ReadonlyMap<string, string>): void {
  for (const of of made.keys()) {
    const [type, ...rest] = of.split(" ");
    if (type === "trigger") db.run(sql(`drop trigger ${quoted(rest.join(" "))}`));
  }
}
