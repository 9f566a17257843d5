import { compileCollection } from "@/lib/documents/collection.ts";
import { isIndexable } from "@/lib/documents/definition_indexes.ts";
import type { CollectionDefinition, FieldDefinition } from "@/lib/documents/fields.ts";

/** An index as it is kept. */
export interface ShownIndex {
  /** Paths; a `-` in front of one has it descend. */
  readonly paths: readonly string[];
  readonly unique: boolean;
  /** The path of the field that asks for it; null where none does. */
  readonly field: string | null;
  /** Whether the definition has it among its indexes; what nobody asks for the server makes. */
  readonly isDeclared: boolean;
}

export const indexesOf = (definition: CollectionDefinition): ShownIndex[] => {
  const asking = new Map(
    fieldsOutsideArrays(definition.fields).map((one) => [one.path, one.field]),
  );
  const declared = new Set(definition.indexes.map((one) => `${one.unique} ${one.fields.join()}`));
  return compileCollection(definition).records.indexes.map(({ keys, unique = false }) => {
    const paths = keys.map(({ path, descending }) => (descending ? "-" : "") + path);
    const field = paths.length === 1 ? asking.get(paths[0]!) : undefined;
    const isAsked = field !== undefined && (unique ? field.unique : field.index);
    const isDeclared = declared.has(`${unique} ${paths.join()}`);
    return { paths, unique, field: isAsked ? paths[0]! : null, isDeclared };
  });
};

/** Fields that can be asked to have an index. */
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

/** The definition with a field's flag as told; a path of no field changes nothing. */
export const withFlag = (
  definition: CollectionDefinition,
  path: string,
  flag: { readonly unique: boolean } | { readonly index: boolean },
): CollectionDefinition => ({
  ...definition,
  fields: flagged(definition.fields, path.split("."), flag),
});

/**
 * The definition with one index more; one of a single field is asked for by the field, and so none
 * of those whose number has a bound.
 */
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
