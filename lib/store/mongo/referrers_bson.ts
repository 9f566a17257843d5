import { type Document, ObjectId } from "mongodb";
import { fixesTrash, sortedBy } from "../advice.ts";
import { and, eq, within } from "../filter.ts";
import type { Definition, Id, ReferrerQuery } from "../port.ts";
import { filterBson } from "./filter_bson.ts";

/**
 * Finds what is referred to as `holder` and by whom as `ids`, in the order of the sort. Where an
 * index begins with the path, each id is looked up by itself, so that no more is read of one that
 * many refer to than is answered; else all records are read once for all ids.
 */
export function referrersBson(definition: Definition, query: ReferrerQuery): Document[] {
  return isIndexed(definition, query) ? eachBson(definition, query) : onceBson(definition, query);
}

function eachBson(definition: Definition, query: ReferrerQuery): Document[] {
  const { name } = definition;
  const [first, ...others] = query.ids.map((id) => ofOne(definition, query, id));
  return [...first!, ...others.map((pipeline) => ({ $unionWith: { coll: name, pipeline } }))];
}

const ofOne = (
  definition: Definition,
  { path, filter, sort, limit }: ReferrerQuery,
  id: Id,
): Document[] => [
  { $match: filterBson(definition, and(eq(path, id), filter)) },
  { $sort: sortBson(sort) },
  { $limit: limit },
  { $group: { _id: `$${path}`, ids: { $push: "$_id" } } },
];

const onceBson = (
  definition: Definition,
  { path, ids, filter, sort, limit }: ReferrerQuery,
): Document[] => [
  { $match: filterBson(definition, and(within(path, ids), filter)) },
  {
    $group: {
      _id: `$${path}`,
      ids: { $topN: { n: limit, sortBy: sortBson(sort), output: "$_id" } },
    },
  },
];

const sortBson = (sort: ReferrerQuery["sort"]): Record<string, 1 | -1> =>
  Object.fromEntries(sortedBy(sort).map(({ path, descending }) => [path, descending ? -1 : 1]));

/** Whether an index begins with the path, and the filter allows to use it. */
const isIndexed = ({ indexes, trash }: Definition, { path, filter }: ReferrerQuery): boolean =>
  (!trash || fixesTrash(filter)) &&
  indexes.some(({ keys, unique }) => !unique && keys[0]!.path === path);

/** Pairs of both. What other programs have put there under ids of their own is left out. */
export const pairsOf = (found: readonly Document[]): [Id, Id][] =>
  found.flatMap(({ _id, ids }): [Id, Id][] =>
    typeof _id !== "string" || !Array.isArray(ids)
      ? []
      : ids.flatMap((id) => id instanceof ObjectId ? [[_id, id.toHexString()]] : [])
  );
