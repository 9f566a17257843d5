import type { Collection } from "@/lib/documents/collection.ts";
import type {
  CollectionDefinition,
  FieldDefinition,
  ItemDefinition,
} from "@/lib/documents/fields.ts";
import { texts } from "../texts/mod.ts";

export type FieldType = ItemDefinition["type"];

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

const server = (path: string, type: FieldType): Path => ({
  path,
  type,
  compared: type,
  ref: null,
  values: null,
  isOwner: false,
  isServers: true,
});

const SERVERS: readonly Path[] = [
  server("_id", "String"),
  server("createdAt", "Date"),
  server("updatedAt", "Date"),
  server("deletedAt", "Date"),
];

/** The field that documents are called by: the first text; null where none is declared. */
export const titleKeyOf = ({ fields, rls: { ownerField } }: CollectionDefinition): string | null =>
  fields.find(({ type, key }) => type === "String" && key !== ownerField)?.key ?? null;

/** Made once for a compiled definition. */
const known = new WeakMap<Collection, ReadonlyMap<string, Path>>();

/** All that is declared, in its order, then what the server sets. */
export function pathsOf(collection: Collection): ReadonlyMap<string, Path> {
  let paths = known.get(collection);
  if (paths === undefined) {
    const { fields, rls } = collection.definition;
    const all = [...declared(fields, "", rls.enabled ? rls.ownerField : null), ...SERVERS];
    known.set(collection, paths = new Map(all.map((one) => [one.path, one])));
  }
  return paths;
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
  type !== "Array" ? type : items === undefined ? null : comparedOf(items);
