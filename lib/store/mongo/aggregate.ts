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
import { withConnection, withTimeLimit } from "./bounded_reads.ts";
import type { Access } from "./access.ts";
import { pairsOf, referrersBson } from "./referrers_bson.ts";

export function aggregate(
  access: Access,
  definition: Definition,
  query: Aggregation,
): Promise<Groups> {
  const { filter, keys, bytesMax = PAGE_BYTES_MAX } = query;
  const sort = keys.slice(0, 1).map(({ path }) => ({ path, descending: false }));
  const rows: GroupRow[] = [];
  return withTimeLimit(access, { definition, query: { filter, sort } }, async () => {
    let bytes = 0;
    await forEachDocument(access, definition, aggregateBson(definition, query), (found) => {
      const row = toRow(query, found);
      bytes += keyBytes(row, query);
      if (bytes > bytesMax) throw new PageTooLarge(bytesMax);
      rows.push(row);
    });
    return groupsOf(definition, query, rows);
  });
}

export function referrers(
  access: Access,
  definition: Definition,
  query: ReferrerQuery,
): Promise<ReadonlyMap<Id, readonly Id[]>> {
  const { filter, path, ids } = query;
  if (ids.length === 0) return Promise.resolve(new Map());
  const asked = { filter: and(within(path, ids), filter), sort: [] };
  const found: Document[] = [];
  return withTimeLimit(access, { definition, query: asked }, async () => {
    await forEachDocument(
      access,
      definition,
      referrersBson(definition, query),
      (one) => found.push(one),
    );
    return referrersOf(pairsOf(found));
  });
}

/** Reads the documents of a pipeline one by one. */
const forEachDocument = (
  access: Access,
  { name }: Definition,
  pipeline: Document[],
  onDocument: (found: Document) => void,
): Promise<void> =>
  withConnection(access, async (maxTimeMS) => {
    const { db, session } = access;
    const cursor = db.collection(name).aggregate(pipeline, {
      maxTimeMS,
      allowDiskUse: true, // There may be more groups than fit into the server's memory.
      ...(session === null ? { readConcern: { level: "majority" } } : { session }),
    });
    for await (const found of cursor) onDocument(found);
  });

function toRow({ keys, figures }: Aggregation, { _id, ...found }: Document): GroupRow {
  return [
    ...keys.map((_, i) => toScalar(_id[`k${i}`])),
    ...figures.map((_, i) => toScalar(found[`f${i}`])),
  ];
}

const toScalar = (value: unknown): Scalar => {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof ObjectId) return value.toHexString();
  return value === undefined ? null : value as Scalar; // Keys and figures have declared types.
};
