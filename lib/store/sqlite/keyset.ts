import type { Definition, Filter, ListQuery, Position, Scalar, SortKey } from "../port.ts";
import { scalarAt } from "../shape.ts";
import { filterSql, scalarSql } from "./filter_sql.ts";
import { bindable, type Fragment, join, quoted, sql } from "./fragment.ts";

/**
 * The statements that read one page, to be run in this order until the page is full.
 *
 * Behind a position the rest of a list is a chain of ranges: first the rows equal to it in all
 * keys with a later id, then those equal in all keys but the last, and so on. Each range is a
 * statement of its own that an index over the sort can seek, so a page costs the same at any
 * depth; one statement with all ranges joined by `or` is walked from the start of the index.
 */
export function pageStatements(definition: Definition, query: ListQuery): Fragment[] {
  const order = sortOrder(query.sort, query.backwards === true);
  const ranges = query.from === undefined
    ? [{ condition: sql("1"), order }]
    : rangesBehind(order, query.from);
  const filter = filterSql(definition, query.filter);
  if (!definition.trash || fixesTrash(query.filter)) {
    return ranges.map((range) => {
      const orderBy = range.order.map(({ value, descending }) => value + direction(descending));
      return {
        sql: `select doc from ${tableName(definition)} where (${filter.sql}) ` +
          `and (${range.condition.sql}) order by ${orderBy.join(", ")} limit ?`,
        values: [...filter.values, ...range.condition.values],
      };
    });
  }
  return ranges.map((range) => mergedSql(definition, filter, range));
}

/** What a table of records is called. */
export const tableName = (definition: Definition): string => quoted(`r_${definition.name}`);

interface OrderTerm {
  readonly path: string;
  readonly value: string;
  readonly descending: boolean;
}

/** The sort with `_id` as its last key, turned round for reading backwards. */
export function sortOrder(sort: readonly SortKey[], backwards: boolean): OrderTerm[] {
  const idAt = sort.findIndex((key) => key.path === "_id");
  const keys = idAt < 0 ? [...sort] : sort.slice(0, idAt + 1);
  if (idAt < 0) keys.push({ path: "_id", descending: keys.at(-1)?.descending ?? false });
  return keys.map(({ path, descending }) => ({
    path,
    value: scalarSql(path),
    descending: descending !== backwards,
  }));
}

const direction = (descending: boolean) => descending ? " desc" : "";

interface Range {
  readonly condition: Fragment;
  /** Only the keys that are not fixed by the condition: SQLite would sort by the others. */
  readonly order: readonly OrderTerm[];
}

function rangesBehind(order: readonly OrderTerm[], from: Position): Range[] {
  const values: Scalar[] = [...from.values.slice(0, order.length - 1), from.id];
  const ranges: Range[] = [];
  for (let at = order.length - 1; at >= 0; at--) {
    const equal = order.slice(0, at).map((term, i) => equalSql(term.value, values[i]!));
    for (const { condition, fixed } of beyondSql(order[at]!, values[at]!)) {
      ranges.push({
        condition: join([...equal, condition], " and ", "1"),
        order: order.slice(fixed ? at + 1 : at),
      });
    }
  }
  return ranges;
}

const equalSql = (value: string, to: Scalar): Fragment =>
  to === null ? sql(`${value} is null`) : sql(`${value} = ?`, bindable(to));

/** Null sorts first: ascending, everything lies beyond it; descending, it lies beyond everything. */
function beyondSql(
  { path, value, descending }: OrderTerm,
  limit: Scalar,
): { condition: Fragment; fixed: boolean }[] {
  const open = (condition: Fragment) => ({ condition, fixed: false });
  if (limit === null) return descending ? [] : [open(sql(`${value} is not null`))];
  if (!descending) return [open(sql(`${value} > ?`, bindable(limit)))];
  const below = open(sql(`${value} < ?`, bindable(limit)));
  return path === "_id" ? [below] : [below, { condition: sql(`${value} is null`), fixed: true }];
}

/** Whether the filter says which side of the trash it is about. */
function fixesTrash(filter: Filter): boolean {
  if (filter.op === "and") return filter.of.some(fixesTrash);
  return filter.op === "eq" && filter.path === "isDeleted";
}

/**
 * Indexes begin with `isDeleted`, so live and deleted rows each come in order, and SQLite merges
 * the two as it reads; asking for both at once would sort the whole collection.
 */
function mergedSql(definition: Definition, filter: Fragment, range: Range): Fragment {
  const columns = range.order.map(({ value }, i) => `${value} as k${i}`).join(", ");
  const sides = [0, 1].map((deleted) =>
    `select doc, ${columns} from ${tableName(definition)} where ` +
    `${scalarSql("isDeleted")} = ${deleted} and (${filter.sql}) and (${range.condition.sql})`
  );
  const orderBy = range.order.map(({ descending }, i) => `k${i}${direction(descending)}`);
  const values = [...filter.values, ...range.condition.values];
  return {
    sql: `${sides.join(" union all ")} order by ${orderBy.join(", ")} limit ?`,
    values: [...values, ...values],
  };
}

/** The expressions of an index over these keys. */
export function indexColumns(definition: Definition, keys: readonly SortKey[]): string {
  return keys.map(({ path, descending }) => {
    if (scalarAt(definition, path) === null) {
      throw new TypeError(`Cannot index "${path}" of ${definition.name}: it is no declared scalar`);
    }
    return scalarSql(path) + direction(descending);
  }).join(", ");
}
