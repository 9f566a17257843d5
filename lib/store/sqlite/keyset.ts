import {
  type Definition,
  type ListQuery,
  PAGE_BYTES_MAX,
  type Position,
  type Scalar,
} from "../port.ts";
import { rangePath, withIdKey } from "../advice.ts";
import { FIELD_TYPES } from "../field_types.ts";
import { scalarAt, shapeAt } from "../shape.ts";
import { type SearchMode, withoutIndexes } from "./filter_sql.ts";
import { bindable, directionOf, type Fragment, type SqlValue } from "./fragment.ts";
import { isTrashCondition, type QueryPlan } from "./plan.ts";
import { type RecordSource, sourceOf } from "./source.ts";
import { tableName } from "./table_name.ts";

/** The part of a query that differs from page to page. */
export type PageQuery = Omit<ListQuery, "filter" | "sort">;

/** The statement that reads a page, without the values that differ from page to page. */
export interface PageStatement {
  /**
   * The SQL that reads either `seq` alone, or `seq` and text. If a text has more than
   * {@linkcode inlineBytesMax} bytes, its size is read instead. Only texts of the page's rows are
   * read: sorting and skipping use `seq` alone.
   */
  readonly sql: Readonly<Record<PageForm, string>>;
  /** Values of the filter, bound in every range. */
  readonly values: readonly SqlValue[];
  /** Values that each range binds after the filter's: sort values by index, then the id. */
  readonly slots: readonly (readonly number[])[];
  /** Whether live and deleted rows are read by separate statements, which take the same values. */
  readonly isSplit: boolean;
}

/** A bound number in `limit` and `offset`. SQLite prepares a bare placeholder again each run. */
export const BOUND_NUMBER = "?+0";

export type PageForm = "seq" | "seq, text";

/**
 * Returns the maximum size in bytes of a text that is read together with its page; null for any
 * size. Texts up to this size always fit the page, so a page of large texts is measured before it
 * is in memory. The result is a power of two, so that pages of similar sizes share a statement.
 */
export function inlineBytesMax(
  { bytesMax: textMax }: Definition,
  { limit, bytesMax = PAGE_BYTES_MAX }: Pick<ListQuery, "limit" | "bytesMax">,
): number | null {
  const fitting = bytesMax / (limit + 1);
  if (textMax !== undefined && textMax <= fitting) return null;
  return 2 ** Math.floor(Math.log2(Math.max(1, fitting)));
}

/** Adds texts to a page. `cross join` keeps its order: SQLite iterates over its left side. */
function withTexts(seqSql: string, definition: Definition, textMax: number | null): string {
  const text = textMax === null
    ? "doc"
    : `case when octet_length(doc) <= ${textMax} then doc else octet_length(doc) end`;
  return `select seq, ${text} from (${seqSql}) cross join ${tableName(definition)} using (seq)`;
}

export interface PageOptions {
  /** Whether an index over the sort may be used, not only one for the filter. */
  readonly bySort?: boolean;
  readonly search?: SearchMode;
}

/**
 * Returns the statement that reads one page.
 *
 * After a position, the rest of a list is a chain of ranges: first the rows that are equal in all
 * keys and have a later id, then those that are equal in all keys but the last, and so on. An index
 * over the sort can seek each range, so a page costs the same at any depth. A range is started only
 * after the previous ranges are exhausted. A single query with all ranges joined by `or` would be
 * scanned from the start of the index.
 */
export function pageStatement(
  plan: QueryPlan,
  query: PageQuery,
  { bySort = true, search = "lookup" }: PageOptions = {},
): PageStatement {
  const { definition, conditions } = plan;
  const isByWords = search === "lookup" && plan.isByWords;
  const scansTable = conditions.length === 0 && isOrderedById(plan);
  const isSplit = definition.trash && !isByWords && !conditions.some(isTrashCondition) &&
    !scansTable;
  const inOrder = bySort && !isByWords;
  const source = sourceOf(plan, { bySort: inOrder, byRange: !bySort, isSplit, search });
  const order = sortOrder(plan, query, { source, bySort: inOrder });
  const ranges = query.from === undefined
    ? [{ condition: "1", slots: [], order }]
    : rangesAfter(order, query);
  // If no index serves the filter, rows are scanned in id order. Otherwise SQLite would choose an
  // index over `isDeleted`, read all of its rows, and sort them.
  const isWalked = inOrder && isOrderedById(plan) && hasNoIndex(plan);
  const filter = withGuard(plan, isWalked ? withoutIndexes(source.filter) : source.filter);
  const rangeText = isSplit ? mergedSql : rangeSql;
  const offset = query.offset === undefined ? "" : ` offset ${BOUND_NUMBER}`;
  const links = ranges.map((range) => rangeText({ source, filter, range }));
  const seq = chainSql(links, isSplit) + offset;
  return {
    sql: { seq, "seq, text": withTexts(seq, definition, inlineBytesMax(definition, query)) },
    values: filter.values,
    slots: ranges.map(({ slots }) => slots),
    isSplit,
  };
}

/**
 * Returns a statement that reads the same page by an index for the filter, regardless of the sort;
 * null if there is no such index. SQLite prefers an index over the sort, which is best if many rows
 * match; if few match, the index is scanned to its end.
 */
export const filterIndexStatement = (plan: QueryPlan, query: PageQuery): PageStatement | null =>
  plan.isServed || !plan.isLookedUp
    ? null
    : pageStatement(plan, query, { bySort: false, search: "test" });

/** Whether only the table's own index has the order. It mixes live and deleted records. */
const isOrderedById = ({ definition: { indexes }, sort }: QueryPlan): boolean =>
  withIdKey(sort)[0]!.path === "_id" && !indexes.some(({ keys }) => keys[0]!.path === "_id");

/** Whether no index serves the filter. */
const hasNoIndex = ({ definition, conditions, isLookedUp }: QueryPlan): boolean =>
  !isLookedUp &&
  !conditions.map(rangePath).some((path) =>
    path === "_id" || definition.indexes.some(({ keys }) => keys[0]!.path === path)
  );

/** Adds the guard, which is evaluated for every row before the filter. */
const withGuard = ({ isServed, guard }: QueryPlan, { sql, values }: Fragment): Fragment =>
  isServed ? { sql, values } : { sql: `${guard} and (${sql})`, values };

/**
 * Returns the values of a statement for a position and a limit. The value of an offset follows
 * them.
 *
 * @param limit Maximum number of rows.
 */
function pageValues(
  { values, slots, isSplit }: PageStatement,
  from: Position | undefined,
  limit: number,
): SqlValue[] {
  const all: SqlValue[] = [];
  for (const range of slots) {
    for (let side = isSplit ? 2 : 1; side > 0; side--) {
      all.push(...values);
      for (const slot of range) {
        all.push(slot < from!.values.length ? bindable(from!.values[slot]!) : from!.id);
      }
    }
    if (isSplit) all.push(limit);
  }
  if (!isSplit || slots.length > 1) all.push(limit);
  return all;
}

/** Returns the statement with its values. It reads one row more than requested. */
export function boundPage(
  statement: PageStatement,
  form: PageForm,
  { from, limit, offset }: PageQuery,
): Fragment {
  const values = pageValues(statement, from, limit + 1);
  if (offset !== undefined) values.push(offset);
  return { sql: statement.sql[form], values };
}

const positionValues = ({ values, id }: Position, length: number): Scalar[] => [
  ...values.slice(0, length - 1),
  id,
];

interface OrderTerm {
  readonly value: string;
  readonly descending: boolean;
  /** Literal that all values except null are greater than or equal to. */
  readonly least: string;
  readonly nullable: boolean;
}

/** Returns the sort with `_id` as its last key, reversed for reading backwards. */
function sortOrder(
  { definition, sort }: QueryPlan,
  { backwards = false }: PageQuery,
  { source, bySort }: { source: RecordSource; bySort: boolean },
): OrderTerm[] {
  // A sign keeps SQLite from using an index for the value.
  const sign = bySort ? "" : "+";
  return withIdKey(sort).map(({ path, descending }) => ({
    value: sign + source.valueOf(path),
    descending: descending !== backwards,
    least: LEAST[FIELD_TYPES[scalarAt(definition, path) ?? "String"].sql],
    nullable: path !== "_id" && shapeAt(definition.fields, path)?.isAlwaysSet !== true,
  }));
}

/** Lower bounds by type. SQLite seeks to a bound, but scans for `is not null`. */
const LEAST = { text: "''", real: "-9e999", integer: "0" } as const;

interface Range {
  readonly condition: string;
  readonly slots: readonly number[];
  /** Keys that the condition does not fix: SQLite would sort by the others, too. */
  readonly order: readonly OrderTerm[];
}

function rangesAfter(order: readonly OrderTerm[], { from }: PageQuery): Range[] {
  const isNull = positionValues(from!, order.length).map((value) => value === null);
  const ranges: Range[] = [];
  for (let at = order.length - 1; at >= 0; at--) {
    const before = order.slice(0, at);
    const equal = before.map(({ value }, i) => isNull[i] ? `${value} is null` : `${value} = ?`);
    const slots = before.flatMap((_, i) => isNull[i] ? [] : [i]);
    const inclusive = from!.inclusive === true && at === order.length - 1;
    for (const { condition, bound, fixed } of conditionsAfter(order[at]!, isNull[at]!, inclusive)) {
      ranges.push({
        condition: [...equal, condition].join(" and "),
        slots: bound ? [...slots, at] : slots,
        order: order.slice(fixed ? at + 1 : at),
      });
    }
  }
  return ranges;
}

/**
 * Returns the conditions for values after a value in the order. Null sorts first: all values come
 * after it in ascending order, and before it in descending order.
 */
function conditionsAfter(
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
  readonly source: RecordSource;
  readonly filter: Fragment;
  readonly range: Range;
}

function rangeSql({ source, filter, range }: RangeRead): string {
  const orderBy = range.order.map(({ value, descending }) => value + directionOf(descending));
  return `select seq from ${source.from} where (${filter.sql}) ` +
    `and ${range.condition} order by ${orderBy.join(", ")}`;
}

/**
 * Returns SQL that reads live and deleted rows separately and merges them. Indexes begin with
 * `isDeleted`, so each side is in order, and SQLite merges as it reads. A single query of both
 * would sort the entire collection.
 */
function mergedSql({ source, filter, range }: RangeRead): string {
  const keys = range.order.map(({ value }, i) => `${value} as k${i}`).join(", ");
  const sides = [0, 1].map((deleted) =>
    `select seq, ${keys} from ${source.from} where ` +
    `${source.sides.map((column) => `${column} = ${deleted}`).join(" and ")} ` +
    `and (${filter.sql}) and ${range.condition}`
  );
  const orderBy = range.order.map(({ descending }, i) => `k${i}${directionOf(descending)}`);
  return `${sides.join(" union all ")} order by ${orderBy.join(", ")} limit ${BOUND_NUMBER}`;
}

/**
 * Returns SQL that reads ranges one after the other until there are enough rows. SQLite runs ranges
 * without a limit in place. A range with a limit, as merged ones have, runs by itself and is passed
 * on row by row.
 */
function chainSql(ranges: readonly string[], isSplit: boolean): string {
  if (ranges.length === 1) return isSplit ? ranges[0]! : `${ranges[0]} limit ${BOUND_NUMBER}`;
  const links = ranges.map((range) => `select seq from (${range})`);
  return `${links.join(" union all ")} limit ${BOUND_NUMBER}`;
}
