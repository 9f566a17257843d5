import { listUsers } from "@/lib/users/manage_users.ts";
import { findCollection } from "@/lib/documents/access.ts";
import type { StoredDocument } from "@/lib/documents/collection.ts";
import { listDocuments, parseDocuments } from "@/lib/documents/list_documents.ts";
import type { FieldDefinition } from "@/lib/documents/fields.ts";
import { IN_VALUES_MAX } from "@/lib/limits.ts";
import { Problem } from "@/lib/problems.ts";
import type { Id, Json } from "@/lib/store/port.ts";
import { valueAt } from "@/lib/store/shape.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { PageContext } from "../../handler.ts";
import { collectionPath } from "../collections/bar.tsx";
import { homeOf } from "../frame.ts";
import { userName } from "../users/profile.tsx";
import { type Column, isId, shorten } from "./cells.ts";
import { titleKeyOf } from "./paths.ts";
import { searchParameterOf } from "./search_box.tsx";
import { type Context, serverCaller } from "./context.ts";

export type Names = ReadonlyMap<Id, string>;

/** Maximum number of names to choose from. For larger collections the id is entered. */
const CHOICES_MAX = 50;

const NO_NAMES: Names = new Map();

/** A collection to which a reference can refer. */
export interface Target {
  readonly path: string;
  /** Names of all its documents, or null if there are more than {@linkcode CHOICES_MAX}. */
  readonly names: Names | null;
}

export type Targets = ReadonlyMap<string, Target>;

/** Loads the names of the documents to which a page refers, by collection. Users keep their ids. */
export async function loadShownNames(
  c: Context,
  columns: readonly Column[],
  documents: readonly StoredDocument[],
): Promise<ReadonlyMap<string, Names>> {
  const ids = new Map<string, Set<Id>>();
  for (const { path, ref } of columns) {
    if (ref === null || ref === "users") continue;
    let found = ids.get(ref);
    if (found === undefined) ids.set(ref, found = new Set());
    for (const id of documents.map((one) => valueAt(one, path)).filter(isId)) found.add(id);
  }
  const named = [...ids].filter(([, of]) => of.size > 0).map(async ([ref, of]) => {
    const asked = [...of].slice(0, IN_VALUES_MAX);
    const names = await loadNames(c, ref, `_id_in=${asked.join(",")}&limit=${asked.length}`);
    return [ref, names] as const;
  });
  return new Map(await Promise.all(named));
}

/** Returns the collection to which a field refers, `users` for the owner, or null. */
export const targetName = ({ key, ref }: FieldDefinition, owner: string | null): string | null =>
  ref ?? (key === owner ? "users" : null);

/** Loads the possible targets of references. @param owner Name of the owner field, or null. */
export async function loadTargets(
  c: PageContext<ProjectMember>,
  fields: readonly FieldDefinition[],
  owner: string | null,
): Promise<Targets> {
  const home = homeOf(c.var.principal.project._id);
  const refs = new Set(fields.flatMap((field) => targetName(field, owner) ?? []));
  const found = [...refs].map(async (ref) => {
    const path = ref === "users" ? `${home}/users` : collectionPath(home, ref);
    return [ref, { path, names: await loadAllNames(c, ref) }] as const;
  });
  return new Map(await Promise.all(found));
}

export interface FoundNames {
  readonly key: string;
  readonly words: string;
  readonly names: Names;
}

/** Finds the first documents that match the words, or users by e-mail. */
export async function findNames(
  c: PageContext<ProjectMember>,
  ref: string,
  words: string,
): Promise<Names> {
  const { services, principal } = c.var;
  const search = words.trim();
  try {
    if (ref === "users") {
      const asked = { limit: CHOICES_MAX, ...(search !== "" && { search }) };
      const { items } = await listUsers(services, principal.project._id, asked);
      return new Map(items.map((user) => [user._id, userName(user)]));
    }
    const parameter = searchParameterOf(await findCollection(services, serverCaller(c), ref));
    const query = new URLSearchParams({ limit: String(CHOICES_MAX) });
    if (parameter !== null && search !== "") query.append(parameter.name, search);
    return await loadNames(c, ref, query.toString());
  } catch (error) {
    if (error instanceof Problem) return NO_NAMES;
    throw error;
  }
}

async function loadAllNames(c: PageContext<ProjectMember>, ref: string): Promise<Names | null> {
  const { services, principal } = c.var;
  const limit = CHOICES_MAX + 1;
  const names = ref === "users"
    ? new Map(
      (await listUsers(services, principal.project._id, { limit })).items
        .map((user) => [user._id, userName(user)]),
    )
    : await loadNames(c, ref, `limit=${limit}`);
  return names.size > CHOICES_MAX ? null : names;
}

/** Loads names by the collection's first text field. A deleted collection does not have any. */
async function loadNames(
  c: PageContext<ProjectMember>,
  ref: string,
  query: string,
): Promise<Names> {
  const { services } = c.var;
  try {
    const { definition } = await findCollection(services, serverCaller(c), ref);
    const first = titleKeyOf(definition) ?? "_id";
    const list = await listDocuments(services, serverCaller(c), {
      collectionName: ref,
      query: `${query}&total=none&fields=${encodeURIComponent(first)}`,
    });
    const documents = await parseDocuments(list);
    return new Map(documents.map((one) => [one._id, nameOf(one, valueAt(one, first))]));
  } catch (error) {
    if (error instanceof Problem) return NO_NAMES;
    throw error;
  }
}

const nameOf = ({ _id }: StoredDocument, first: Json | undefined): string =>
  typeof first === "string" && first !== "" ? shorten(first) : _id;
