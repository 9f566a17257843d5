import { hash } from "node:crypto";
import { eq } from "../store/filter.ts";
import type { Definition, Engine, StoredRecord } from "../store/port.ts";
import type { SharedCounts } from "./rate_limit.ts";

type CountRecord = StoredRecord & { count: number; expiresAt: string };

/** In the control space. */
export const RATE_COUNTS: Definition = {
  name: "rate_counts",
  fields: { count: { type: "Number" }, expiresAt: { type: "Date" } },
  indexes: [],
  trash: false,
  expiry: "expiresAt",
};

const ID_DIGITS = 24;

/** Counts in the store: one record for each key and window, under an id that follows from both. */
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
