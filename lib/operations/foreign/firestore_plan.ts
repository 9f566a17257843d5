import { parseJson } from "../../store/json_text.ts";
import { ownMember } from "../../store/shape.ts";
import type { GivenCollection, GivenField } from "./foreign_project.ts";
import { SOURCE_ID } from "./foreign_project.ts";
import { type FirestoreCollection, isDeclarable, isKeptName } from "./firestore_fields.ts";
import type { FirestoreSource } from "./firestore_source.ts";
import { isNull, type TypedFields, userIdOf } from "./firestore_values.ts";
import { collectionNames, fieldNames } from "./names.ts";
import type { Notes } from "./notes.ts";

export interface FirestorePlan {
  readonly source: FirestoreCollection;
  readonly definition: GivenCollection;
  /** Names in Corbel, by foreign name. */
  readonly names: ReadonlyMap<string, string>;
  /** Declared fields, by foreign name. */
  readonly types: ReadonlyMap<string, GivenField>;
  /** Declared fields that refer to users, by foreign name. */
  readonly users: ReadonlySet<string>;
  /** Added field with the parent document; null at the top level. */
  readonly parent: { readonly key: string; readonly isRef: boolean } | null;
  /** Added owner field if documents have the ids of their users. */
  readonly owner: string | null;
}

export function planFirestore(source: FirestoreSource, notes: Notes): FirestorePlan[] {
  const paths = [...source.collections.keys()].sort();
  const flat = new Map(paths.map((path) => [path, path.replaceAll("/", "_")]));
  const flatNames = collectionNames([...new Set(flat.values())]);
  const names = new Map<string, string>();
  for (const path of paths) {
    names.set(path, freeName(flatNames.get(flat.get(path)!)!, [...names.values()]));
  }
  for (const [path, name] of names) if (path !== name) notes.add(`${path} is called ${name}`);
  return paths.map((path) =>
    planCollection(source, source.collections.get(path)!, { names, notes })
  );
}

/** Paths such as `a/b` and `a_b` have equal names. */
function freeName(name: string, taken: readonly string[]): string {
  const lower = new Set(taken.map((one) => one.toLowerCase()));
  let own = name;
  for (let n = 2; lower.has(own.toLowerCase()); n++) own = `${name}_${n}`;
  return own;
}

function planCollection(
  source: FirestoreSource,
  collection: FirestoreCollection,
  context: { readonly names: ReadonlyMap<string, string>; readonly notes: Notes },
): FirestorePlan {
  const { notes } = context;
  const names = ownNames(collection, notes);
  const declared = new Map(
    [...collection.declared(context.names)].filter(([name]) => isDeclarable(names.get(name)!)),
  );
  const { users, isOwnedById } = findUserFields(source, collection, declared);
  const added = new AddedFieldNames(new Set(names.values()));
  const parent = collection.parent === null ? null : {
    key: added.take("parent"),
    isRef: context.names.has(collection.parent),
  };
  const owners = [...users].map((name) => names.get(name)!);
  const owner = owners.length !== 1 && isOwnedById ? added.take("ownerId") : null;
  const ownerField = owners.length === 1 ? owners[0]! : owner ?? added.take("ownerId");
  const types = new Map(
    [...declared].map(([name, type]) => [
      name,
      users.has(name) ? { type: "Ref", ref: "users" } : type,
    ]),
  );
  noteUndeclared(collection, types, notes);
  noteAccess(collection, users, {
    ownerField: owners.length === 1 || owner ? ownerField : null,
    notes,
  });
  return {
    source: collection,
    names,
    types,
    users,
    parent,
    owner,
    definition: {
      name: context.names.get(collection.path)!,
      fields: [
        { key: SOURCE_ID, type: "String", unique: true },
        ...(parent === null ? [] : [parentField(collection, parent, context.names)]),
        ...(owner === null ? [] : [{ key: owner, type: "Ref", ref: "users" }]),
        ...[...types].map(([name, type]) => ({ key: names.get(name)!, ...type })),
      ],
      rls: { enabled: true, mode: "private", ownerField },
      strict: false,
      indexes: [],
    },
  };
}

const parentField = (
  { parent }: FirestoreCollection,
  { key, isRef }: NonNullable<FirestorePlan["parent"]>,
  names: ReadonlyMap<string, string>,
): GivenField => ({
  key,
  index: true,
  ...(isRef ? { type: "Ref", ref: names.get(parent!)! } : { type: "String" }),
});

class AddedFieldNames {
  readonly #used: Set<string>;

  constructor(used: Set<string>) {
    this.#used = used;
  }

  take(name: string): string {
    let own = name;
    while (this.#used.has(own)) own += "_";
    this.#used.add(own);
    return own;
  }
}

/** Valid names stay, even if the field cannot be declared. */
function ownNames(collection: FirestoreCollection, notes: Notes): ReadonlyMap<string, string> {
  const valid = collection.names.filter(isKeptName);
  const invalid = collection.names.filter((name) => !isKeptName(name));
  const changed = fieldNames(invalid, [SOURCE_ID, ...valid]);
  for (const [name, own] of changed) notes.add(`${collection.path}.${name} is called ${own}`);
  return new Map([...valid.map((name) => [name, name] as const), ...changed]);
}

function noteAccess(
  { path }: FirestoreCollection,
  users: ReadonlySet<string>,
  { ownerField, notes }: { readonly ownerField: string | null; readonly notes: Notes },
): void {
  for (const name of users) {
    notes.add(`${path}.${name} refers to users: each of its texts was the uid of one`);
  }
  notes.add(
    `${path}: security rules were not carried over, it is private${
      ownerField === null
        ? " and its documents have no owner, so that only the secret key reads them"
        : `, and "${ownerField}" names the owner of a document`
    }`,
  );
}

function noteUndeclared(
  collection: FirestoreCollection,
  types: ReadonlyMap<string, GivenField>,
  notes: Notes,
): void {
  const { path, names } = collection;
  const others = names.filter((name) => !types.has(name));
  if (others.length > 0) {
    notes.add(
      `${path}: not declared, because values are of several types or null, or the name cannot be: ${
        others.slice(0, NOTED_NAMES_MAX).join(", ")
      }${others.length > NOTED_NAMES_MAX ? ` and ${others.length - NOTED_NAMES_MAX} more` : ""}`,
    );
  }
  if (collection.hasMore) {
    notes.add(`${path} has too many field names to examine all of them`);
  }
}

const NOTED_NAMES_MAX = 20;

interface UserFieldsFound {
  /** Declared fields with only ids of users. */
  readonly users: ReadonlySet<string>;
  readonly isOwnedById: boolean;
}

function findUserFields(
  { db, hasUsers }: FirestoreSource,
  collection: FirestoreCollection,
  declared: ReadonlyMap<string, GivenField>,
): UserFieldsFound {
  const users = new Set(
    hasUsers ? [...declared.keys()].filter((name) => declared.get(name)!.type === "String") : [],
  );
  let isOwnedById = hasUsers;
  const isUser = db.prepareGet("SELECT 1 FROM users WHERE _id = ?");
  const rows = db.rows("SELECT path, line FROM documents WHERE collection = ?", collection.path);
  for (const { path, line } of rows) {
    if (users.size === 0 && !isOwnedById) break;
    isOwnedById &&= isUser(userIdOf(lastSegment(String(path)))) !== null;
    const { fields = {} } = parseJson(String(line)) as { fields?: TypedFields };
    for (const name of users) {
      const value = ownMember(fields, name);
      if (value === undefined || isNull(value)) continue;
      // Bytes, large integers and references become strings as well, but are not ids of users.
      const uid = value.stringValue;
      if (typeof uid !== "string" || isUser(userIdOf(uid)) === null) users.delete(name);
    }
  }
  return { users, isOwnedById };
}

export const lastSegment = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
