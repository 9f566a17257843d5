import { COLUMNS_MAX } from "../limits.ts";
import type { StoredDocument } from "./collection.ts";
import { isServerField } from "./names.ts";

/** Returns at most one name more than fits as columns. Skips names longer than `lengthMax`. */
export function findUndeclaredMembers(
  documents: readonly StoredDocument[],
  declared: readonly string[],
  lengthMax = Infinity,
): string[] {
  const known = new Set(declared);
  const found = new Set<string>();
  for (const document of documents) {
    for (const name of Object.keys(document)) {
      if (name.length <= lengthMax && !known.has(name) && !isServerField(name)) found.add(name);
      if (found.size > COLUMNS_MAX) return [...found];
    }
  }
  return [...found];
}
