import type { Json, StoredRecord } from "../store/port.ts";
import { valueAt } from "../store/shape.ts";
import type { FieldDefinition } from "./fields.ts";

/** A field that holds one path or several. */
export interface FileField {
  readonly path: string;
  /** Whether a file is removed when no document of the collection holds it any longer. */
  readonly removes: boolean;
}

export const fileFieldsOf = (fields: readonly FieldDefinition[], at = ""): FileField[] =>
  fields.flatMap(({ key, file = false, onDelete, fields: inner = [] }) => [
    ...(file ? [{ path: at + key, removes: onDelete === "remove" }] : []),
    ...fileFieldsOf(inner, `${at}${key}.`),
  ]);

export const removesFiles = ({ files }: { readonly files: readonly FileField[] }): boolean =>
  files.some(({ removes }) => removes);

/** Returns the paths of a document's files with their fields, preferably one that removes. */
export function referencedFiles(
  fields: readonly FileField[],
  document: StoredRecord | null,
): ReadonlyMap<string, FileField> {
  const found = new Map<string, FileField>();
  if (document === null) return found;
  for (const field of fields) {
    for (const path of textsIn(valueAt(document, field.path) ?? null)) {
      if (found.get(path)?.removes !== true) found.set(path, field);
    }
  }
  return found;
}

const textsIn = (value: Json): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string");
