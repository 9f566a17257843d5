import type { WriteAccess } from "../documents/access.ts";
import { FAULTS_MAX } from "../documents/validate.ts";
import type { WriteServices } from "../documents/write_document.ts";
import { Problem, type ProblemCode } from "../problems.ts";
import { counted, countText } from "../text/amounts.ts";
import { type FailedRow, importRows, sortRows } from "./import_rows.ts";

export interface ImportInput {
  /** Of a CSV with a header, or JSON. */
  readonly text: string;
  /** Whether only to say what would become of the rows. */
  readonly dryRun: boolean;
  /** Whether rows that do not fit are left out; else they keep all others out. */
  readonly skipInvalid: boolean;
  /** The `Idempotency-Key` header. */
  readonly once: string | null;
}

export interface ImportOutcome {
  readonly rows: number;
  readonly stored: number;
  readonly failed: readonly FailedImport[];
  /** Members that the server sets, which were left out. */
  readonly leftOut: readonly string[];
}

export interface FailedImport {
  /** Its place in the file, from 1. */
  readonly row: number;
  readonly code: ProblemCode;
  readonly message: string;
}

/**
 * Makes documents of the rows of a file. Throws `INVALID_INPUT` for what is none; and what is wrong
 * with the first of the rows where they do not fit and are not to be skipped, before anything is
 * stored, or where none of them could be stored.
 */
export async function importFile(
  services: WriteServices,
  target: WriteAccess,
  { text, dryRun, skipInvalid, once }: ImportInput,
): Promise<ImportOutcome> {
  const { good, failed: unfit, leftOut } = sortRows(target, text);
  const rows = good.length + unfit.length;
  if (rows === 0) throw new Problem("INVALID_INPUT", { message: "There are no rows in it." });
  if (unfit.length > 0 && !skipInvalid && !dryRun) {
    throw noneStored(unfit, { rows, remedy: 'Mend them, or leave them out with "skipInvalid".' });
  }
  const refused = dryRun ? [] : await importRows(services, target, { rows: good, once });
  const failed = [...unfit, ...refused].sort((a, b) => a.number - b.number);
  if (failed.length === rows && rows > 0 && !dryRun) throw noneStored(failed, { rows, remedy: "" });
  return {
    rows,
    stored: rows - failed.length,
    failed: failed.map(({ number: row, code, reason: message }) => ({ row, code, message })),
    leftOut,
  };
}

function noneStored(
  failed: readonly FailedRow[],
  { rows, remedy }: { rows: number; remedy: string },
): Problem {
  const [{ code, number, reason }] = failed as [FailedRow, ...FailedRow[]];
  const message = `${countText(failed.length)} of ${counted(rows, "row")} cannot be stored, so ` +
    `nothing is. Row ${countText(number)}: ${reason} ${remedy}`;
  const faults = failed.slice(0, FAULTS_MAX)
    .map(({ number, reason: message }) => ({ path: `row ${number}`, message }));
  return new Problem(code, { message: message.trimEnd(), faults });
}
