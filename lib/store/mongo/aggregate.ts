import { type Document, ObjectId } from "mongodb";
import type { Groups } from "../aggregation.ts";
import { PageTooLarge } from "../errors.ts";
import { and, within } from "../filter.ts";
import { type GroupRow, groupsOf, keyBytes, referrersOf } from "../groups.ts";
import {
  type Aggregation,
  type Definition,
  type Id,
  PAGE_BYTES_MAX,
  type ReferrerQuery,
  type Scalar,
} from "../port.ts";
import { aggregateBson } from "./aggregate_bson.ts";
import { bounded, withConnection } from "./bounded.ts";
import type { Access } from "./access.ts";
import { pairsOf, referrersBson } from "./referrers_bson.ts";

/** See `Records.aggregate`. */
export function aggregate(
  access: Access,
  definition: Definition,
  query: Aggregation,
): Promise<Groups> {
  const { filter, keys, bytesMax = PAGE_BYTES_MAX } = query;
  const sort = keys.slice(0, 1).map(({ path }) => ({ path, descending: false }));
  const rows: GroupRow[] = [];
  return bounded(access, { definition, query: { filter, sort } }, async () => {
    let bytes = 0;
    await each(access, definition, aggregateBson(definition, query), (found) => {
      const row = rowOf(query, found);
      bytes += keyBytes(row, query);
      if (bytes > bytesMax) throw new PageTooLarge(bytesMax);
      rows.push(row);
    });
    return groupsOf(definition, query, rows);
  });
}

/** See `Records.referrers`. */
export function referrers(
  access: Access,
  definition: Definition,
  query: ReferrerQuery,
): Promise<ReadonlyMap<Id, readonly Id[]>> {
  const { filter, path, ids } = query;
  if (ids.length === 0) return Promise.resolve(new Map());
  const asked = { filter: and(within(path, ids), filter), sort: [] };
  const found: Document[] = [];
  return bounded(access, { definition, query: asked }, async () => {
    await each(access, definition, referrersBson(definition, query), (one) => found.push(one));
    return referrersOf(pairsOf(found));
  });
}

/** Documents of a pipeline, one after the other; the server ends it if this ends before it. */
const each = (
  access: Access,
  { name }: Definition,
  pipeline: Document[],
  take: (found: Document) => void,
): Promise<void> =>
  withConnection(access, async (maxTimeMS) => {
    const { db, session } = access;
    const cursor = db.collection(name).aggregate(pipeline, {
      maxTimeMS,
      allowDiskUse: true, // However many groups there are, the server has memory for some.
      ...(session === null ? { readConcern: { level: "majority" } } : { session }),
    });
    for await (const found of cursor) take(found);
  });

function rowOf({ keys, figures }: Aggregation, { _id, ...found }: Document): GroupRow {
  return [
    ...keys.map((_, i) => scalarOf(_id[`k${i}`])),
    ...figures.map((_, i) => scalarOf(found[`f${i}`])),
  ];
}

const scalarOf = (value: unknown): Scalar => {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof ObjectId) return value.toHexString();
  return value === undefined ? null : value as Scalar; // Keys and figures are of declared types.
};
