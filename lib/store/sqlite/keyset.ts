import {
  type Definition,
  type ListQuery,
  PAGE_BYTES_MAX,
  type Position,
  type Scalar,
} from "../port.ts";
import { boundedBy, sortedBy } from "../advice.ts";
import { FIELD_TYPES } from "../field_types.ts";
import { scalarAt, shapeAt } from "../shape.ts";
import { keptFromIndexes, type SearchWay } from "./filter_sql.ts";
import { bindable, directionOf, type Fragment, type SqlValue } from "./fragment.ts";
import { isSide, type QueryPlan } from "./plan.ts";
import { type Source, sourceOf } from "./source.ts";
import { tableName } from "./table_name.ts";

/** What varies from page to page of a query. */
export type PageQuery = Omit<ListQuery, "filter" | "sort">;

/** The statement that reads a page, without what varies from page to page. */
export interface PageStatement {
  /**
   * Reads the `seq` of the rows alone, or `seq` and text, in whose place its bytes are counted where
   * it has more than {@linkcode inlineBytes}. Texts are read of the page's rows alone: what is
   * sorted, and then left out, is sorted by its `seq`.
   */
  readonly sql: Readonly<Record<PageForm, string>>;
  /** Values of the filter, which every range takes. */
  readonly values: readonly SqlValue[];
  /**
   * Which values of the position follow them in each range: its sort values, and behind them its
   * id.
   */
  readonly slots: readonly (readonly number[])[];
  /** Live and deleted rows are read by a statement each, which take the same values. */
  readonly twice: boolean;
}

/**
 * A bound number for `limit` and `offset`. A bare question mark there makes SQLite prepare the
 * statement anew at every run, to plan for the value, which takes as long as to read twenty rows.
 */
export const BOUND = "?+0";

export type PageForm = "seq" | "seq, text";

/**
 * Of how many bytes a text may be to be read along with its page; null for any. All of them
 * together fit into the page, so a page of large texts is not in memory before it is measured. A
 * power of two: pages of about the same size share a statement.
 */
export function inlineBytes(
  { bytesMax: textMax }: Definition,
  { limit, bytesMax = PAGE_BYTES_MAX }: Pick<ListQuery, "limit" | "bytesMax">,
): number | null {
  const fitting = bytesMax / (limit + 1);
  if (textMax !== undefined && textMax <= fitting) return null;
  return 2 ** Math.floor(Math.log2(Math.max(1, fitting)));
}

/** `cross join` keeps the order of the page: SQLite goes through what stands first. */
function withTexts(seqSql: string, definition: Definition, textMax: number | null): string {
  const text = textMax === null
    ? "doc"
    : `case when octet_length(doc) <= ${textMax} then doc else octet_length(doc) end`;
  return `select seq, ${text} from (${seqSql}) cross join ${tableName(definition)} using (seq)`;
}

export interface PageOptions {
  /** Whether an index over the sort may serve it; else only one that the filter can use does. */
  readonly bySort?: boolean;
  /** How records are found whose words are searched for. */
  readonly search?: SearchWay;
}

/**
 * The statement that reads one page.
 *
 * Behind a position the rest of a list is a chain of ranges: first the rows equal to it in all
 * keys with a later id, then those equal in all keys but the last, and so on. Each range is a
 * query of its own that an index over the sort can seek, so a page costs the same at any depth, and
 * none is begun before those in front of it are read to their ends; one query with all ranges
 * joined by `or` is walked from the start of the index.
 */
export function pageStatement(
  plan: QueryPlan,
  query: PageQuery,
  { bySort = true, search = "lookup" }: PageOptions = {},
): PageStatement {
  const { definition, conditions } = plan;
  const isByWords = search === "lookup" && plan.isByWords;
  const isWalk = conditions.length === 0 && isByIds(plan);
  const twice = definition.trash && !isByWords && !conditions.some(isSide) && !isWalk;
  const inOrder = bySort && !isByWords;
  const source = sourceOf(plan, { bySort: inOrder, byRange: !bySort, twice, search });
  const order = sortOrder(plan, query, { source, bySort: inOrder });
  const ranges = query.from === undefined
    ? [{ condition: "1", slots: [], order }]
    : rangesBehind(order, query);
  // What no index finds is looked for in the order of ids: SQLite would take one for the side of the
  // trash, read all that is there, and sort it.
  const isWalked = inOrder && isByIds(plan) && isUnaided(plan);
  const filter = guarded(plan, isWalked ? keptFromIndexes(source.filter) : source.filter);
  const rangeText = twice ? mergedSql : rangeSql;
  const offset = query.offset === undefined ? "" : ` offset ${BOUND}`;
  const links = ranges.map((range) => rangeText({ source, filter, range }));
  const seq = chainSql(links, twice) + offset;
  return {
    sql: { seq, "seq, text": withTexts(seq, definition, inlineBytes(definition, query)) },
    values: filter.values,
    slots: ranges.map(({ slots }) => slots),
    twice,
  };
}

/**
 * Returns the same page by an index that the filter can use, whatever the sort; null if there is no
 * such index. SQLite prefers one over the sort, which is best where much matches; where little does,
 * it is walked to its end.
 */
export const soughtStatement = (plan: QueryPlan, query: PageQuery): PageStatement | null =>
  plan.isServed || !plan.isLookedUp
    ? null
    : pageStatement(plan, query, { bySort: false, search: "test" });

/** Whether only the table's own index has the order, which has live and deleted records in one. */
const isByIds = ({ definition: { indexes }, sort }: QueryPlan): boolean =>
  sortedBy(sort)[0]!.path === "_id" && !indexes.some(({ keys }) => keys[0]!.path === "_id");

/** Whether no index finds what is asked for. */
const isUnaided = ({ definition, conditions, isLookedUp }: QueryPlan): boolean =>
  !isLookedUp &&
  !conditions.map(boundedBy).some((path) =>
    path === "_id" || definition.indexes.some(({ keys }) => keys[0]!.path === path)
  );

/** A guard is evaluated for every row, before the filter. */
const guarded = ({ isServed, guard }: QueryPlan, { sql, values }: Fragment): Fragment =>
  isServed ? { sql, values } : { sql: `${guard} and (${sql})`, values };

/**
 * The values that a statement takes for a position and a limit; that of an offset follows.
 *
 * @param limit At most so many rows.
 */
function pageValues(
  { values, slots, twice }: PageStatement,
  from: Position | undefined,
  limit: number,
): SqlValue[] {
  const all: SqlValue[] = [];
  for (const range of slots) {
    for (let side = twice ? 2 : 1; side > 0; side--) {
      all.push(...values);
      for (const slot of range) {
        all.push(slot < from!.values.length ? bindable(from!.values[slot]!) : from!.id);
      }
    }
    if (twice) all.push(limit);
  }
  if (!twice || slots.length > 1) all.push(limit);
  return all;
}

/** The statement with all its values: one row more than asked for tells that the list goes on. */
export function boundPage(
  statement: PageStatement,
  form: PageForm,
  { from, limit, offset }: PageQuery,
): Fragment {
  const values = pageValues(statement, from, limit + 1);
  if (offset !== undefined) values.push(offset);
  return { sql: statement.sql[form], values };
}

/** Sorting by `_id` before the last key makes the keys behind it idle. */
const positionValues = ({ values, id }: Position, length: number): Scalar[] => [
  ...values.slice(0, length - 1),
  id,
];

interface OrderTerm {
  readonly value: string;
  readonly descending: boolean;
  /** What every value but null is at least. */
  readonly least: string;
  /** Whether it may be null. */
  readonly nullable: boolean;
}

/** The sort with `_id` as its last key, turned round for reading backwards. */
function sortOrder(
  { definition, sort }: QueryPlan,
  { backwards = false }: PageQuery,
  { source, bySort }: { source: Source; bySort: boolean },
): OrderTerm[] {
  // A sign in front of a value keeps it from being looked up.
  const sign = bySort ? "" : "+";
  return sortedBy(sort).map(({ path, descending }) => ({
    value: sign + source.valueOf(path),
    descending: descending !== backwards,
    least: LEAST[FIELD_TYPES[scalarAt(definition, path) ?? "String"].sql],
    nullable: path !== "_id" && shapeAt(definition.fields, path)?.always !== true,
  }));
}

/** `is not null` would be walked to from the start of the index; a bound is sought. */
const LEAST = { text: "''", real: "-9e999", integer: "0" } as const;

interface Range {
  readonly condition: string;
  readonly slots: readonly number[];
  /** Only the keys that are not fixed by the condition: SQLite would sort by the others. */
  readonly order: readonly OrderTerm[];
}

function rangesBehind(order: readonly OrderTerm[], { from }: PageQuery): Range[] {
  const isNull = positionValues(from!, order.length).map((value) => value === null);
  const ranges: Range[] = [];
  for (let at = order.length - 1; at >= 0; at--) {
    const before = order.slice(0, at);
    const equal = before.map(({ value }, i) => isNull[i] ? `${value} is null` : `${value} = ?`);
    const slots = before.flatMap((_, i) => isNull[i] ? [] : [i]);
    const inclusive = from!.inclusive === true && at === order.length - 1;
    for (const { condition, bound, fixed } of beyond(order[at]!, isNull[at]!, inclusive)) {
      ranges.push({
        condition: [...equal, condition].join(" and "),
        slots: bound ? [...slots, at] : slots,
        order: order.slice(fixed ? at + 1 : at),
      });
    }
  }
  return ranges;
}

/** Null sorts first: ascending, everything lies beyond it; descending, it lies beyond everything. */
function beyond(
  { value, descending, least, nullable }: OrderTerm,
  isNull: boolean,
  inclusive: boolean,
) {
  const open = { bound: true, fixed: false };
  if (isNull) {
    return descending ? [] : [{ condition: `${value} >= ${least}`, bound: false, fixed: false }];
  }
  const equal = inclusive ? "=" : "";
  if (!descending) return [{ ...open, condition: `${value} >${equal} ?` }];
  const below = { ...open, condition: `${value} <${equal} ?` };
  const nulls = { condition: `${value} is null`, bound: false, fixed: true };
  return nullable ? [below, nulls] : [below];
}

interface RangeRead {
  readonly source: Source;
  /** The source's, guarded. */
  readonly filter: Fragment;
  readonly range: Range;
}

function rangeSql({ source, filter, range }: RangeRead): string {
  const orderBy = range.order.map(({ value, descending }) => value + directionOf(descending));
  return `select seq from ${source.from} where (${filter.sql}) ` +
    `and ${range.condition} order by ${orderBy.join(", ")}`;
}

/**
 * Indexes begin with `isDeleted`, so live and deleted rows each come in order, and SQLite merges
 * the two as it reads; asking for both at once would sort the whole collection.
 */
function mergedSql({ source, filter, range }: RangeRead): string {
  const keys = range.order.map(({ value }, i) => `${value} as k${i}`).join(", ");
  const sides = [0, 1].map((deleted) =>
    `select seq, ${keys} from ${source.from} where ` +
    `${source.sides.map((column) => `${column} = ${deleted}`).join(" and ")} ` +
    `and (${filter.sql}) and ${range.condition}`
  );
  const orderBy = range.order.map(({ descending }, i) => `k${i}${directionOf(descending)}`);
  return `${sides.join(" union all ")} order by ${orderBy.join(", ")} limit ${BOUND}`;
}

/**
 * One range after the other, until there are enough rows. SQLite runs ranges without limits of
 * their own in place, with the limit of all; one that has a limit, as merged ones do, is run by
 * itself and handed over row by row.
 */
function chainSql(ranges: readonly string[], twice: boolean): string {
  if (ranges.length === 1) return twice ? ranges[0]! : `${ranges[0]} limit ${BOUND}`;
  const links = ranges.map((range) => `select seq from (${range})`);
  return `${links.join(" union all ")} limit ${BOUND}`;
}
