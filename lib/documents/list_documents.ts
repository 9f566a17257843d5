import type { Caller } from "../auth/principals.ts";
import { and } from "../store/filter.ts";
import type { Filter, Page, Position } from "../store/port.ts";
import { type AccessServices, openForReading, type Readable } from "./access.ts";
import type { Cursor, Cursors, CursorScope } from "./cursor.ts";
import { present } from "./present.ts";
import { type ListRequest, parseListQuery } from "./query.ts";

export interface DocumentList {
  /** JSON texts of the documents, joined by commas, without brackets. */
  readonly items: string;
  /** Null when it was not asked for. */
  readonly total: number | null;
  readonly totalIsEstimate: boolean;
  /** The page of an offset list; null for a list by cursor. */
  readonly page: number | null;
  readonly cursor: string | null;
  readonly nextCursor: string | null;
  readonly prevCursor: string | null;
  readonly limit: number;
}

export interface ListServices extends AccessServices {
  readonly cursors: Cursors;
}

/** Lists a collection as the query text asks and the caller may see; or only counts it. */
export async function listDocuments(
  services: ListServices,
  caller: Caller,
  { collectionName, query }: { collectionName: string; query: string },
): Promise<DocumentList | { readonly count: number }> {
  const source = await openForReading(services, caller, collectionName);
  const request = parseListQuery(source.collection, query);
  // The caller's part comes last: no parameter can widen it.
  const filter = and(request.filter, source.visible(request.includeDeleted));
  if (request.countOnly) return { count: await source.records.count(filter) };
  const scope: CursorScope = {
    projectId: source.projectId,
    collection: source.collection.definition.name,
    callerTag: source.callerTag,
    filter,
    sort: request.sort,
  };
  const cursor = request.cursor === null ? null : services.cursors.read(request.cursor, scope);
  const [page, total] = await Promise.all([
    readPage(source, request, filter, cursor),
    request.total === "none" ? null : source.records.count(filter),
  ]);
  const write = (from: Position | null, backwards: boolean) =>
    from === null ? null : services.cursors.write({ from, backwards }, scope);
  const { before, behind } = neighbours(page, request, cursor);
  return {
    items: await present(services, caller, source, page.items, request),
    total,
    totalIsEstimate: request.total === "estimate",
    page: cursor === null ? request.page : null,
    cursor: request.cursor,
    nextCursor: behind ? write(page.last(), false) : null,
    prevCursor: before ? write(page.first(), true) : null,
    limit: request.limit,
  };
}

function readPage(
  { records }: Readable,
  { sort, limit, page }: ListRequest,
  filter: Filter,
  cursor: Cursor | null,
): Promise<Page> {
  if (cursor !== null) return records.list({ filter, sort, limit, ...cursor });
  return records.list({ filter, sort, limit, offset: (page - 1) * limit });
}

/** Whether the list goes on on either side of a page; where it was come from, it does. */
function neighbours(page: Page, request: ListRequest, cursor: Cursor | null) {
  if (cursor === null) return { before: request.page > 1, behind: page.more };
  return cursor.backwards
    ? { before: page.more, behind: true }
    : { before: true, behind: page.more };
}
