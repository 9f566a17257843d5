/** Rows of the benchmark, and reports of a run. */
import type { Setting } from "./seed.ts";

export interface Row {
  readonly name: string;
  readonly description: string;
  /** Minimum of the figure. Without `atLeast` and `atMost`, the figure has no target. */
  readonly atLeast?: number;
  readonly atMost?: number;
  measure(setting: Setting): Promise<number>;
}

/** A row with its figure; null if it could not be measured. */
export type MeasuredRow = Omit<Row, "measure"> & { readonly value: number | null };

const targetOf = ({ atLeast, atMost }: MeasuredRow): number | null => atLeast ?? atMost ?? null;

/** Whether a row meets its target; null without a target. A failed row does not. */
function meetsTarget(row: MeasuredRow): boolean | null {
  const { value, atLeast = -Infinity, atMost = Infinity } = row;
  if (value === null) return false;
  return targetOf(row) === null ? null : value >= atLeast && value <= atMost;
}

const HELD_TEXTS = new Map([[null, ""], [true, "yes"], [false, "**no**"]]);

export function reportTable(rows: readonly MeasuredRow[]): string {
  const lines = rows.map((row) => {
    const target = targetOf(row);
    const targetText = target === null ? "" : `${row.atMost === undefined ? "≥" : "≤"} ${target}`;
    const cells = [`\`${row.name}\``, row.description, row.value ?? "failed", targetText];
    return `| ${[...cells, HELD_TEXTS.get(meetsTarget(row))].join(" | ")} |`;
  });
  return ["| Row | What | Measured | Target | Held |", "| --- | --- | --- | --- | --- |", ...lines]
    .join("\n");
}

/** Returns a JSON object of figures by name, and `rows` with their targets and results. */
export function reportJson(measuredRows: readonly MeasuredRow[]): string {
  const figures = measuredRows.map(({ name, value }) => [name, value]);
  const rows = measuredRows.map((row) => {
    const target = targetOf(row);
    const atLeast = row.atMost === undefined;
    return [row.name, {
      value: row.value,
      target,
      ...(target !== null && { atLeast }),
      held: meetsTarget(row),
    }];
  });
  return JSON.stringify({ ...Object.fromEntries(figures), rows: Object.fromEntries(rows) });
}
