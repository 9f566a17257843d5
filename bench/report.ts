/** The rows, and what a run says of them. */
import type { Setting } from "./seed.ts";

/** One line of the table. */
export interface Row {
  readonly name: string;
  readonly what: string;
  /** What the figure is to hold: a floor, a ceiling, or neither where it is only told. */
  readonly atLeast?: number;
  readonly atMost?: number;
  measure(setting: Setting): Promise<number>;
}

/** A row with its figure; null if it could not be measured. */
export type Told = Omit<Row, "measure"> & { readonly value: number | null };

const targetOf = ({ atLeast, atMost }: Told): number | null => atLeast ?? atMost ?? null;

/** Null where there is no target. What failed has not held. */
function isHeld(row: Told): boolean | null {
  const { value, atLeast = -Infinity, atMost = Infinity } = row;
  if (value === null) return false;
  return targetOf(row) === null ? null : value >= atLeast && value <= atMost;
}

const HELD = new Map([[null, ""], [true, "yes"], [false, "**no**"]]);

export function reportTable(rows: readonly Told[]): string {
  const lines = rows.map((row) => {
    const target = targetOf(row);
    const told = target === null ? "" : `${row.atMost === undefined ? "≥" : "≤"} ${target}`;
    const cells = [`\`${row.name}\``, row.what, row.value ?? "failed", told];
    return `| ${[...cells, HELD.get(isHeld(row))].join(" | ")} |`;
  });
  return ["| Row | What | Measured | Target | Held |", "| --- | --- | --- | --- | --- |", ...lines]
    .join("\n");
}

/** The figures by their names, and `rows`, which tells of each how it stands to its target. */
export function reportJson(told: readonly Told[]): string {
  const figures = told.map(({ name, value }) => [name, value]);
  const rows = told.map((row) => {
    const target = targetOf(row);
    const atLeast = row.atMost === undefined;
    return [row.name, {
      value: row.value,
      target,
      ...(target !== null && { atLeast }),
      held: isHeld(row),
    }];
  });
  return JSON.stringify({ ...Object.fromEntries(figures), rows: Object.fromEntries(rows) });
}
