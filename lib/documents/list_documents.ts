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
  grantRead,
  type ReadAccess,
  requireSecretKey,
} from "./access.ts";
import { AnswerSize } from "./answer_size.ts";
import { withSizeLimit } from "./bounded_answer.ts";
import type { Collection, StoredDocument } from "./collection.ts";
import {
  type Cursor,
  type Cursors,
  readCursor,
  type ScopeDigest,
  scopeDigest,
} from "../paging/cursor.ts";
import { explanationOf, type ListExplanation } from "./explain_list.ts";
import type { PopulateServices } from "./populate.ts";
import { isPlain, openPresenter } from "./present.ts";
import { type QuestionShape, questionShape, type QuestionTotal } from "./question_shape.ts";
import { type ListRequest, parseListQuery, splitCursor } from "./query.ts";
import { readInSteps } from "./steps.ts";

/** Result of a list request. `items` is empty if only a count or an explanation was requested. */
export interface DocumentList {
  /** JSON texts, joined by commas, without brackets. */
  readonly items: string;
  readonly texts: readonly string[];
  /** Null if it was not requested. */
  readonly total: number | null;
  readonly totalIsEstimate: boolean;
  /** Null for a list by cursor. */
  readonly page: number | null;
  readonly cursor: string | null;
  readonly nextCursor: string | null;
  readonly prevCursor: string | null;
  readonly limit: number;
  /** Null if documents were requested. */
  readonly count: number | null;
  /** Null if it was not requested. */
  readonly explanation: ListExplanation | null;
  readonly warnings: readonly QueryWarning[];
}

/** Parses the documents of a list that was requested without a projection. */
export const parseDocuments = ({ texts }: DocumentList): Promise<StoredDocument[]> =>
  recordsOfTexts(texts);

export interface ListServices extends PopulateServices {
  readonly cursors: Cursors;
}

/** A list as the caller may see it, without the position of the page. */
export interface ListPlan {
  readonly source: ReadAccess;
  readonly request: ListRequest;
  /** Conditions of the query and, last, row-level security, which no parameter can widen. */
  readonly filter: Filter;
  readonly scope: ScopeDigest;
  /** Shape under which the cost of the list is counted. */
  readonly shape: QuestionShape;
}

type RecordReads = Pick<ReadAccess["records"], "list" | "count">;

export interface ListInput {
  readonly collectionName: string;
  readonly query: string;
  /** Ends the page early. If left out, a page of more than `ANSWER_BYTES_MAX` is rejected. */
  readonly bytesMax?: number;
}

/** Lists, counts or explains, as the query says. Throws `QueryTooSlow` and `ANSWER_TOO_LARGE`. */
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
    const explanation = await source.records.explain(toListQuery(plan, cursor));
    return {
      ...emptyList(request, cursorText),
      explanation: explanationOf(filter, request.sort, explanation),
    };
  }
  const { projectId, records } = source;
  const question = { projectId, records, shape: plan.shape };
  const watch = <T>(read: (records: RecordReads) => Promise<T>): Promise<T> =>
    services.slowQuestions.watch(question, read);
  if (request.countOnly) {
    const count = await watch((records) => records.count(filter));
    const total = request.total === "none" ? null : count;
    return { ...emptyList(request, cursorText), count, total };
  }
  const bounds = bytesMax === undefined ? {} : { bytesMax };
  const pageQuery = { ...toListQuery(plan, cursor), ...bounds };
  const page = await watch<ListedPage>((records) =>
    isPlain(request)
      ? withSizeLimit(() => records.list({ ...pageQuery, mustBeComplete: bytesMax === undefined }))
      : readPresentedPage(services, caller, { plan, records, query: pageQuery })
  );
  return toDocumentList(services, plan, { page, cursor, cursorText });
}

const emptyList = (request: ListRequest, cursorText: string | null): DocumentList => ({
  items: "",
  texts: [],
  total: null,
  totalIsEstimate: false,
  page: cursorText === null ? pageNumber(request) : null,
  cursor: cursorText,
  nextCursor: null,
  prevCursor: null,
  limit: request.limit,
  count: null,
  explanation: null,
  warnings: request.warnings,
});

const skippedCount = ({ page, offset, limit }: ListRequest): number =>
  offset ?? ((page ?? PAGE_DEFAULT) - 1) * limit;

const pageNumber = (request: ListRequest): number =>
  Math.floor(skippedCount(request) / request.limit) + 1;

type ListedPage = Pick<Page, "items" | "texts" | "more" | "total" | "first" | "last">;

const STEP_BYTES = 2 * 1_048_576;

/** Reads in steps, because stored documents may be much larger; just one if `bytesMax` is given. */
async function readPresentedPage(
  services: ListServices,
  caller: Caller,
  { plan: { source: { collection }, request }, records, query }: {
    plan: ListPlan;
    records: RecordReads;
    query: ListQuery;
  },
): Promise<ListedPage> {
  const size = new AnswerSize();
  const show = await openPresenter(services, caller, { collection, presentation: request, size });
  const { backwards = false } = query;
  const parts: (readonly string[])[] = [];
  // Keeps only the first and the last page, so that the pages between them can be freed.
  let [first, last]: (Page | null)[] = [null, null];
  for await (const page of readInSteps(records, query, query.bytesMax ?? STEP_BYTES)) {
    size.addRead(page.items);
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

function toDocumentList(
  services: ListServices,
  { request, scope }: ListPlan,
  { page, cursor, cursorText }: {
    page: ListedPage;
    cursor: Cursor | null;
    cursorText: string | null;
  },
): DocumentList {
  const { before, after } = adjacentCursors(page, request, cursor);
  const write = (to: Cursor | null) => to === null ? null : services.cursors.write(to, scope);
  return {
    items: page.items,
    texts: page.texts,
    total: page.total,
    totalIsEstimate: request.total === "estimate",
    page: cursor === null ? pageNumber(request) : null,
    cursor: cursorText,
    nextCursor: write(after),
    prevCursor: write(before),
    limit: request.limit,
    count: null,
    explanation: null,
    warnings: request.warnings,
  };
}

const TOTALS = { exact: true, none: false, estimate: "estimate" } as const;

/** Throws `INVALID_QUERY`. @param text The query, without a cursor. */
export function planList(
  services: AccessServices,
  caller: Caller,
  { collection, text }: { collection: Collection; text: string },
): ListPlan {
  const source = grantRead(services, caller, collection);
  const { projectId } = source;
  const request = parseListQuery(collection, text);
  const filter = and(request.filter, source.visible(request.includeDeleted));
  const { sort } = request;
  const { name } = collection.definition;
  const scope = scopeDigest({
    projectId,
    collection: name,
    callerTag: callerTag(caller),
    filter,
    sort,
  });
  const shape = questionShape(collection, { filter, sort, total: askedTotal(request) });
  return { source, request, filter, scope, shape };
}

const askedTotal = ({ countOnly, total }: ListRequest): QuestionTotal => countOnly ? "only" : total;

function toListQuery({ request, filter }: ListPlan, cursor: Cursor | null): ListQuery {
  const { sort, limit } = request;
  const query = { filter, sort, limit, total: TOTALS[request.total] };
  if (cursor !== null) return { ...query, ...cursor };
  const offset = skippedCount(request);
  return offset > 0 ? { ...query, offset } : query;
}

/** The side from which the page was reached always has a cursor. */
function adjacentCursors(page: ListedPage, request: ListRequest, cursor: Cursor | null) {
  const before = () => cursorAt(page.first(), true);
  const after = () => cursorAt(page.last(), false);
  if (cursor === null) {
    const isFirst = skippedCount(request) === 0;
    return { before: isFirst ? null : before(), after: page.more ? after() : null };
  }
  return cursor.backwards
    ? { before: page.more ? before() : null, after: after() ?? reverseCursor(cursor) }
    : { before: before() ?? reverseCursor(cursor), after: page.more ? after() : null };
}

const cursorAt = (from: Position | null, backwards: boolean): Cursor | null =>
  from === null ? null : { from, backwards };

/** Leads back from an empty page, whose documents are gone, to a cursor's position. */
const reverseCursor = ({ from, backwards }: Cursor): Cursor => ({
  from: { ...from, inclusive: !from.inclusive },
  backwards: !backwards,
});
