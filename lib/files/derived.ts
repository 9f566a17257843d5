import { ALL, and, eq } from "../store/filter.ts";
import type { Engine, Filter, Id } from "../store/port.ts";
import { DERIVED_MAX } from "../limits.ts";
import { derivedPath } from "./paths.ts";
import type { BlobStores } from "./stores.ts";
import { field, recordKind, type RecordOf } from "../store/record_kind.ts";

/** Records are written before objects, so every object has one. Missing objects are made again. */
export const DERIVED = recordKind({
  name: "_derived",
  fields: {
    /** Path of the original file. */
    path: field.text,
    variant: field.text,
    bytes: field.number,
    contentType: field.text,
    /** Time of the last request, updated at most once an hour. */
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

export const removeDerived = (
  services: DerivedServices,
  projectId: Id,
  path: string,
): Promise<void> => removeRecords(services, projectId, { filter: eq("path", path) });

/** Share of the limits at which the removal of derived objects stops. */
const TRIM_SHARE = 0.9;

/** Removes the least recently used objects of a project above `DERIVED_MAX` or `bytesMax`. */
export async function trimDerived(
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
  await removeRecords(services, projectId, {
    filter: ALL,
    sort: [{ path: "usedAt", descending: false }],
    until: (removed) => {
      count--;
      bytes -= removed.bytes;
      return count <= TRIM_SHARE * DERIVED_MAX && bytes <= TRIM_SHARE * bytesMax;
    },
  });
}

async function removeRecords(
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

export const ofVariant = (path: string, variant: string): Filter =>
  and(eq("path", path), eq("variant", variant));
