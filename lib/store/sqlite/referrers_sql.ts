import { withIdKey } from "../advice.ts";
import type { Definition, Index, ReferrerQuery } from "../port.ts";
import { scalarSql } from "./columns.ts";
import { type Fragment, sql } from "./fragment.ts";
import { isTrashCondition, type QueryPlan } from "./plan.ts";
import { whereSql } from "./source.ts";
import { tableName } from "./table_name.ts";

/**
 * Returns the statement that reads pairs of referenced and referring ids, in sort order. If an
 * index begins with the path, each id is looked up separately; if the index also has the order,
 * only returned records are read. Otherwise all records are scanned once for all ids.
 */
export function referrersSql(plan: QueryPlan, query: ReferrerQuery): Fragment {
  const { definition, guard } = plan;
  const lookups = lookupIndexes(plan, query);
  const ids = JSON.stringify(query.ids);
  const { sql: condition, values } = whereSql(plan, "lookup");
  const text = lookups.length > 0
    ? lookUpEachSql(definition, query, { where: `${guard} and (${condition})`, lookups })
    : scanOnceSql(definition, query, `${guard} and (${condition})`);
  const bound = lookups.length > 0 ? [ids, ...values] : [...values, ids];
  return sql(text, ...bound, query.limit);
}

function lookUpEachSql(
  definition: Definition,
  { path, sort }: ReferrerQuery,
  { where, lookups }: { where: string; lookups: readonly Index[] },
): string {
  const table = tableName(definition);
  // A sign keeps SQLite from scanning an index over the order until enough records are found.
  const sign = lookups.some(({ keys }) => keys[1]?.path === sort[0]?.path) ? "" : "+";
  return "select holder, id from (select key as nth, value as holder from json_each(?)) " +
    `cross join ${table} where seq in (select seq from ${table} where ${where} ` +
    `and ${scalarSql(definition, path)} = holder ` +
    `order by ${orderSql(definition, sort, sign)} limit ?+0) ` +
    `order by nth, ${orderSql(definition, sort)}`;
}

function scanOnceSql(definition: Definition, { path, sort }: ReferrerQuery, where: string): string {
  const holder = scalarSql(definition, path);
  return `select holder, id from (select ${holder} as holder, id, row_number() over ` +
    `(partition by ${holder} order by ${orderSql(definition, sort)}) as nth ` +
    `from ${tableName(definition)} where ${where} ` +
    `and +${holder} in (select value from json_each(?))) where nth <= ?+0 order by holder, nth`;
}

const orderSql = (definition: Definition, sort: ReferrerQuery["sort"], sign = ""): string =>
  withIdKey(sort).map(({ path, descending }) =>
    sign + scalarSql(definition, path) + (descending ? " desc" : "")
  ).join(", ");

/** Returns the indexes that begin with the path, if the filter allows using them. */
const lookupIndexes = ({ definition, conditions }: QueryPlan, { path }: ReferrerQuery): Index[] =>
  definition.trash && !conditions.some(isTrashCondition)
    ? []
    : definition.indexes.filter(({ keys, unique }) => !unique && keys[0]!.path === path);
