import { z } from "zod";
import { type Clock, timestamp } from "../clock.ts";
import {
  PATH_LENGTH_MAX,
  VIEW_COLUMNS_MAX,
  VIEW_NAME_LENGTH_MAX,
  VIEW_QUERY_LENGTH_MAX,
  VIEWS_MAX,
} from "../limits.ts";
import { Problem } from "../problems.ts";
import { UniqueViolation } from "../store/errors.ts";
import { eq } from "../store/filter.ts";
import type { Engine, Id, Snapshot, Stored } from "../store/port.ts";
import { collectionOf, type CollectionRecord, COLLECTIONS } from "./catalog.ts";
import type { Scope } from "./file_references.ts";
import { parseListQuery } from "./query.ts";
import { findRecord } from "./redefine.ts";
import { field, recordKind, type RecordOf } from "../store/record_kind.ts";

/** A saved list query. */
export interface View {
  readonly name: string;
  /** Query string of a list, without a position. */
  readonly query: string;
  /** Paths of the dashboard's columns; null for the default. */
  readonly columns: readonly string[] | null;
}

type StoredView = { name: string; query: string; columns: string[] | null };

/** Views of a collection, stored under the id of the definition's record. */
export const VIEWS = recordKind({
  name: "_views",
  fields: {
    updatedAt: field.date,
    views: field.undeclared<StoredView[]>(),
  },
  indexes: [],
  trash: false,
});

type ViewsRecord = RecordOf<typeof VIEWS>;

interface ViewServices {
  readonly engine: Engine;
}

/** Control characters and separators of paths. */
const FORBIDDEN = "\\u0000-\\u001f\\u007f-\\u009f/\\\\";
const AT_ENDS = `[^\\s${FORBIDDEN}]`;

/** Names of views are parts of URLs. */
export const VIEW_NAME_PATTERN = `^(?!\\.+$)${AT_ENDS}([^${FORBIDDEN}]*${AT_ENDS})?$`;

const VIEW_NAME = new RegExp(VIEW_NAME_PATTERN, "u");

const isViewName = (text: string): boolean =>
  text.length <= VIEW_NAME_LENGTH_MAX && VIEW_NAME.test(text) && text.isWellFormed();

const NAME_RULE = `A view's name has 1 to ${VIEW_NAME_LENGTH_MAX} characters, no slash or ` +
  "backslash, no space at its ends, and does not consist of dots only.";

export function checkedViewName(text: string): string {
  if (isViewName(text)) return text;
  throw new Problem("INVALID_INPUT", { message: NAME_RULE });
}

export const VIEW_MEMBERS = {
  name: z.string().refine(isViewName, NAME_RULE),
  query: z.string().max(VIEW_QUERY_LENGTH_MAX),
  columns: z.array(z.string().min(1).max(PATH_LENGTH_MAX)).max(VIEW_COLUMNS_MAX).nullable(),
};

/** Returns views ordered by name. Throws `COLLECTION_NOT_FOUND`. */
export async function listViews(
  { engine }: ViewServices,
  projectId: Id,
  collectionName: string,
): Promise<readonly View[]> {
  const scope: Scope = { records: (...given) => engine.records(projectId, ...given) };
  return (await openViews(scope, collectionName)).views;
}

interface OpenedViews {
  readonly collection: Stored<CollectionRecord>;
  readonly views: StoredView[];
}

async function openViews(scope: Scope, collectionName: string): Promise<OpenedViews> {
  const records = scope.records<CollectionRecord>(COLLECTIONS);
  const collection = await findRecord(records, collectionName);
  const found = await scope.records<ViewsRecord>(VIEWS).get(collection.value._id);
  return { collection, views: found?.value.views ?? [] };
}

/** Throws `COLLECTION_NOT_FOUND`, `VIEW_LIMIT_REACHED` and the problems of an invalid query. */
export async function saveView(
  services: ViewServices & { readonly clock: Clock },
  projectId: Id,
  { collectionName, name, query, columns }: View & { readonly collectionName: string },
): Promise<View> {
  const view = storedView({ name, query, columns });
  await changeViews(services, { projectId, collectionName }, ({ collection, views }) => {
    checkQuery(collection, query);
    const others = views.filter((one) => one.name !== name);
    if (others.length >= VIEWS_MAX) throw new Problem("VIEW_LIMIT_REACHED");
    return [...others, view].sort((a, b) => a.name < b.name ? -1 : 1);
  });
  return view;
}

/** Throws `COLLECTION_NOT_FOUND` and `VIEW_NOT_FOUND`. */
export async function deleteView(
  services: ViewServices & { readonly clock: Clock },
  projectId: Id,
  { collectionName, name }: { readonly collectionName: string; readonly name: string },
): Promise<void> {
  await changeViews(services, { projectId, collectionName }, ({ views }) => {
    const left = views.filter((one) => one.name !== name);
    if (left.length === views.length) throw new Problem("VIEW_NOT_FOUND");
    return left;
  });
}

/** Returns views by collection name. */
export async function readAllViews(
  snapshot: Snapshot,
  collections: readonly Pick<CollectionRecord, "_id" | "name">[],
): Promise<Readonly<Record<string, readonly View[]>>> {
  const names = new Map(collections.map(({ _id, name }) => [_id, name]));
  const saved: Record<string, readonly View[]> = {};
  for await (const page of snapshot.pages<ViewsRecord>(VIEWS)) {
    for (const { value: { _id, views } } of page) {
      const name = names.get(_id);
      if (name !== undefined && views.length > 0) saved[name] = views;
    }
  }
  return saved;
}

/** Replaces all views without checking their queries. Throws `COLLECTION_NOT_FOUND`. */
export const restoreViews = (
  services: ViewServices & { readonly clock: Clock },
  projectId: Id,
  collectionName: string,
  views: readonly View[],
): Promise<void> =>
  changeViews(services, { projectId, collectionName }, () => views.map(storedView));

const storedView = ({ name, query, columns }: View): StoredView => ({
  name,
  query,
  columns: columns && [...columns],
});

/** A view must not have these, because positions do not stay valid. */
const PAGE_PARAMETERS: readonly string[] = ["cursor", "page", "offset"];

function checkQuery(collection: Stored<CollectionRecord>, query: string): void {
  const parameters = new URLSearchParams(query);
  const page = PAGE_PARAMETERS.find((name) => parameters.has(name));
  if (page !== undefined) {
    const message = `A view begins at its first page: leave "${page}" out.`;
    throw new Problem("INVALID_QUERY", { message });
  }
  parseListQuery(collectionOf(collection), query);
}

/** Uses a transaction, so that concurrent changes are not lost. */
async function changeViews(
  { engine, clock }: ViewServices & { readonly clock: Clock },
  { projectId, collectionName }: { readonly projectId: Id; readonly collectionName: string },
  change: (opened: OpenedViews) => StoredView[],
): Promise<void> {
  const write = () =>
    engine.transaction(projectId, async (tx) => {
      const opened = await openViews(tx, collectionName);
      const { _id } = opened.collection.value;
      const values = { views: change(opened), updatedAt: timestamp(clock) };
      await tx.records<ViewsRecord>(VIEWS)
        .upsert(eq("_id", _id), { set: values }, { _id, ...values });
    });
  try {
    await write();
  } catch (error) {
    // A concurrent request has created the record.
    if (!(error instanceof UniqueViolation)) throw error;
    await write();
  }
}
