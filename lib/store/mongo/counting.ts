import { type ClientSession, type Collection, MinKey } from "mongodb";
import type { Filter } from "../port.ts";
import type { Bson } from "./encode.ts";
import { EVERYTHING, hintFor, isAboutTrash } from "./filter_bson.ts";

export interface CountQuery {
  readonly filter: Filter;
  readonly query: Bson;
  readonly collection: Collection;
  readonly session: ClientSession | null;
  readonly maxTimeMS: number;
}

/** Number of matches up to which an estimate is exact. */
const ESTIMATE_COUNT_MAX = 10_000;

/**
 * Counts matching records.
 *
 * @param limit Number at which counting stops.
 */
export async function count(
  { collection, session, filter, query, maxTimeMS }: CountQuery,
  limit?: number,
): Promise<number> {
  const options = { ...hintFor(filter), ...(limit !== undefined && { limit }), maxTimeMS };
  // MongoDB's stored count is wrong after a crash and while shards exchange records, so the query
  // must not be empty.
  const nonEmptyQuery = query === EVERYTHING ? { _id: { $gte: new MinKey() } } : query;
  if (session === null) return await collection.count(nonEmptyQuery, options);
  return await collection.countDocuments(nonEmptyQuery, { ...options, session });
}

/** Estimates a count in constant time. Small counts are exact. */
export async function estimate(counted: CountQuery): Promise<number> {
  const few = await count(counted, ESTIMATE_COUNT_MAX);
  const { collection, session, filter, maxTimeMS } = counted;
  if (few < ESTIMATE_COUNT_MAX || session !== null || !isAboutTrash(filter)) return few;
  return await collection.estimatedDocumentCount({ maxTimeMS });
}
