import type { Definition } from "../port.ts";
import { sortRenames } from "../renames.ts";
import type { Connection } from "./connection.ts";
import { sql } from "./fragment.ts";
import { tableName } from "./table_name.ts";

/** Renames members of all records, with new revisions. Must run in a write transaction. */
export function renameMembers(db: Connection, definition: Definition): void {
  const table = tableName(definition);
  const bytes = () =>
    db.get(sql(`select coalesce(sum(octet_length(doc)), 0) from ${table}`))![0] as number;
  const before = bytes();
  db.run(sql(
    `update ${table} set rev = rev + 1, doc = ${renamedText(definition)} ` +
      `where ${hasRenamedMember(definition)}`,
  ));
  const added = bytes() - before;
  db.run(sql("update counts set bytes = bytes + ? where name = ?", added, definition.name));
}

const memberPath = (name: string): string => `'$."${name}"'`;

const hasMember = (name: string): string => `json_type(doc, ${memberPath(name)}) is not null`;

/** Returns an SQL expression on `doc` that is true if the record has a renamed member. */
const hasRenamedMember = ({ renames = [] }: Definition): string =>
  renames.map(({ from }) => hasMember(from)).join(" or ");

/** Path of a member that no record has. Removing it does nothing. */
const NOWHERE = `'$."$"'`;

/**
 * Returns an SQL expression for the text `doc` with renamed members. To keep the expression short,
 * a member that a record lacks is set to null and removed again.
 */
const renamedText = ({ renames = [] }: Definition): string =>
  sortRenames(renames).reduce((text, { from, to }) => {
    const before = `case when ${hasMember(from)} then ${memberPath(to)} else ${NOWHERE} end`;
    const value = `json(coalesce(doc -> ${memberPath(from)}, 'null'))`;
    const behind =
      `case when ${hasMember(from)} then ${memberPath(from)} when ${
        hasMember(to)
      } then ${NOWHERE} ` +
      `else ${memberPath(to)} end`;
    return `json_remove(json_set(json_remove(${text}, ${before}), ${
      memberPath(to)
    }, ${value}), ${behind})`;
  }, "doc");
