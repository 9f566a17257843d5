import { listUsers } from "@/lib/users/manage_users.ts";
import { findCollection } from "@/lib/documents/access.ts";
import type { StoredDocument } from "@/lib/documents/collection.ts";
import { documentsOf, listDocuments } from "@/lib/documents/list_documents.ts";
import type { FieldDefinition } from "@/lib/documents/fields.ts";
import { IN_VALUES_MAX } from "@/lib/limits.ts";
import { Problem } from "@/lib/problems.ts";
import type { Id, Json } from "@/lib/store/port.ts";
import { valueAt } from "@/lib/store/shape.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { PageContext } from "../../handler.ts";
import { collectionPath } from "../collections/bar.tsx";
import { homeOf } from "../frame.ts";
import { calledBy } from "../users/profile.tsx";
import { type Column, cut, isId } from "./cells.ts";
import { titleKeyOf } from "./paths.ts";
import { searchWayOf } from "./search_box.tsx";
import { type CollectionContext, serverOf } from "./room.ts";

/** What documents are called, by their ids. */
export type Names = ReadonlyMap<Id, string>;

/** A person chooses from no more; of a larger collection they type the id. */
const CHOICES_MAX = 50;

const NOBODY: Names = new Map();

/** A collection that a reference can lead to. */
export interface Target {
  readonly path: string;
  /** Of all that is in it; null where that is more than a person would look through. */
  readonly names: Names | null;
}

/** By the collection's name. */
export type Targets = ReadonlyMap<string, Target>;

/** What a page's references lead to, by the collection; users are told by their ids. */
export async function namesShown(
  c: CollectionContext,
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
    const names = await namesIn(c, ref, `_id_in=${asked.join(",")}&limit=${asked.length}`);
    return [ref, names] as const;
  });
  return new Map(await Promise.all(named));
}

/** Of a field what its values lead to: a collection, or users; null for neither. */
export const targetOf = ({ key, ref }: FieldDefinition, owner: string | null): string | null =>
  ref ?? (key === owner ? "users" : null);

/**
 * What the references of a form's fields can lead to, by the collection.
 *
 * @param owner The field that holds the owner; null for none.
 */
export async function targetsOf(
  c: PageContext<ProjectMember>,
  fields: readonly FieldDefinition[],
  owner: string | null,
): Promise<Targets> {
  const home = homeOf(c.var.principal.project._id);
  const refs = new Set(fields.flatMap((field) => targetOf(field, owner) ?? []));
  const found = [...refs].map(async (ref) => {
    const path = ref === "users" ? `${home}/users` : collectionPath(home, ref);
    return [ref, { path, names: await allNamesIn(c, ref) }] as const;
  });
  return new Map(await Promise.all(found));
}

/** What was looked for to fill a reference in. */
export interface Found {
  /** Of the field that it was for. */
  readonly key: string;
  readonly words: string;
  readonly names: Names;
}

/** The first that fit the words; of users their addresses are looked through. */
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
      return new Map(items.map((user) => [user._id, calledBy(user)]));
    }
    const way = searchWayOf(await findCollection(services, serverOf(c), ref));
    const query = new URLSearchParams({ limit: String(CHOICES_MAX) });
    if (way !== null && search !== "") query.append(way.name, search);
    return await namesIn(c, ref, query.toString());
  } catch (error) {
    if (error instanceof Problem) return NOBODY;
    throw error;
  }
}

async function allNamesIn(c: PageContext<ProjectMember>, ref: string): Promise<Names | null> {
  const { services, principal } = c.var;
  const limit = CHOICES_MAX + 1;
  const names = ref === "users"
    ? new Map(
      (await listUsers(services, principal.project._id, { limit })).items
        .map((user) => [user._id, calledBy(user)]),
    )
    : await namesIn(c, ref, `limit=${limit}`);
  return names.size > CHOICES_MAX ? null : names;
}

/** By the first text that the collection declares; none of a collection that is gone. */
async function namesIn(
  c: PageContext<ProjectMember>,
  ref: string,
  query: string,
): Promise<Names> {
  const { services } = c.var;
  try {
    const { definition } = await findCollection(services, serverOf(c), ref);
    const first = titleKeyOf(definition) ?? "_id";
    const list = await listDocuments(services, serverOf(c), {
      collectionName: ref,
      query: `${query}&total=none&fields=${encodeURIComponent(first)}`,
    });
    const documents = await documentsOf(list);
    return new Map(documents.map((one) => [one._id, nameOf(one, valueAt(one, first))]));
  } catch (error) {
    if (error instanceof Problem) return NOBODY;
    throw error;
  }
}

const nameOf = ({ _id }: StoredDocument, first: Json | undefined): string =>
  typeof first === "string" && first !== "" ? cut(first) : _id;
