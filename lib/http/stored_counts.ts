import { hash } from "node:crypto";
import { UniqueViolation } from "../store/errors.ts";
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
      const increase = async () =>
        (await records.updateOne(eq("_id", _id), { increment: { count } }))?.value.count;
      const all = await increase();
      if (all !== undefined) return all;
      try {
        await records.insert({ _id, count, expiresAt: new Date(endsAt).toISOString() });
        return count;
      } catch (error) {
        // Another process was first in the same moment.
        if (error instanceof UniqueViolation) return await increase() ?? count;
        throw error;
      }
    },
  };
}
