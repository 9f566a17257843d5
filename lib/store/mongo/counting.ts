import { type ClientSession, type Collection, MinKey } from "mongodb";
import type { Filter } from "../port.ts";
import type { Bson } from "./encode.ts";
import { EVERYTHING, hintFor, isAboutTrash } from "./filter_bson.ts";

/** What is counted, and where. */
export interface Counted {
  readonly filter: Filter;
  /** The filter as the server takes it. */
  readonly query: Bson;
  readonly collection: Collection;
  readonly session: ClientSession | null;
  readonly maxTimeMS: number;
}

/** Up to so many matches an estimate counts. */
const COUNTED_MAX = 10_000;

/** @param limit Beyond which no more are counted. */
export async function count(
  { collection, session, filter, query, maxTimeMS }: Counted,
  limit?: number,
): Promise<number> {
  const options = { ...hintFor(filter), ...(limit !== undefined && { limit }), maxTimeMS };
  // What MongoDB knows without looking is wrong after a crash and while shards exchange records.
  const looked = query === EVERYTHING ? { _id: { $gte: new MinKey() } } : query;
  if (session === null) return await collection.count(looked, options);
  return await collection.countDocuments(looked, { ...options, session });
}

/** Costs the same however many there are: few are counted, of many it is known about how many. */
export async function estimate(counted: Counted): Promise<number> {
  const few = await count(counted, COUNTED_MAX);
  const { collection, session, filter, maxTimeMS } = counted;
  if (few < COUNTED_MAX || session !== null || !isAboutTrash(filter)) return few;
  return await collection.estimatedDocumentCount({ maxTimeMS });
}
