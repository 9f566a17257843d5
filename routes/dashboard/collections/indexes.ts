import { compileCollection } from "@/lib/documents/collection.ts";
import { isIndexable } from "@/lib/documents/definition_indexes.ts";
import type { CollectionDefinition, FieldDefinition } from "@/lib/documents/fields.ts";

export interface CollectionIndex {
  /** Paths, with a leading `-` for descending order. */
  readonly paths: readonly string[];
  readonly unique: boolean;
  /** Path of the field whose flag declares the index, or null. */
  readonly field: string | null;
  /** Whether the definition lists the index. Indexes that are not declared are automatic. */
  readonly isDeclared: boolean;
}

export const indexesOf = (definition: CollectionDefinition): CollectionIndex[] => {
  const fieldsByPath = new Map(
    fieldsOutsideArrays(definition.fields).map((one) => [one.path, one.field]),
  );
  const declared = new Set(definition.indexes.map((one) => `${one.unique} ${one.fields.join()}`));
  return compileCollection(definition).records.indexes.map(({ keys, unique = false }) => {
    const paths = keys.map(({ path, descending }) => (descending ? "-" : "") + path);
    const field = paths.length === 1 ? fieldsByPath.get(paths[0]!) : undefined;
    const isOfField = field !== undefined && (unique ? field.unique : field.index);
    const isDeclared = declared.has(`${unique} ${paths.join()}`);
    return { paths, unique, field: isOfField ? paths[0]! : null, isDeclared };
  });
};

/** Returns the paths of fields that can have an index. */
export const indexablePaths = ({ fields }: CollectionDefinition): string[] =>
  fieldsOutsideArrays(fields)
    .filter(({ field }) => isIndexable(field))
    .map(({ path }) => path);

interface FieldAt {
  readonly path: string;
  readonly field: FieldDefinition;
}

const fieldsOutsideArrays = (fields: readonly FieldDefinition[], at = ""): FieldAt[] =>
  fields.flatMap((field) => [
    { path: at + field.key, field },
    ...fieldsOutsideArrays(field.fields ?? [], `${at}${field.key}.`),
  ]);

/** Returns the definition with a flag of a field set. An unknown path changes nothing. */
export const withFlag = (
  definition: CollectionDefinition,
  path: string,
  flag: { readonly unique: boolean } | { readonly index: boolean },
): CollectionDefinition => ({
  ...definition,
  fields: flagged(definition.fields, path.split("."), flag),
});

/** Adds an index. A single field's is a flag, which does not count towards the limit of indexes. */
export function withIndex(
  definition: CollectionDefinition,
  texts: readonly string[],
): CollectionDefinition {
  const [path] = texts;
  return texts.length === 1 && indexablePaths(definition).includes(path!)
    ? withFlag(definition, path!, { index: true })
    : { ...definition, indexes: [...definition.indexes, { fields: texts, unique: false }] };
}

const flagged = (
  fields: readonly FieldDefinition[],
  [key, ...rest]: readonly string[],
  flag: object,
): FieldDefinition[] =>
  fields.map((field) => {
    if (field.key !== key) return field;
    if (rest.length === 0) return { ...field, ...flag };
    return field.fields === undefined
      ? field
      : { ...field, fields: flagged(field.fields, rest, flag) };
  });
