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

export interface RefusedDocument {
  readonly index: number;
  readonly problem: Problem;
}

/** Returns none if the store's error has another reason than the documents. */
export async function findRefusedDocuments(
  target: WriteAccess,
  documents: readonly StoredDocument[],
  reason: unknown,
): Promise<RefusedDocument[]> {
  if (reason instanceof UniqueViolation) {
    return await findTakenValues(target, documents).catch((error) => {
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

/** Sends one query per unique index. The first of several new documents may have a shared value. */
async function findTakenValues(
  { records, collection }: WriteAccess,
  documents: readonly StoredDocument[],
): Promise<RefusedDocument[]> {
  const problemsByIndex = new Map<number, Problem[]>();
  for (const { keys, unique } of collection.records.indexes) {
    if (!unique) continue;
    const paths = keys.map(({ path }) => path);
    const claims = claimsOf(documents, paths);
    if (claims.length === 0) continue;
    const holders = await readStoredHolders(records, paths, claims);
    for (const { index, values } of claims) {
      const text = JSON.stringify(values);
      const holder = holders.get(text);
      if (holder === undefined) holders.set(text, `documents[${index}]`);
      else {
        const problems = problemsByIndex.get(index) ?? [];
        problemsByIndex.set(index, [...problems, duplicateValue(paths, { holder })]);
      }
    }
  }
  return [...problemsByIndex].sort(([one], [other]) => one - other)
    .map(([index, problems]) => ({ index, problem: combineProblems(problems) }));
}

/** A new document's values in a unique index. */
interface Claim {
  readonly index: number;
  readonly values: readonly Scalar[];
}

/** Documents that lack a value are exempt from uniqueness. */
function claimsOf(documents: readonly StoredDocument[], paths: readonly string[]): Claim[] {
  return documents.flatMap((document, index) => {
    const values = paths.map((path) => valueAt(document, path) ?? null);
    // Unique fields hold scalars.
    return values.includes(null) ? [] : [{ index, values: values as Scalar[] }];
  });
}

/** Returns the holders by the JSON text of their values. */
async function readStoredHolders(
  records: Records<StoredDocument>,
  paths: readonly string[],
  claims: readonly Claim[],
): Promise<Map<string, string>> {
  const { groups } = await records.aggregate({
    filter: heldByFilter(paths, claims),
    keys: paths.map((path) => ({ path })),
    figures: [],
    sort: [],
    limit: claims.length,
    bytesMax: Infinity,
  });
  return new Map(groups.map(({ keys }) => [JSON.stringify(keys), "Another document"]));
}

const LIVE = eq("isDeleted", false);

/** Each branch includes the condition of the partial unique index, so that it can use the index. */
function heldByFilter(paths: readonly string[], claims: readonly Claim[]): Filter {
  const [path, ...others] = paths;
  if (others.length === 0) return and(LIVE, within(path!, claims.map(({ values }) => values[0]!)));
  return or(
    ...claims.map(({ values }) => and(LIVE, ...paths.map((path, i) => eq(path, values[i]!)))),
  );
}

const combineProblems = (problems: readonly Problem[]): Problem =>
  new Problem("DUPLICATE_VALUE", {
    message: problems.map(({ message }) => message).join(" "),
    faults: problems.flatMap(({ faults }) => faults),
  });
