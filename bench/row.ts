import type { Setting } from "./seed.ts";

/** One line of the table. */
export interface Row {
  readonly name: string;
  readonly what: string;
  /** Null for a figure that is only told. */
  readonly target: number | null;
  /** Whether the target is a floor; else it is a ceiling. */
  readonly atLeast: boolean;
  measure(setting: Setting): Promise<number>;
}
