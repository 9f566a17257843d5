import { parseJson } from "../../store/json_text.ts";
import { own } from "../../store/shape.ts";
import type { GivenCollection, GivenField } from "./foreign_project.ts";
import { SOURCE_ID } from "./foreign_project.ts";
import { type FirestoreCollection, isDeclarable, isKeptName } from "./firestore_fields.ts";
import type { FirestoreSource } from "./firestore_source.ts";
import { isNull, type TypedFields, userIdOf } from "./firestore_values.ts";
import { collectionNames, fieldNames } from "./names.ts";
import type { Notes } from "./notes.ts";

/** What becomes of a collection. */
export interface FirestorePlan {
  readonly source: FirestoreCollection;
  readonly definition: GivenCollection;
  /** By foreign name, what a field is called here. */
  readonly names: ReadonlyMap<string, string>;
  /** What is declared, by foreign name. */
  readonly types: ReadonlyMap<string, GivenField>;
  /** Declared fields that refer to users, by foreign name. */
  readonly users: ReadonlySet<string>;
  /** The field that names the document which these lie below; null at the top. */
  readonly parent: { readonly key: string; readonly isRef: boolean } | null;
  /** The field of the owner where documents have the ids of their users; null where they have not. */
  readonly owner: string | null;
}

/** What becomes of each collection. What does not fit is told. */
export function planFirestore(source: FirestoreSource, notes: Notes): FirestorePlan[] {
  const paths = [...source.collections.keys()].sort();
  const flat = new Map(paths.map((path) => [path, path.replaceAll("/", "_")]));
  const flatNames = collectionNames([...new Set(flat.values())]);
  const names = new Map<string, string>();
  for (const path of paths) {
    names.set(path, freeName(flatNames.get(flat.get(path)!)!, [...names.values()]));
  }
  for (const [path, name] of names) if (path !== name) notes.say(`${path} is called ${name}`);
  return paths.map((path) => planOf(source, source.collections.get(path)!, { names, notes }));
}

/** Paths that differ only in what stands between their parts. */
function freeName(name: string, taken: readonly string[]): string {
  const lower = new Set(taken.map((one) => one.toLowerCase()));
  let own = name;
  for (let n = 2; lower.has(own.toLowerCase()); n++) own = `${name}_${n}`;
  return own;
}

function planOf(
  source: FirestoreSource,
  collection: FirestoreCollection,
  context: { readonly names: ReadonlyMap<string, string>; readonly notes: Notes },
): FirestorePlan {
  const { notes } = context;
  const names = ownNames(collection, notes);
  const declared = new Map(
    [...collection.declared(context.names)].filter(([name]) => isDeclarable(names.get(name)!)),
  );
  const { users, isOwnedById } = usersIn(source, collection, declared);
  const added = new Added(new Set(names.values()));
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
  tell(collection, types, notes);
  tellAccess(collection, users, {
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

/** Names of fields that there are besides the source's own. */
class Added {
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

/** Names that may be kept are; those that would be only undeclared stay as well. */
function ownNames(collection: FirestoreCollection, notes: Notes): ReadonlyMap<string, string> {
  const kept = collection.names.filter(isKeptName);
  const others = collection.names.filter((name) => !isKeptName(name));
  const changed = fieldNames(others, [SOURCE_ID, ...kept]);
  for (const [name, own] of changed) notes.say(`${collection.path}.${name} is called ${own}`);
  return new Map([...kept.map((name) => [name, name] as const), ...changed]);
}

function tellAccess(
  { path }: FirestoreCollection,
  users: ReadonlySet<string>,
  { ownerField, notes }: { readonly ownerField: string | null; readonly notes: Notes },
): void {
  for (const name of users) {
    notes.say(`${path}.${name} refers to users: each of its texts was the uid of one`);
  }
  notes.say(
    `${path}: security rules hold no more, it is private${
      ownerField === null
        ? " and nobody owns its documents, so that only the secret key reads them"
        : `, and documents belong to whom "${ownerField}" names`
    }`,
  );
}

function tell(
  collection: FirestoreCollection,
  types: ReadonlyMap<string, GivenField>,
  notes: Notes,
): void {
  const { path, names } = collection;
  const others = names.filter((name) => !types.has(name));
  if (others.length > 0) {
    notes.say(
      `${path}: not declared, because values are of several types or null, or the name cannot be: ${
        others.slice(0, NAMES_TOLD_MAX).join(", ")
      }${others.length > NAMES_TOLD_MAX ? ` and ${others.length - NAMES_TOLD_MAX} more` : ""}`,
    );
  }
  if (collection.hasMore) {
    notes.say(`${path} has fields of so many names that not all were looked at`);
  }
}

const NAMES_TOLD_MAX = 20;

interface UsersIn {
  /** Declared fields of which every value is a string with the id of a user. */
  readonly users: ReadonlySet<string>;
  /** Whether every document has the id of one. */
  readonly isOwnedById: boolean;
}

/** Finds the ids of users: applications keep them as strings, and documents of users under their ids. */
function usersIn(
  { db, hasUsers }: FirestoreSource,
  collection: FirestoreCollection,
  declared: ReadonlyMap<string, GivenField>,
): UsersIn {
  const users = new Set(
    hasUsers ? [...declared.keys()].filter((name) => declared.get(name)!.type === "String") : [],
  );
  let isOwnedById = hasUsers;
  const isUser = db.finder("SELECT 1 FROM users WHERE _id = ?");
  const rows = db.rows("SELECT path, line FROM documents WHERE collection = ?", collection.path);
  for (const { path, line } of rows) {
    if (users.size === 0 && !isOwnedById) break;
    isOwnedById &&= isUser(userIdOf(lastOf(String(path)))) !== null;
    const { fields = {} } = parseJson(String(line)) as { fields?: TypedFields };
    for (const name of users) {
      const value = own(fields, name);
      if (value === undefined || isNull(value)) continue;
      // Bytes, large integers and references are strings here, too, and no ids of users.
      const uid = value.stringValue;
      if (typeof uid !== "string" || isUser(userIdOf(uid)) === null) users.delete(name);
    }
  }
  return { users, isOwnedById };
}

export const lastOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
