import { type Document, ObjectId } from "mongodb";
import { selectsTrashSide, withIdKey } from "../advice.ts";
import { and, eq, within } from "../filter.ts";
import type { Definition, Id, ReferrerQuery } from "../port.ts";
import { filterBson } from "./filter_bson.ts";

/**
 * Returns the pipeline that yields referenced ids as `holder` and the ids of referring records as
 * `ids`, in sort order. If an index begins with the path, each id is looked up separately, so that
 * no more records are read than returned. Otherwise all records are scanned once for all ids.
 */
export function referrersBson(definition: Definition, query: ReferrerQuery): Document[] {
  return isIndexed(definition, query)
    ? lookUpEachBson(definition, query)
    : scanOnceBson(definition, query);
}

function lookUpEachBson(definition: Definition, query: ReferrerQuery): Document[] {
  const { name } = definition;
  const [first, ...others] = query.ids.map((id) => referrersOfOne(definition, query, id));
  return [...first!, ...others.map((pipeline) => ({ $unionWith: { coll: name, pipeline } }))];
}

const referrersOfOne = (
  definition: Definition,
  { path, filter, sort, limit }: ReferrerQuery,
  id: Id,
): Document[] => [
  { $match: filterBson(definition, and(eq(path, id), filter)) },
  { $sort: sortBson(sort) },
  { $limit: limit },
  { $group: { _id: `$${path}`, ids: { $push: "$_id" } } },
];

const scanOnceBson = (
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
  Object.fromEntries(withIdKey(sort).map(({ path, descending }) => [path, descending ? -1 : 1]));

/** Whether an index begins with the path and the filter allows using it. */
const isIndexed = ({ indexes, trash }: Definition, { path, filter }: ReferrerQuery): boolean =>
  (!trash || selectsTrashSide(filter)) &&
  indexes.some(({ keys, unique }) => !unique && keys[0]!.path === path);

/** Returns pairs of referenced and referring ids, without values of other programs. */
export const pairsOf = (found: readonly Document[]): [Id, Id][] =>
  found.flatMap(({ _id, ids }): [Id, Id][] =>
    typeof _id !== "string" || !Array.isArray(ids)
      ? []
      : ids.flatMap((id) => id instanceof ObjectId ? [[_id, id.toHexString()]] : [])
  );
