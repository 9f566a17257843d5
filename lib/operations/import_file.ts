import type { WriteAccess } from "../documents/access.ts";
import { FAULTS_MAX } from "../documents/validate.ts";
import type { WriteServices } from "../documents/write_document.ts";
import { Problem, type ProblemCode } from "../problems.ts";
import { countText, countWithNoun } from "../text/amounts.ts";
import { type FailedRow, importRows, validateRows } from "./import_rows.ts";

export interface ImportInput {
  /** CSV with a header, or JSON. */
  readonly text: string;
  readonly dryRun: boolean;
  /** Whether invalid rows are skipped. Otherwise one invalid row refuses the import. */
  readonly skipInvalid: boolean;
  readonly idempotencyKey: string | null;
}

export interface ImportResult {
  readonly rows: number;
  readonly stored: number;
  readonly failed: readonly FailedImport[];
  /** Names of fields that the server sets, which were removed from the rows. */
  readonly leftOut: readonly string[];
}

export interface FailedImport {
  /** Position in the file, from 1. */
  readonly row: number;
  readonly code: ProblemCode;
  readonly message: string;
}

/**
 * Creates a document from each row. Throws `INVALID_INPUT` for a malformed file, and the problem of
 * the first row if no row can be stored, or if `skipInvalid` is false, before it stores anything.
 */
export async function importFile(
  services: WriteServices,
  target: WriteAccess,
  { text, dryRun, skipInvalid, idempotencyKey }: ImportInput,
): Promise<ImportResult> {
  const { good, failed: unfit, leftOut } = validateRows(target, text);
  const rows = good.length + unfit.length;
  if (rows === 0) throw new Problem("INVALID_INPUT", { message: "The file has no rows." });
  if (unfit.length > 0 && !skipInvalid && !dryRun) {
    throw noneStored(unfit, { rows, remedy: 'Correct them, or skip them with "skipInvalid".' });
  }
  const refused = dryRun ? [] : await importRows(services, target, { rows: good, idempotencyKey });
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
  const message =
    `${countText(failed.length)} of ${countWithNoun(rows, "row")} cannot be stored, so ` +
    `nothing is. Row ${countText(number)}: ${reason} ${remedy}`;
  const faults = failed.slice(0, FAULTS_MAX)
    .map(({ number, reason: message }) => ({ path: `row ${number}`, message }));
  return new Problem(code, { message: message.trimEnd(), faults });
}
