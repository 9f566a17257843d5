import { hash } from "node:crypto";
import { eq } from "../store/filter.ts";
import type { Engine } from "../store/port.ts";
import type { SharedCounts } from "./rate_limit.ts";
import { field, recordKind, type RecordOf } from "../store/record_kind.ts";

/** Stored in the control space. */
export const RATE_COUNTS = recordKind({
  name: "rate_counts",
  fields: {
    count: field.number,
    expiresAt: field.date,
  },
  indexes: [],
  trash: false,
  expiry: "expiresAt",
});

type CountRecord = RecordOf<typeof RATE_COUNTS>;

/** Number of hexadecimal digits of a record id. */
const ID_DIGITS = 24;

/** Returns counts in the store, with one record per key and window. */
export function createStoredCounts(engine: Engine): SharedCounts {
  const records = engine.records<CountRecord>("control", RATE_COUNTS);
  return {
    async add(key, endsAt, count) {
      const _id = hash("sha256", `${endsAt} ${key}`, "hex").slice(0, ID_DIGITS);
      const first = { _id, count, expiresAt: new Date(endsAt).toISOString() };
      const { value } = await records.upsert(eq("_id", _id), { increment: { count } }, first);
      return value.count;
    },
  };
}
