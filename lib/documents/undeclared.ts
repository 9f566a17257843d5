import { COLUMNS_MAX } from "../limits.ts";
import type { StoredDocument } from "./collection.ts";
import { isServerField } from "./names.ts";

/**
 * Members of the documents at hand that the collection does not declare; no more of them than one
 * beyond what can be shown.
 * @param lengthMax Longer names are passed over.
 */
export function undeclaredIn(
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
