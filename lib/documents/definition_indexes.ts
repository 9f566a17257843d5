import { INDEX_FIELDS_MAX, INDEXES_MAX } from "../limits.ts";
import type { FieldFault } from "../problems.ts";
import { isScalarType } from "../store/shape.ts";
import type { SortKey } from "../store/port.ts";
import { shown } from "../text/input_text.ts";
import { meantAside } from "../text/nearest.ts";
import {
  type CollectionDefinition,
  fieldAt,
  type FieldDefinition,
  type IndexDefinition,
  type ItemDefinition,
} from "./fields.ts";

/** The path and the direction that a text of an index names. */
export const keyOf = (text: string): SortKey =>
  text.startsWith("-")
    ? { path: text.slice(1), descending: true }
    : { path: text, descending: false };

/** Paths of the fields that `search` looks into. */
export const searchPaths = (fields: readonly FieldDefinition[], at = ""): string[] =>
  fields.flatMap(({ key, search, fields: inner = [] }) => [
    ...(search ? [at + key] : []),
    ...searchPaths(inner, `${at}${key}.`),
  ]);

const indexablePaths = (fields: readonly FieldDefinition[], at = ""): string[] =>
  fields.flatMap((field) => [
    ...(isIndexable(field) ? [at + field.key] : []),
    ...indexablePaths(field.fields ?? [], `${at}${field.key}.`),
  ]);

const SERVER_KEYS: readonly string[] = ["createdAt", "updatedAt"];

/** What is wrong with the indexes of a definition whose fields are right; null if nothing is. */
export function indexFault(
  { indexes, fields }: Pick<CollectionDefinition, "indexes" | "fields">,
): FieldFault | null {
  if (indexes.length > INDEXES_MAX) {
    return { path: "indexes", message: `has more than ${INDEXES_MAX}` };
  }
  const seen = new Set<string>();
  for (const [i, index] of indexes.entries()) {
    const path = `indexes.${i}`;
    const why = faultOf(index, fields);
    if (why !== null) return { path, message: why };
    const text = JSON.stringify(index);
    if (seen.has(text)) return { path, message: "is the same as one before it" };
    seen.add(text);
  }
  return null;
}

function faultOf(
  { fields: texts, unique }: IndexDefinition,
  fields: readonly FieldDefinition[],
): string | null {
  if (texts.length === 0 || texts.length > INDEX_FIELDS_MAX) {
    return `must have 1 to ${INDEX_FIELDS_MAX} fields`;
  }
  const paths = texts.map((text) => keyOf(text).path);
  const twice = paths.find((path, i) => paths.indexOf(path) !== i);
  if (twice !== undefined) return `names ${shown(twice)} twice`;
  let array: string | null = null;
  for (const path of paths) {
    if (SERVER_KEYS.includes(path)) continue;
    const field = fieldAt(fields, path.split("."));
    if (field === null) {
      const known = [...SERVER_KEYS, ...indexablePaths(fields)];
      return `names ${shown(path)}, which is not declared${meantAside(path, known)}`;
    }
    if (isScalarType(field.type)) continue;
    if (!isIndexable(field)) {
      return `names ${shown(path)}, which is neither a single value nor an Array of them`;
    }
    if (unique) return `is unique, so it cannot name ${shown(path)}, which is an Array`;
    if (array !== null) return `names ${shown(path)}, a second Array beside ${shown(array)}`;
    array = path;
  }
  return null;
}

/** Whether an index can have what the field holds: single values, or an Array of such. */
export const isIndexable = ({ type, items }: ItemDefinition): boolean =>
  isScalarType(type) || (items !== undefined && isScalarType(items.type));
