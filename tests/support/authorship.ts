import type { WriteOptions } from "@/lib/store/port.ts";

/** Author of documents that a test writes directly to the store. */
export const BY_KEY: WriteOptions = {
  by: { actor: { kind: "key", id: null }, at: "2026-01-01T00:00:00.000Z" },
};
