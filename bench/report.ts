/** What a run says of its rows. */
import type { Row } from "./row.ts";

/** A row with its figure; null if it could not be measured. */
export type Told = Pick<Row, "name" | "what" | "target" | "atLeast"> & {
  readonly value: number | null;
};

/** Null where there is no target. What failed has not held. */
function isHeld({ value, target, atLeast }: Told): boolean | null {
  if (value === null) return false;
  if (target === null) return null;
  return atLeast ? value >= target : value <= target;
}

export function reportTable(rows: readonly Told[]): string {
  const lines = rows.map((row) =>
    `| \`${row.name}\` | ${row.what} | ${row.value ?? "failed"} | ${targetOf(row)} | ${
      heldOf(row)
    } |`
  );
  return ["| Row | What | Measured | Target | Held |", "| --- | --- | --- | --- | --- |", ...lines]
    .join("\n");
}

const targetOf = ({ target, atLeast }: Told): string =>
  target === null ? "" : `${atLeast ? "≥" : "≤"} ${target}`;

function heldOf(row: Told): string {
  const held = isHeld(row);
  if (held === null) return "";
  return held ? "yes" : "**no**";
}

/** The figures by their names, and `rows`, which tells of each how it stands to its target. */
export function reportJson(told: readonly Told[]): string {
  const figures = told.map(({ name, value }) => [name, value]);
  const rows = told.map((row) => {
    const { name, value, target, atLeast } = row;
    return [name, { value, target, ...(target !== null && { atLeast }), held: isHeld(row) }];
  });
  return JSON.stringify({ ...Object.fromEntries(figures), rows: Object.fromEntries(rows) });
}
