import { isReserved, OFFSET_NAMES } from "@/lib/documents/reserved_parameters.ts";
import { refuseLongQuery } from "@/lib/http/query_size.ts";
import {
  COLUMNS_MAX,
  GRID_ROWS_MAX,
  LIST_LIMIT_MAX,
  QUERY_LENGTH_MAX,
  TRASH_MS,
} from "@/lib/limits.ts";
import { NOT_OF_EXPORTS } from "@/lib/operations/export_documents.ts";
import { Problem } from "@/lib/problems.ts";
import { texts } from "../texts/mod.ts";

/** Rows of a page, where the address does not say how many. */
export const ROWS = 25;

type Entry = readonly [string, string];

/**
 * What the address of a grid asks for: a query of the list operation, as an application would send
 * it, and what only the page knows.
 */
export interface View {
  /** The grid's path. */
  readonly path: string;
  /** The list's parameters, in their order. */
  readonly entries: readonly Entry[];
  /** Null for those that a grid begins with. */
  readonly columns: readonly string[] | null;
  /** Where the page lies in the whole, from 1; null where nobody knows. */
  readonly from: number | null;
  /** Which of the entries the filter form is open for; null for none. */
  readonly editing: number | null;
  /** The field that the filter form is open for. */
  readonly field: string | null;
  /** What a form has just done, as a word. */
  readonly done: string | null;
  /** The id of the last event that a grid has heard of. */
  readonly after: string | null;
}

/**
 * What only the page knows. The names begin with a dot: no list takes such a parameter, so that none
 * is lost to us.
 */
const OURS = {
  columns: ".columns",
  from: ".from",
  edit: ".edit",
  field: ".field",
  done: ".done",
  after: ".after",
} as const;

/** They make the list operation answer something else than a list. */
const NO_LIST: readonly string[] = ["count", "explain"];
const PAGING: readonly string[] = ["cursor", "page", ...OFFSET_NAMES];

/** Whether it is another page than the first. */
const isTurned = (entries: readonly Entry[]): boolean =>
  entries.some(([name]) => PAGING.includes(name));

/**
 * Reads an address's query, or what a form carries of it: nothing longer than an address may be,
 * also once its own links are made of it. Throws `QUERY_TOO_LONG` and `INVALID_QUERY`.
 */
export function readView(path: string, text: string): View {
  refuseLongQuery(text);
  const view = parseView(path, text);
  if (viewText(view).length > QUERY_LENGTH_MAX) throw new Problem("QUERY_TOO_LONG");
  return view;
}

function parseView(path: string, text: string): View {
  const given = [...new URLSearchParams(text)];
  const own = new Map(given.filter(([name]) => name.startsWith(".")));
  const numberOf = (name: string) => {
    const value = own.get(name);
    return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : null;
  };
  const entries = given.filter(([name]) => !name.startsWith(".") && !NO_LIST.includes(name))
    .map(([name, value]) => [name, name === "limit" ? rowsOf(value) : value] as const);
  return {
    path,
    entries,
    columns: columnsIn(own.get(OURS.columns)),
    from: isTurned(entries) ? numberOf(OURS.from) : 1,
    editing: numberOf(OURS.edit),
    field: own.get(OURS.field) ?? null,
    done: own.get(OURS.done) ?? null,
    after: own.get(OURS.after) ?? null,
  };
}

/** A page has fewer rows than a list may have; what is no number is left for the list to refuse. */
const rowsOf = (limit: string): string =>
  /^\d{1,9}$/.test(limit) && Number(limit) > GRID_ROWS_MAX && Number(limit) <= LIST_LIMIT_MAX
    ? String(GRID_ROWS_MAX)
    : limit;

function columnsIn(text: string | undefined): readonly string[] | null {
  if (text === undefined) return null;
  const columns = new Set(text.split(","));
  columns.delete("");
  if (columns.size <= COLUMNS_MAX) return [...columns];
  throw new Problem("INVALID_QUERY", {
    message: texts().documents.tools.columns.tooMany(columns.size, COLUMNS_MAX),
  });
}

/** As forms are encoded; `URLSearchParams` takes a page as long as all its rows. */
const textOf = (entries: readonly Entry[]): string =>
  entries.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join("&");

const encoded = (text: string): string =>
  /^[\w.-]*$/.test(text) ? text : new URLSearchParams([[text, ""]]).toString().slice(0, -1);

/** What the list operation is asked: the same for an application, byte by byte. */
export const listQuery = ({ entries }: View): string =>
  textOf(has(entries, "limit") ? entries : [...entries, ["limit", String(ROWS)]]);

/** What an export of all pages is asked. */
export const exportQuery = ({ entries }: View): string =>
  textOf(entries.filter(([name]) => !PAGING.includes(name) && !NOT_OF_EXPORTS.includes(name)));

/** Which of a list's documents a page shows, and how. */
const SHOWING: readonly string[] = [
  ...PAGING,
  ...["sort", "limit", "fields", "populate", "expand", "meta", "total", "snapshot"],
];
/** A grid is told of a change no more than whose it is. */
const TOLD: readonly Entry[] = [["fields", "_id"], ["total", "none"], ["snapshot", "false"]];

const followed = ({ entries }: View): readonly Entry[] =>
  entries.filter(([name]) => !SHOWING.includes(name));

/** What the live list is asked, for all that the filters let through. */
export const liveQuery = (view: View): string => textOf([...followed(view), ...TOLD]);

/** Where a grid hears of what has changed since the event of this id. */
export const livePath = (view: View, after: string): string =>
  `${view.path}/documents/live?${textOf([...followed(view), [OURS.after, after]])}`;

const has = (entries: readonly Entry[], name: string): boolean =>
  entries.some(([other]) => other === name);

export const valueOf = ({ entries }: View, name: string): string | null =>
  entries.find(([other]) => other === name)?.[1] ?? null;

/** The same list from its beginning, perhaps with other parameters. */
export const restarted = (view: View, entries: readonly Entry[] = view.entries): View => ({
  ...view,
  entries: entries.filter(([name]) => !PAGING.includes(name)),
  from: null,
});

/** Sets a parameter in its place or at the end; takes it away for null. */
export function withParameter(view: View, name: string, value: string | null): View {
  const at = view.entries.findIndex(([other]) => other === name);
  const kept = view.entries.filter(([other], i) => other !== name || i === at);
  if (value === null) return restarted(view, kept.filter(([other]) => other !== name));
  if (at < 0) return restarted(view, [...kept, [name, value]]);
  return restarted(view, kept.map((one) => one[0] === name ? [name, value] : one));
}

/** The page beside it, and where it lies if it is known where this one does. */
export const turned = (view: View, cursor: string, from: number | null): View => ({
  ...restarted(view),
  entries: [...restarted(view).entries, ["cursor", cursor]],
  from,
});

/** Whether the grid shows what has been deleted, and nothing else. */
export const isTrash = (view: View): boolean =>
  valueOf(view, "isDeleted") === "true" && valueOf(view, "include_deleted") === "true";

/** How long the trash keeps a document. */
export const TRASH_DAYS = TRASH_MS / 86_400_000;

export const trashOf = (view: View): View =>
  restarted(view, [["isDeleted", "true"], ["include_deleted", "true"], ["sort", "-deletedAt"]]);

export const withoutTrash = (view: View): View => restarted(view, []);

/** Which of the entries filter, by their places. */
export const filtersOf = (view: View): { at: number; name: string; value: string }[] =>
  view.entries.flatMap(([name, value], at) =>
    (isReserved(name) && name !== "where") || (name === "isDeleted" && isTrash(view))
      ? []
      : [{ at, name, value }]
  );

export const isFiltered = (view: View): boolean =>
  filtersOf(view).length > 0 || valueOf(view, "search") !== null;

export const withoutEntry = (view: View, at: number): View =>
  restarted(view, view.entries.filter((_, i) => i !== at));

export const withEntry = (view: View, at: number | null, entry: Entry): View =>
  restarted(
    view,
    at === null || view.entries[at] === undefined
      ? [...view.entries, entry]
      : view.entries.map((one, i) => i === at ? entry : one),
  );

/** Everything that the address says of what is shown; forms carry it with them. */
export function viewText({ entries, columns, from }: View): string {
  return textOf([
    ...entries,
    ...(columns === null ? [] : [[OURS.columns, columns.join(",")]] as const),
    ...(from === null || !isTurned(entries) ? [] : [[OURS.from, String(from)]] as const),
  ]);
}

/** What of a view can be saved: the list from its beginning. */
export const savedQuery = (view: View): string => textOf(restarted(view).entries);

/** Two views of one text show the same. */
export const savedText = (view: View): string => viewText(restarted(view));

/** A view that was saved, as the grid shows it. */
export const viewOfSaved = (
  path: string,
  { query, columns }: { readonly query: string; readonly columns: readonly string[] | null },
): View => ({ ...parseView(path, query), columns });

/** The grid's address; `more` is about the page that it leads to alone. */
export function hrefOf(
  view: View,
  more: { edit?: number; field?: string; done?: string } = {},
): string {
  const extra = Object.entries(more).map(([name, value]) =>
    [OURS[name as keyof typeof more], String(value)] as const
  );
  const text = [viewText(view), textOf(extra)].filter((one) => one !== "").join("&");
  return text === "" ? view.path : `${view.path}?${text}`;
}

/** A row's link has it again, so that a page is as long as all its rows times this. */
const VIEW_CARRIED_MAX = 8192;

/**
 * A page beside the grid, such as a document's, from which the way leads back to this view, unless
 * that is too long for a link.
 */
export function beside(view: View, path: string, more: Readonly<Record<string, string>> = {}) {
  const text = viewText(view);
  const isCarried = text !== "" && text.length <= VIEW_CARRIED_MAX;
  const query = textOf(Object.entries({ ...more, ...(isCarried && { view: text }) }));
  return query === "" ? path : `${path}?${query}`;
}
