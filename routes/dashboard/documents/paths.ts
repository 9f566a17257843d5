import type { Collection } from "@/lib/documents/collection.ts";
import type {
  CollectionDefinition,
  FieldDefinition,
  ItemDefinition,
} from "@/lib/documents/fields.ts";
import { FIELD_TYPES, type FieldType, type FormInput } from "@/lib/store/field_types.ts";
import { texts } from "../texts/mod.ts";

export type { FieldType };

/** Returns the kind of input for a type, or null if any value is permitted. */
export const inputOf = (type: FieldType | null | undefined): FormInput | null =>
  type ? FIELD_TYPES[type].input : null;

export interface Path {
  readonly path: string;
  readonly type: FieldType;
  /** Type of compared values, for an array that of its elements; null if any value is permitted. */
  readonly compared: FieldType | null;
  /** Name of the collection to which the ids refer, or null. */
  readonly ref: string | null;
  /** Permitted values of a text, or null for any. */
  readonly values: readonly string[] | null;
  readonly isOwner: boolean;
  readonly isSetByServer: boolean;
}

export function typeWord({ path, type, ref, isOwner, isSetByServer: isSetByServer }: Path): string {
  const { kinds: t } = texts().documents;
  if (isOwner) return t.owner;
  if (isSetByServer && path === "_id") return t.types.Ref;
  return ref === null ? t.types[type] : t.idIn(ref);
}

const SERVER_PATHS: readonly Path[] = ([
  { path: "_id", type: "String" },
  { path: "createdAt", type: "Date" },
  { path: "updatedAt", type: "Date" },
  { path: "deletedAt", type: "Date" },
] as const).map((one) => ({
  ...one,
  compared: one.type,
  ref: null,
  values: null,
  isOwner: false,
  isSetByServer: true,
}));

/** Returns the first text field, which names documents, or null. */
export const titleKeyOf = ({ fields, rls: { ownerField } }: CollectionDefinition): string | null =>
  fields.find(({ type, key }) => FIELD_TYPES[type].isText && key !== ownerField)?.key ?? null;

/** Returns all declared paths in order, followed by those that the server sets. */
export function pathsOf(collection: Collection): ReadonlyMap<string, Path> {
  const { fields, rls } = collection.definition;
  const all = [...pathsIn(fields, "", rls.enabled ? rls.ownerField : null), ...SERVER_PATHS];
  return new Map(all.map((one) => [one.path, one]));
}

const pathsIn = (fields: readonly FieldDefinition[], at: string, owner: string | null): Path[] =>
  fields.flatMap((field) => {
    const path = at + field.key;
    const { type, ref, fields: inner = [] } = field;
    const isOwner = path === owner;
    const to = isOwner ? "users" : ref ?? null;
    const values = field.enum ?? field.items?.enum ?? null;
    return [
      { path, type, compared: comparedOf(field), ref: to, values, isOwner, isSetByServer: false },
      ...pathsIn(inner, `${path}.`, null),
    ];
  });

const comparedOf = ({ type, items }: ItemDefinition): FieldType | null =>
  FIELD_TYPES[type].holds !== "elements" ? type : items === undefined ? null : comparedOf(items);
