import type { Caller } from "../auth/principals.ts";
import type { QueryWarning } from "../http/respond.ts";
import { PAGE_DEFAULT } from "../limits.ts";
import { Problem } from "../problems.ts";
import { and } from "../store/filter.ts";
import type { Filter, ListQuery, Page, Position } from "../store/port.ts";
import { recordsOfTexts } from "../store/texts.ts";
import {
  type AccessServices,
  callerTag,
  findCollection,
  type ReadAccess,
  readAccess,
  requireSecretKey,
} from "./access.ts";
import { AnswerSize } from "./answer_size.ts";
import { boundedAnswer } from "./bounded_answer.ts";
import type { Collection, StoredDocument } from "./collection.ts";
import {
  type Cursor,
  type Cursors,
  digestOf,
  readCursor,
  type ScopeDigest,
} from "../paging/cursor.ts";
import { explanationOf, type ListExplanation } from "./explain_list.ts";
import type { PopulateServices } from "./populate.ts";
import { isPlain, presenter } from "./present.ts";
import { type QuestionShape, questionShape, type QuestionTotal } from "./question_shape.ts";
import { type ListRequest, parseListQuery, splitCursor } from "./query.ts";
import { stepsOf } from "./steps.ts";

/** What every list answers; of a count or an explanation without documents. */
export interface DocumentList {
  /** JSON texts of the documents, joined by commas, without brackets. */
  readonly items: string;
  /** The same texts, one by one. */
  readonly texts: readonly string[];
  /** Null when it was not asked for. */
  readonly total: number | null;
  readonly totalIsEstimate: boolean;
  /** The page of an offset list; null for a list by cursor. */
  readonly page: number | null;
  readonly cursor: string | null;
  readonly nextCursor: string | null;
  readonly prevCursor: string | null;
  readonly limit: number;
  /** Null where documents were asked for. */
  readonly count: number | null;
  /** How the list would be read; null where that was not asked for. */
  readonly explanation: ListExplanation | null;
  /** Of conditions on fields that nobody declared. */
  readonly warnings: readonly QueryWarning[];
}

/** Of a list that shows whole documents. */
export const documentsOf = ({ texts }: DocumentList): Promise<StoredDocument[]> =>
  recordsOfTexts(texts);

export interface ListServices extends PopulateServices {
  readonly cursors: Cursors;
}

/** A list as one caller may see it: everything about it but the page. */
export interface ListPlan {
  readonly source: ReadAccess;
  readonly request: ListRequest;
  /** The caller's part comes last: no parameter can widen it. */
  readonly filter: Filter;
  readonly scope: ScopeDigest;
  /** What it is counted as. */
  readonly shape: QuestionShape;
}

/** What a list is read by. */
type Reads = Pick<ReadAccess["records"], "list" | "count">;

export interface ListInput {
  readonly collectionName: string;
  readonly query: string;
  /**
   * Where the list's documents have more bytes than this, it ends before its limit, and goes on
   * behind `nextCursor`. Without it, it is refused beyond `ANSWER_BYTES_MAX`.
   */
  readonly bytesMax?: number;
}

/**
 * Lists a collection as the query text asks and the caller may see; or only counts it, or explains
 * to the secret key how it would be read. Throws `QueryTooSlow` and `ANSWER_TOO_LARGE`.
 */
export async function listDocuments(
  services: ListServices,
  caller: Caller,
  { collectionName, query, bytesMax }: ListInput,
): Promise<DocumentList> {
  const collection = await findCollection(services, caller, collectionName);
  const { rest, cursor: cursorText } = splitCursor(query);
  const plan = planList(services, caller, { collection, text: rest });
  const { source, request, filter, scope } = plan;
  if (cursorText !== null && (request.page ?? request.offset) !== null) {
    const name = request.page === null ? "offset" : "page";
    throw new Problem("INVALID_QUERY", {
      message: `"${name}" cannot be used with cursor: leave one of them out.`,
    });
  }
  const list = { records: source.records, filter, sort: request.sort };
  const cursor = cursorText === null
    ? null
    : await readCursor(services.cursors, { text: cursorText, scope, list });
  if (request.explain) {
    requireSecretKey(caller);
    const explanation = await source.records.explain(queryOf(plan, cursor));
    return {
      ...emptyList(request, cursorText),
      explanation: explanationOf(filter, request.sort, explanation),
    };
  }
  const { projectId, records } = source;
  const asked = { projectId, records, shape: plan.shape };
  const watch = <T>(read: (records: Reads) => Promise<T>): Promise<T> =>
    services.slowQuestions.watch(asked, read);
  if (request.countOnly) {
    const count = await watch((records) => records.count(filter));
    const total = request.total === "none" ? null : count;
    return { ...emptyList(request, cursorText), count, total };
  }
  const bounds = bytesMax === undefined ? {} : { bytesMax };
  const pageQuery = { ...queryOf(plan, cursor), ...bounds };
  const page = await watch<ShownPage>((records) =>
    isPlain(request)
      ? boundedAnswer(() => records.list({ ...pageQuery, onlyWhole: bytesMax === undefined }))
      : partsOf(services, caller, { plan, records, query: pageQuery })
  );
  return listOf(services, plan, { page, cursor, cursorText });
}

const emptyList = (request: ListRequest, cursorText: string | null): DocumentList => ({
  items: "",
  texts: [],
  total: null,
  totalIsEstimate: false,
  page: cursorText === null ? pageOf(request) : null,
  cursor: cursorText,
  nextCursor: null,
  prevCursor: null,
  limit: request.limit,
  count: null,
  explanation: null,
  warnings: request.warnings,
});

const passedOver = ({ page, offset, limit }: ListRequest): number =>
  offset ?? ((page ?? PAGE_DEFAULT) - 1) * limit;

const pageOf = (request: ListRequest): number =>
  Math.floor(passedOver(request) / request.limit) + 1;

/** A page, perhaps of parts of documents. */
type ShownPage = Pick<Page, "items" | "texts" | "more" | "total" | "first" | "last">;

/** Of the documents that are read at once to show parts of them. */
const STEP_BYTES = 2 * 1_048_576;

/**
 * A page of what is shown of its documents, however large they are; or, where the query bounds its
 * bytes, of as many as that.
 */
async function partsOf(
  services: ListServices,
  caller: Caller,
  { plan: { source: { collection }, request }, records, query }: {
    plan: ListPlan;
    records: Reads;
    query: ListQuery;
  },
): Promise<ShownPage> {
  const size = new AnswerSize();
  const show = await presenter(services, caller, { collection, presentation: request, size });
  const { backwards = false } = query;
  const parts: (readonly string[])[] = [];
  let [first, last]: (Page | null)[] = [null, null]; // What lies between is let go.
  for await (const page of stepsOf(records, query, query.bytesMax ?? STEP_BYTES)) {
    size.read(page.items);
    first ??= page;
    last = page;
    parts.push(await show(page.texts));
    if (query.bytesMax !== undefined) break;
  }
  const [upper, lower] = backwards ? [last!, first!] : [first!, last!];
  const texts = (backwards ? parts.reverse() : parts).flat();
  return {
    items: texts.join(","),
    texts,
    more: last!.more,
    total: first!.total,
    first: () => upper.first(),
    last: () => lower.last(),
  };
}

function listOf(
  services: ListServices,
  { request, scope }: ListPlan,
  { page, cursor, cursorText }: {
    page: ShownPage;
    cursor: Cursor | null;
    cursorText: string | null;
  },
): DocumentList {
  const { before, behind } = adjacentCursors(page, request, cursor);
  const write = (to: Cursor | null) => to === null ? null : services.cursors.write(to, scope);
  return {
    items: page.items,
    texts: page.texts,
    total: page.total,
    totalIsEstimate: request.total === "estimate",
    page: cursor === null ? pageOf(request) : null,
    cursor: cursorText,
    nextCursor: write(behind),
    prevCursor: write(before),
    limit: request.limit,
    count: null,
    explanation: null,
    warnings: request.warnings,
  };
}

const TOTALS = { exact: true, none: false, estimate: "estimate" } as const;

/** @param text The query, without a cursor. */
export function planList(
  services: AccessServices,
  caller: Caller,
  { collection, text }: { collection: Collection; text: string },
): ListPlan {
  const source = readAccess(services, caller, collection);
  const { projectId } = source;
  const request = parseListQuery(collection, text);
  const filter = and(request.filter, source.visible(request.includeDeleted));
  const { sort } = request;
  const { name } = collection.definition;
  const scope = digestOf({
    projectId,
    collection: name,
    callerTag: callerTag(caller),
    filter,
    sort,
  });
  const shape = questionShape(collection, { filter, sort, total: countedBy(request) });
  return { source, request, filter, scope, shape };
}

const countedBy = ({ countOnly, total }: ListRequest): QuestionTotal => countOnly ? "only" : total;

function queryOf({ request, filter }: ListPlan, cursor: Cursor | null): ListQuery {
  const { sort, limit } = request;
  const query = { filter, sort, limit, total: TOTALS[request.total] };
  if (cursor !== null) return { ...query, ...cursor };
  const offset = passedOver(request);
  return offset > 0 ? { ...query, offset } : query;
}

/** The cursors on either side of a page; where it was come from, the list goes on. */
function adjacentCursors(page: ShownPage, request: ListRequest, cursor: Cursor | null) {
  const before = () => cursorAt(page.first(), true);
  const behind = () => cursorAt(page.last(), false);
  if (cursor === null) {
    const isFirst = passedOver(request) === 0;
    return { before: isFirst ? null : before(), behind: page.more ? behind() : null };
  }
  return cursor.backwards
    ? { before: page.more ? before() : null, behind: behind() ?? reversed(cursor) }
    : { before: before() ?? reversed(cursor), behind: page.more ? behind() : null };
}

const cursorAt = (from: Position | null, backwards: boolean): Cursor | null =>
  from === null ? null : { from, backwards };

/** What the page held is gone: the way back begins at the very place it was come from. */
const reversed = ({ from, backwards }: Cursor): Cursor => ({
  from: { ...from, inclusive: !from.inclusive },
  backwards: !backwards,
});
