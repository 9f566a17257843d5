import type { Collection } from "@/lib/documents/collection.ts";
import type {
  CollectionDefinition,
  FieldDefinition,
  ItemDefinition,
} from "@/lib/documents/fields.ts";
import { FIELD_TYPES, type FieldType, type FormInput } from "@/lib/store/field_types.ts";
import { texts } from "../texts/mod.ts";

export type { FieldType };

/** How forms take in a value of the type; null where anything may be there. */
export const inputOf = (type: FieldType | null | undefined): FormInput | null =>
  type ? FIELD_TYPES[type].input : null;

/** A place in the documents that a column or a filter can be about. */
export interface Path {
  readonly path: string;
  readonly type: FieldType;
  /** The type of what is compared: of an array its elements'; null where anything may be there. */
  readonly compared: FieldType | null;
  /** The collection that ids there lead to; null for none. */
  readonly ref: string | null;
  /** The only values that a text there can have; null for any. */
  readonly values: readonly string[] | null;
  /** Whether it holds the owner of its document. */
  readonly isOwner: boolean;
  readonly isServers: boolean;
}

/** What people call what may be there. */
export function wordOf({ path, type, ref, isOwner, isServers }: Path): string {
  const { kinds: t } = texts().documents;
  if (isOwner) return t.owner;
  if (isServers && path === "_id") return t.types.Ref;
  return ref === null ? t.types[type] : t.idIn(ref);
}

const SERVERS: readonly Path[] = ([
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
  isServers: true,
}));

/** The field that documents are called by: the first text; null where none is declared. */
export const titleKeyOf = ({ fields, rls: { ownerField } }: CollectionDefinition): string | null =>
  fields.find(({ type, key }) => FIELD_TYPES[type].isText && key !== ownerField)?.key ?? null;

/** All that is declared, in its order, then what the server sets. */
export function pathsOf(collection: Collection): ReadonlyMap<string, Path> {
  const { fields, rls } = collection.definition;
  const all = [...declared(fields, "", rls.enabled ? rls.ownerField : null), ...SERVERS];
  return new Map(all.map((one) => [one.path, one]));
}

const declared = (fields: readonly FieldDefinition[], at: string, owner: string | null): Path[] =>
  fields.flatMap((field) => {
    const path = at + field.key;
    const { type, ref, fields: inner = [] } = field;
    const isOwner = path === owner;
    const to = isOwner ? "users" : ref ?? null;
    const values = field.enum ?? field.items?.enum ?? null;
    return [
      { path, type, compared: comparedOf(field), ref: to, values, isOwner, isServers: false },
      ...declared(inner, `${path}.`, null),
    ];
  });

const comparedOf = ({ type, items }: ItemDefinition): FieldType | null =>
  FIELD_TYPES[type].holds !== "elements" ? type : items === undefined ? null : comparedOf(items);
