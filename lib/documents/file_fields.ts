import type { Json, StoredRecord } from "../store/port.ts";
import { valueAt } from "../store/shape.ts";
import type { FieldDefinition } from "./fields.ts";

/** A field that holds a path of a file, or a list of them. */
export interface FileField {
  readonly path: string;
  /** Whether a file is removed that no document of the collection holds any more. */
  readonly removes: boolean;
}

export const fileFieldsOf = (fields: readonly FieldDefinition[], at = ""): FileField[] =>
  fields.flatMap(({ key, file = false, onDelete, fields: inner = [] }) => [
    ...(file ? [{ path: at + key, removes: onDelete === "remove" }] : []),
    ...fileFieldsOf(inner, `${at}${key}.`),
  ]);

export const removesFiles = ({ files }: { readonly files: readonly FileField[] }): boolean =>
  files.some(({ removes }) => removes);

/** The files that a document holds, each with a field that does: one that removes it, if any. */
export function filesHeld(
  fields: readonly FileField[],
  document: StoredRecord | null,
): ReadonlyMap<string, FileField> {
  const held = new Map<string, FileField>();
  if (document === null) return held;
  for (const field of fields) {
    for (const path of textsIn(valueAt(document, field.path) ?? null)) {
      if (held.get(path)?.removes !== true) held.set(path, field);
    }
  }
  return held;
}

const textsIn = (value: Json): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string");
