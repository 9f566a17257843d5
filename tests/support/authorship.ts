import type { Writing } from "@/lib/store/port.ts";

/** For tests that write documents past Corbel's own verbs. */
export const BY_KEY: Writing = {
  by: { actor: { kind: "key", id: null }, at: "2026-01-01T00:00:00.000Z" },
};
