import type { Scalar } from "../port.ts";

/** A value SQLite can bind. */
export type SqlValue = string | number | null;

/** A piece of SQL and the values for its question marks. */
export interface Fragment {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

export const sql = (text: string, ...values: SqlValue[]): Fragment => ({ sql: text, values });

/** Joins with `between`; `empty` stands for no pieces at all. */
export function join(pieces: readonly Fragment[], between: string, empty: string): Fragment {
  if (pieces.length === 0) return sql(empty);
  if (pieces.length === 1) return pieces[0]!;
  let text = "";
  const values: SqlValue[] = [];
  for (const piece of pieces) {
    text += text === "" ? `(${piece.sql})` : `${between}(${piece.sql})`;
    values.push(...piece.values);
  }
  return { sql: text, values };
}

/** Booleans have no type of their own in SQLite: JSON's come out as 1 and 0. */
export const bindable = (value: Scalar): SqlValue =>
  typeof value === "boolean" ? Number(value) : value;

/** The name in double quotes. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** What stands behind the value that an index or a sort is over. */
export const directionOf = (descending: boolean): string => descending ? " desc" : "";
