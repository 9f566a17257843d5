import { ALL, and, eq } from "../store/filter.ts";
import type { Engine, Filter, Id } from "../store/port.ts";
import { DERIVED_MAX } from "../limits.ts";
import { derivedPath } from "./paths.ts";
import type { BlobStores } from "./stores.ts";
import { field, recordKind, type RecordOf } from "../store/record_kind.ts";

/**
 * Something that was made of a file, and is kept in our own store. The record is written before
 * its object, so nothing lies there that no record knows; an object that is missing is made again.
 * In each project's space.
 */
export const DERIVED = recordKind({
  name: "_derived",
  fields: {
    /** Of the file. */
    path: field.text,
    variant: field.text,
    bytes: field.number,
    contentType: field.text,
    /** When it was last asked for, to the hour. */
    usedAt: field.date,
  },
  indexes: [
    { keys: ["path", "variant"].map((path) => ({ path, descending: false })), unique: true },
    { keys: [{ path: "usedAt", descending: false }] },
  ],
  trash: false,
});

export type DerivedRecord = RecordOf<typeof DERIVED>;

export interface DerivedServices {
  readonly engine: Engine;
  readonly blobStores: Pick<BlobStores, "internal">;
}

/** Removes all that was made of a file. */
export const removeDerived = (
  services: DerivedServices,
  projectId: Id,
  path: string,
): Promise<void> => removeAll(services, projectId, { filter: eq("path", path) });

/** After this share of what is allowed is left, no more is removed. */
const LEFT = 0.9;

/**
 * Removes what was not asked for the longest, where there is more than may be kept.
 * @param bytesMax Of all of a project.
 */
export async function boundDerived(
  services: DerivedServices,
  projectId: Id,
  bytesMax: number,
): Promise<void> {
  const { groups: [all] } = await services.engine.records<DerivedRecord>(projectId, DERIVED)
    .aggregate({
      filter: ALL,
      keys: [],
      figures: [{ op: "count" }, { op: "sum", path: "bytes" }],
      sort: [],
      limit: 1,
    });
  let [count, bytes] = all!.figures.map(Number) as [number, number];
  if (count <= DERIVED_MAX && bytes <= bytesMax) return;
  await removeAll(services, projectId, {
    filter: ALL,
    sort: [{ path: "usedAt", descending: false }],
    until: (removed) => {
      count--;
      bytes -= removed.bytes;
      return count <= LEFT * DERIVED_MAX && bytes <= LEFT * bytesMax;
    },
  });
}

async function removeAll(
  { engine, blobStores }: DerivedServices,
  projectId: Id,
  { until = () => false, ...query }: {
    readonly filter: Filter;
    readonly sort?: readonly { readonly path: string; readonly descending: boolean }[];
    readonly until?: (removed: DerivedRecord) => boolean;
  },
): Promise<void> {
  const records = engine.records<DerivedRecord>(projectId, DERIVED);
  for await (const record of records.find(query)) {
    await blobStores.internal.remove("derived", derivedPath(record.path, record.variant));
    await records.deleteOne(eq("_id", record._id));
    if (until(record)) return;
  }
}

export const derivedAt = (path: string, variant: string): Filter =>
  and(eq("path", path), eq("variant", variant));
