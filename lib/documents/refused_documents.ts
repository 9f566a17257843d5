import { DOCUMENT_BYTES_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { QueryTooSlow, RecordTooLarge, UniqueViolation } from "../store/errors.ts";
import { and, eq, or, within } from "../store/filter.ts";
import { exceedsBytes, recordText } from "../store/json_text.ts";
import type { Filter, Records, Scalar } from "../store/port.ts";
import { valueAt } from "../store/shape.ts";
import type { WriteAccess } from "./access.ts";
import type { StoredDocument } from "./collection.ts";
import { duplicateValue } from "./document.ts";

/** A document of a list, by its index, and why it cannot be stored. */
export interface RefusedDocument {
  readonly index: number;
  readonly problem: Problem;
}

/**
 * Returns the new documents that the store has refused, in their order, or none if the reason is of
 * another kind. This is called after a refusal only, so that it costs successful writes nothing.
 * @param reason The error of the store.
 */
export async function refusedDocuments(
  target: WriteAccess,
  documents: readonly StoredDocument[],
  reason: unknown,
): Promise<RefusedDocument[]> {
  if (reason instanceof UniqueViolation) {
    return await takenValues(target, documents).catch((error) => {
      if (error instanceof QueryTooSlow) return [];
      throw error;
    });
  }
  if (!(reason instanceof RecordTooLarge)) return [];
  return documents.flatMap((document, index) =>
    exceedsBytes(recordText(document), DOCUMENT_BYTES_MAX)
      ? [{ index, problem: new Problem("DOCUMENT_TOO_LARGE") }]
      : []
  );
}

/**
 * Asks the store once for each unique index, and only for values that were sent. Of new documents that
 * share a value, the first is refused only if a stored document has the value.
 */
async function takenValues(
  { records, collection }: WriteAccess,
  documents: readonly StoredDocument[],
): Promise<RefusedDocument[]> {
  const found = new Map<number, Problem[]>();
  for (const { keys, unique } of collection.records.indexes) {
    if (!unique) continue;
    const paths = keys.map(({ path }) => path);
    const claims = claimsOf(documents, paths);
    if (claims.length === 0) continue;
    const holders = await storedHolders(records, paths, claims);
    for (const { index, values } of claims) {
      const text = JSON.stringify(values);
      const holder = holders.get(text);
      if (holder === undefined) holders.set(text, `documents[${index}]`);
      else found.set(index, [...found.get(index) ?? [], duplicateValue(paths, { holder })]);
    }
  }
  return [...found].sort(([one], [other]) => one - other)
    .map(([index, problems]) => ({ index, problem: together(problems) }));
}

/** A new document's values of one unique index. */
interface Claim {
  readonly index: number;
  readonly values: readonly Scalar[];
}

/** Leaves out documents without all of the values: uniqueness does not apply to them. */
function claimsOf(documents: readonly StoredDocument[], paths: readonly string[]): Claim[] {
  return documents.flatMap((document, index) => {
    const values = paths.map((path) => valueAt(document, path) ?? null);
    return values.includes(null) ? [] : [{ index, values: values as Scalar[] }]; // Of unique fields.
  });
}

/** Returns the holders of values, by the JSON text of the values. */
async function storedHolders(
  records: Records<StoredDocument>,
  paths: readonly string[],
  claims: readonly Claim[],
): Promise<Map<string, string>> {
  const { groups } = await records.aggregate({
    filter: heldBy(paths, claims),
    keys: paths.map((path) => ({ path })),
    figures: [],
    sort: [],
    limit: claims.length,
    bytesMax: Infinity,
  });
  return new Map(groups.map(({ keys }) => [JSON.stringify(keys), "Another document"]));
}

const LIVE = eq("isDeleted", false);

/** Each branch asks for live documents, as the unique index does, so that the index serves it. */
function heldBy(paths: readonly string[], claims: readonly Claim[]): Filter {
  const [path, ...others] = paths;
  if (others.length === 0) return and(LIVE, within(path!, claims.map(({ values }) => values[0]!)));
  return or(
    ...claims.map(({ values }) => and(LIVE, ...paths.map((path, i) => eq(path, values[i]!)))),
  );
}

const together = (problems: readonly Problem[]): Problem =>
  new Problem("DUPLICATE_VALUE", {
    message: problems.map(({ message }) => message).join(" "),
    faults: problems.flatMap(({ faults }) => faults),
  });
