import type { Collection } from "@/lib/documents/collection.ts";
import type { StoredDocument } from "@/lib/documents/collection.ts";
import { findUndeclaredMembers } from "@/lib/documents/undeclared.ts";
import { PATH_LENGTH_MAX } from "@/lib/limits.ts";
import { FIELD_TYPES } from "@/lib/store/field_types.ts";
import { valueAt } from "@/lib/store/shape.ts";
import { areWords, type Column } from "./cells.ts";
import { pathsOf } from "./paths.ts";
import { isTrash, type View } from "./view.ts";

const COLUMNS_SHOWN = 7;

/** Returns the columns that the address names, or the default columns. */
export function columnsOf(
  collection: Collection,
  view: View,
  documents: readonly StoredDocument[],
): Column[] {
  const paths = pathsOf(collection);
  const names = view.columns ?? firstColumns(collection, view, documents);
  return names.map((path) => {
    const { type = null, ref = null, values = null } = paths.get(path) ?? {};
    const isText = type !== null && FIELD_TYPES[type].isText === true && path !== "_id";
    return {
      path,
      type,
      ref,
      isWord: isText && (values !== null || areWords(documents.map((one) => valueAt(one, path)))),
    };
  });
}

function firstColumns(
  { definition: { fields } }: Collection,
  view: View,
  documents: readonly StoredDocument[],
): string[] {
  const own = fields.slice(0, COLUMNS_SHOWN - 1).map(({ key }) => key);
  if (own.length < COLUMNS_SHOWN - 1) {
    own.push(
      ...findUndeclaredMembers(documents, own, PATH_LENGTH_MAX).slice(
        0,
        COLUMNS_SHOWN - 1 - own.length,
      ),
    );
  }
  return [...(own.length === 0 ? ["_id"] : own), isTrash(view) ? "deletedAt" : "createdAt"];
}
