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
import { calledBy } from "../users/profile.tsx";
import { type Column, cut, isId } from "./cells.tsx";
import { titleKeyOf } from "./paths.ts";
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

/** What the references of a form's fields can lead to, by the collection. */
export async function targetsOf(
  c: PageContext<ProjectMember>,
  home: string,
  fields: readonly FieldDefinition[],
): Promise<Targets> {
  const refs = new Set(fields.flatMap(({ ref }) => ref ?? []));
  const found = [...refs].map(async (ref) => {
    const path = ref === "users" ? `${home}/users` : collectionPath(home, ref);
    return [ref, { path, names: await allNamesIn(c, ref) }] as const;
  });
  return new Map(await Promise.all(found));
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
      query: `${query}&total=none`,
    });
    const documents = documentsOf(list);
    return new Map(documents.map((one) => [one._id, nameOf(one, valueAt(one, first))]));
  } catch (error) {
    if (error instanceof Problem) return NOBODY;
    throw error;
  }
}

const nameOf = ({ _id }: StoredDocument, first: Json | undefined): string =>
  typeof first === "string" && first !== "" ? cut(first) : _id;
