import { isReserved, OFFSET_NAMES } from "@/lib/documents/reserved_parameters.ts";
import { refuseLongQuery } from "@/lib/http/query_size.ts";
import {
  COLUMNS_MAX,
  GRID_ROWS_MAX,
  LIST_LIMIT_MAX,
  QUERY_LENGTH_MAX,
  TRASH_MS,
} from "@/lib/limits.ts";
import { LIST_ONLY_PARAMETERS } from "@/lib/operations/export_documents.ts";
import { Problem } from "@/lib/problems.ts";
import { texts } from "../texts/mod.ts";

/** Default number of rows of a page. */
export const ROWS = 25;

type QueryEntry = readonly [string, string];

/** State of a grid's address: the list's query as applications send it, and page parameters. */
export interface View {
  readonly path: string;
  readonly entries: readonly QueryEntry[];
  /** Paths of the chosen columns, or null for the default columns. */
  readonly columns: readonly string[] | null;
  /** Number of the first row in the list, from 1, or null if unknown. */
  readonly from: number | null;
  /** Index of the entry that the filter form edits, or null. */
  readonly editing: number | null;
  /** Field for which the filter form is open, or null. */
  readonly field: string | null;
  /** Word that selects the success note, or null. */
  readonly done: string | null;
  /** Id of the last event that the grid has received. */
  readonly after: string | null;
}

/** Parameters of the page. Names of list parameters never start with a dot. */
const PARAM = {
  columns: ".columns",
  from: ".from",
  edit: ".edit",
  field: ".field",
  done: ".done",
  after: ".after",
} as const;

/** Parameters that make the list operation return something other than a list. */
const NON_LIST: readonly string[] = ["count", "explain"];
const PAGING: readonly string[] = ["cursor", "page", ...OFFSET_NAMES];

/** Whether the entries select another page than the first one. */
const isLaterPage = (entries: readonly QueryEntry[]): boolean =>
  entries.some(([name]) => PAGING.includes(name));

/** Throws `INVALID_QUERY`, or `QUERY_TOO_LONG` if the query or a link with the view is too long. */
export function readView(path: string, text: string): View {
  refuseLongQuery(text);
  const view = parseView(path, text);
  if (viewText(view).length > QUERY_LENGTH_MAX) throw new Problem("QUERY_TOO_LONG");
  return view;
}

function parseView(path: string, text: string): View {
  const given = [...new URLSearchParams(text)];
  const own = new Map(given.filter(([name]) => name.startsWith(".")));
  const readNumber = (name: string) => {
    const value = own.get(name);
    return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : null;
  };
  const entries = given.filter(([name]) => !name.startsWith(".") && !NON_LIST.includes(name))
    .map(([name, value]) => [name, name === "limit" ? limitRows(value) : value] as const);
  return {
    path,
    entries,
    columns: parseColumns(own.get(PARAM.columns)),
    from: isLaterPage(entries) ? readNumber(PARAM.from) : 1,
    editing: readNumber(PARAM.edit),
    field: own.get(PARAM.field) ?? null,
    done: own.get(PARAM.done) ?? null,
    after: own.get(PARAM.after) ?? null,
  };
}

/** Limits the rows of a page to fewer than a list may have. The list refuses invalid numbers. */
const limitRows = (limit: string): string =>
  /^\d{1,9}$/.test(limit) && Number(limit) > GRID_ROWS_MAX && Number(limit) <= LIST_LIMIT_MAX
    ? String(GRID_ROWS_MAX)
    : limit;

function parseColumns(text: string | undefined): readonly string[] | null {
  if (text === undefined) return null;
  const columns = new Set(text.split(","));
  columns.delete("");
  if (columns.size <= COLUMNS_MAX) return [...columns];
  throw new Problem("INVALID_QUERY", {
    message: texts().documents.tools.columns.tooMany(columns.size, COLUMNS_MAX),
  });
}

/** Returns the entries form-encoded. `URLSearchParams` would be as slow as rendering all rows. */
const queryText = (entries: readonly QueryEntry[]): string =>
  entries.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&");

const encode = (text: string): string =>
  /^[\w.-]*$/.test(text) ? text : new URLSearchParams([[text, ""]]).toString().slice(0, -1);

/** Returns the query of the list operation, as an application would send it. */
export const listQuery = ({ entries }: View): string =>
  queryText(hasParameter(entries, "limit") ? entries : [...entries, ["limit", String(ROWS)]]);

/** Returns the query of an export of all pages. */
export const exportQuery = ({ entries }: View): string =>
  queryText(
    entries.filter(([name]) => !PAGING.includes(name) && !LIST_ONLY_PARAMETERS.includes(name)),
  );

/** Parameters that select the page and its representation, as opposed to filters. */
const DISPLAY_PARAMETERS: readonly string[] = [
  ...PAGING,
  ...["sort", "limit", "fields", "populate", "expand", "meta", "total", "snapshot"],
];
/** Parameters of a grid's live list, which needs only the ids of changed documents. */
const IDS: readonly QueryEntry[] = [["fields", "_id"], ["total", "none"], ["snapshot", "false"]];

const filterEntries = ({ entries }: View): readonly QueryEntry[] =>
  entries.filter(([name]) => !DISPLAY_PARAMETERS.includes(name));

/** Returns the query of the live list of all documents that match the filters. */
export const liveQuery = (view: View): string => queryText([...filterEntries(view), ...IDS]);

/** Returns the address of the changes after the event `after`. */
export const livePath = (view: View, after: string): string =>
  `${view.path}/documents/live?${queryText([...filterEntries(view), [PARAM.after, after]])}`;

const hasParameter = (entries: readonly QueryEntry[], name: string): boolean =>
  entries.some(([other]) => other === name);

export const parameterOf = ({ entries }: View, name: string): string | null =>
  entries.find(([other]) => other === name)?.[1] ?? null;

/** Returns the first page of the list, optionally with other parameters. */
export const toFirstPage = (view: View, entries: readonly QueryEntry[] = view.entries): View => ({
  ...view,
  entries: entries.filter(([name]) => !PAGING.includes(name)),
  from: null,
});

/** Sets a parameter in its place or at the end, or removes it if the value is null. */
export function withParameter(view: View, name: string, value: string | null): View {
  const at = view.entries.findIndex(([other]) => other === name);
  const kept = view.entries.filter(([other], i) => other !== name || i === at);
  if (value === null) return toFirstPage(view, kept.filter(([other]) => other !== name));
  if (at < 0) return toFirstPage(view, [...kept, [name, value]]);
  return toFirstPage(view, kept.map((one) => one[0] === name ? [name, value] : one));
}

/** Returns the page at a cursor. @param from Number of its first row, or null if unknown. */
export const toPage = (view: View, cursor: string, from: number | null): View => ({
  ...toFirstPage(view),
  entries: [...toFirstPage(view).entries, ["cursor", cursor]],
  from,
});

export const isTrash = (view: View): boolean =>
  parameterOf(view, "isDeleted") === "true" && parameterOf(view, "include_deleted") === "true";

export const TRASH_DAYS = TRASH_MS / 86_400_000;

export const toTrash = (view: View): View =>
  toFirstPage(view, [["isDeleted", "true"], ["include_deleted", "true"], ["sort", "-deletedAt"]]);

export const withoutTrash = (view: View): View => toFirstPage(view, []);

/** Returns the entries that are filters, with their indexes. */
export const filtersOf = (view: View): { at: number; name: string; value: string }[] =>
  view.entries.flatMap(([name, value], at) =>
    (isReserved(name) && name !== "where") || (name === "isDeleted" && isTrash(view))
      ? []
      : [{ at, name, value }]
  );

export const isFiltered = (view: View): boolean =>
  filtersOf(view).length > 0 || parameterOf(view, "search") !== null;

export const withoutEntry = (view: View, at: number): View =>
  toFirstPage(view, view.entries.filter((_, i) => i !== at));

export const withEntry = (view: View, at: number | null, entry: QueryEntry): View =>
  toFirstPage(
    view,
    at === null || view.entries[at] === undefined
      ? [...view.entries, entry]
      : view.entries.map((one, i) => i === at ? entry : one),
  );

/** Returns the view as a query without messages and open forms. Forms carry it. */
export function viewText({ entries, columns, from }: View): string {
  return queryText([
    ...entries,
    ...(columns === null ? [] : [[PARAM.columns, columns.join(",")]] as const),
    ...(from === null || !isLaterPage(entries) ? [] : [[PARAM.from, String(from)]] as const),
  ]);
}

/** Returns the part of a view that can be saved, which is always the first page. */
export const savedQuery = (view: View): string => queryText(toFirstPage(view).entries);

/** Returns a text that is equal for views that show the same list. */
export const savedText = (view: View): string => viewText(toFirstPage(view));

export const toView = (
  path: string,
  { query, columns }: { readonly query: string; readonly columns: readonly string[] | null },
): View => ({ ...parseView(path, query), columns });

/** Returns the grid's address. @param more Parameters that the grid's own links do not keep. */
export function gridPath(
  view: View,
  more: { edit?: number; field?: string; done?: string } = {},
): string {
  const extra = Object.entries(more).map(([name, value]) =>
    [PARAM[name as keyof typeof more], String(value)] as const
  );
  const text = [viewText(view), queryText(extra)].filter((one) => one !== "").join("&");
  return text === "" ? view.path : `${view.path}?${text}`;
}

/** Maximum length of a view in links, because the link of each row contains it. */
const LINKED_VIEW_CHARACTERS_MAX = 8192;

/** Returns another page's address with the view to return to, unless that is too long. */
export function withView(view: View, path: string, more: Readonly<Record<string, string>> = {}) {
  const text = viewText(view);
  const isCarried = text !== "" && text.length <= LINKED_VIEW_CHARACTERS_MAX;
  const query = queryText(Object.entries({ ...more, ...(isCarried && { view: text }) }));
  return query === "" ? path : `${path}?${query}`;
}
