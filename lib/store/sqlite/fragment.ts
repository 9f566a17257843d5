import type { Scalar } from "../port.ts";

export type SqlValue = string | number | null;

/** A piece of SQL with the values of its placeholders. */
export interface Fragment {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

export const sql = (text: string, ...values: SqlValue[]): Fragment => ({ sql: text, values });

/** Joins pieces by an operator. `empty` is returned if there are no pieces. */
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

/** Converts a scalar to a bound value. SQLite reads JSON booleans as 1 and 0. */
export const bindable = (value: Scalar): SqlValue =>
  typeof value === "boolean" ? Number(value) : value;

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Returns the direction that follows an expression in an index or a sort. */
export const directionOf = (descending: boolean): string => descending ? " desc" : "";
