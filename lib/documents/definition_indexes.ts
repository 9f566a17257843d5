import { INDEX_FIELDS_MAX, INDEXES_MAX } from "../limits.ts";
import type { FieldFault } from "../problems.ts";
import { isScalarType } from "../store/shape.ts";
import type { SortKey } from "../store/port.ts";
import { quoted } from "../text/input_text.ts";
import { didYouMeanAside } from "../text/nearest.ts";
import {
  type CollectionDefinition,
  fieldAt,
  type FieldDefinition,
  type IndexDefinition,
  type ItemDefinition,
} from "./fields.ts";

/** Parses a field of an index, such as `-createdAt`. */
export const sortKey = (text: string): SortKey =>
  text.startsWith("-")
    ? { path: text.slice(1), descending: true }
    : { path: text, descending: false };

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

/** The fields must have been checked before. */
export function findIndexFault(
  { indexes, fields }: Pick<CollectionDefinition, "indexes" | "fields">,
): FieldFault | null {
  if (indexes.length > INDEXES_MAX) {
    return { path: "indexes", message: `has more than ${INDEXES_MAX}` };
  }
  const seen = new Set<string>();
  for (const [i, index] of indexes.entries()) {
    const path = `indexes.${i}`;
    const why = findIndexProblem(index, fields);
    if (why !== null) return { path, message: why };
    const text = JSON.stringify(index);
    if (seen.has(text)) return { path, message: "is the same as an earlier index" };
    seen.add(text);
  }
  return null;
}

function findIndexProblem(
  { fields: texts, unique }: IndexDefinition,
  fields: readonly FieldDefinition[],
): string | null {
  if (texts.length === 0 || texts.length > INDEX_FIELDS_MAX) {
    return `must have 1 to ${INDEX_FIELDS_MAX} fields`;
  }
  const paths = texts.map((text) => sortKey(text).path);
  const twice = paths.find((path, i) => paths.indexOf(path) !== i);
  if (twice !== undefined) return `names ${quoted(twice)} twice`;
  let array: string | null = null;
  for (const path of paths) {
    if (SERVER_KEYS.includes(path)) continue;
    const field = fieldAt(fields, path.split("."));
    if (field === null) {
      const known = [...SERVER_KEYS, ...indexablePaths(fields)];
      return `names ${quoted(path)}, which is not declared${didYouMeanAside(path, known)}`;
    }
    if (isScalarType(field.type)) continue;
    if (!isIndexable(field)) {
      return `names ${quoted(path)}, which is neither a single value nor an Array of them`;
    }
    if (unique) return `is unique, so it cannot name ${quoted(path)}, which is an Array`;
    if (array !== null) {
      return `names ${quoted(path)}, a second Array in addition to ${quoted(array)}`;
    }
    array = path;
  }
  return null;
}

/** Whether the field holds a single value or an Array of single values. */
export const isIndexable = ({ type, items }: ItemDefinition): boolean =>
  isScalarType(type) || (items !== undefined && isScalarType(items.type));
