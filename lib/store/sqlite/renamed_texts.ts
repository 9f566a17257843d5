import type { Definition } from "../port.ts";
import { inOrder } from "../renames.ts";
import type { Connection } from "./connection.ts";
import { sql } from "./fragment.ts";
import { tableName } from "./table_name.ts";

/**
 * Renames the members of all records as the definition's `renames` say. Each record that has one of
 * them gets another revision. Must run inside a write transaction.
 */
export function renameInTexts(db: Connection, definition: Definition): void {
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

const at = (name: string): string => `'$."${name}"'`;

const has = (name: string): string => `json_type(doc, ${at(name)}) is not null`;

/** Whether a record has a member that is renamed, as an SQL expression of `doc`. */
const hasRenamedMember = ({ renames = [] }: Definition): string =>
  renames.map(({ from }) => has(from)).join(" or ");

/** No member of a record has this name: removing it changes nothing. */
const NOWHERE = `'$."$"'`;

/**
 * The text of a record with its members renamed, as an SQL expression of `doc`. The expression must
 * not grow with each rename, so a member that a record lacks is set to null and removed again.
 */
const renamedText = ({ renames = [] }: Definition): string =>
  inOrder(renames).reduce((text, { from, to }) => {
    const before = `case when ${has(from)} then ${at(to)} else ${NOWHERE} end`;
    const value = `json(coalesce(doc -> ${at(from)}, 'null'))`;
    const behind = `case when ${has(from)} then ${at(from)} when ${has(to)} then ${NOWHERE} ` +
      `else ${at(to)} end`;
    return `json_remove(json_set(json_remove(${text}, ${before}), ${at(to)}, ${value}), ${behind})`;
  }, "doc");
