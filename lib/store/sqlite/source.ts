import { equalityPath, rangePath } from "../advice.ts";
import { scalarAt } from "../shape.ts";
import type { ArrayTable } from "./array_tables.ts";
import { GUARD } from "./budget.ts";
import { scalarSql } from "./columns.ts";
import {
  allSql,
  declaredSql,
  elementSqlIn,
  type SearchMode,
  withoutIndexes,
} from "./filter_sql.ts";
import { type Fragment, join, sql } from "./fragment.ts";
import { type ArrayLookup, isTrashCondition, type QueryPlan } from "./plan.ts";
import { tableName } from "./table_name.ts";
import { wordsTableOf } from "./words_table.ts";

export interface RecordSource {
  /** The SQL of the `from` clause. It has a column `seq`. */
  readonly from: string;
  /** The condition, without `isDeleted` if the filter leaves that open. */
  readonly filter: Fragment;
  /** Columns that distinguish live from deleted records. All are tested to read one side. */
  readonly sides: readonly string[];
  /** Returns the SQL of a path's value, by which the source is ordered. */
  valueOf(path: string): string;
}

export interface SourceOptions {
  /** Whether records may be read in the order of the array's table. */
  readonly bySort: boolean;
  /** Whether a range of values may be looked up, which is slow if most values are in it. */
  readonly byRange: boolean;
  /** Whether live and deleted records are read separately. */
  readonly isSplit: boolean;
  readonly isCount?: boolean;
  /** How searches are evaluated. They take precedence over arrays. */
  readonly search: SearchMode;
}

/**
 * Returns the source of a list or a count. An equality with an element of an array joins the
 * array's table, so each record is found once. If the table has the requested order, it is read in
 * that order. Otherwise SQLite chooses whether to start with the table or with the records.
 */
export function sourceOf(plan: QueryPlan, options: SourceOptions): RecordSource {
  const { definition, array, isByWords } = plan;
  const { search, isCount = false } = options;
  const condition = whereSql(plan, search);
  const plain: RecordSource = {
    from: tableName(definition),
    // SQLite assumes that half of the records are deleted, and would use the index for counts.
    filter: isCount && !canUseIndex(plan) ? withoutIndexes(condition) : condition,
    sides: definition.trash ? [scalarSql(definition, "isDeleted")] : [],
    valueOf: (path) => scalarSql(definition, path),
  };
  if (array === null || (search === "lookup" && isByWords)) return plain;
  if (array.condition.op === "eq") return joinArrayTable(plan, { array, plain, options });
  const isRange = array.condition.op !== "in";
  return isRange && !options.byRange ? plain : { ...plain, filter: arrayTableFirst(plan, array) };
}

export function whereSql(
  { definition, conditions, text }: QueryPlan,
  search: SearchMode,
): Fragment {
  if (text === null || search === "test") return allSql(definition, conditions, search);
  const { sql: found, values } = wordsTableOf(definition)!.holding(text);
  const asked = withoutIndexes(allSql(definition, conditions, search));
  return join([{ sql: `seq in (${found})`, values }, asked], " and ", "1");
}

/** Whether an index can find records by more than `isDeleted`. */
const canUseIndex = ({ definition, conditions, isByWords }: QueryPlan): boolean =>
  isByWords ||
  conditions.some((one) => {
    if (one.op === "or") return true;
    const path = equalityPath(one) ?? rangePath(one);
    return path === "_id" || (path !== null && path === definition.expiry) ||
      definition.indexes.some(({ keys }) => keys.some((key) => key.path === path));
  });

interface ArrayJoin {
  readonly array: ArrayLookup;
  readonly plain: RecordSource;
  readonly options: SourceOptions;
}

function joinArrayTable(plan: QueryPlan, { array, plain, options }: ArrayJoin): RecordSource {
  const { definition, conditions } = plan;
  const { table, condition } = array;
  const isOrdered = array.isOrdered && options.bySort;
  const isAlone = array.coversFilter && (isOrdered || options.isCount === true);
  // SQLite starts with the left side of a `cross join`. For a plain join it starts with either
  // table and uses the conditions of both.
  const others = isOrdered || isAlone
    ? array.others
    : conditions.filter((one) => one !== condition);
  const asked = arrayTableCondition(plan, array, options);
  const side = definition.trash ? [columnOf(table, "isDeleted")!] : [];
  return {
    from: isAlone
      ? table.name
      : isOrdered
      ? `${table.name} cross join ${plain.from} using (seq)`
      : `${plain.from} join ${table.name} using (seq)`,
    filter: join([asked, allSql(definition, others, "test")], " and ", "1"),
    sides: isOrdered ? side : [...side, ...plain.sides],
    valueOf: (path) => isOrdered ? columnOf(table, path)! : plain.valueOf(path),
  };
}

/**
 * Returns the filter with a subquery on the array's table. One array may contain several of the
 * values, so the records are collected before they are read. The guard counts the table's rows,
 * too.
 */
function arrayTableFirst(plan: QueryPlan, array: ArrayLookup): Fragment {
  const { definition, conditions } = plan;
  const asked = arrayTableCondition(plan, array, { isSplit: false });
  const found = sql(
    `seq in (select seq from ${array.table.name} where ${GUARD} and ${asked.sql})`,
    ...asked.values,
  );
  const others = conditions.filter((one) => one !== array.condition);
  return join([found, allSql(definition, others, "test")], " and ", "1");
}

function arrayTableCondition(
  { definition, conditions }: QueryPlan,
  { table, condition, fixed }: ArrayLookup,
  { isSplit }: Pick<SourceOptions, "isSplit">,
): Fragment {
  const parts: Fragment[] = [];
  if (definition.trash && !isSplit) {
    const side = conditions.find(isTrashCondition);
    const column = columnOf(table, "isDeleted")!;
    // Both values are listed so that the index can be used.
    parts.push(side ? declaredSql(column, "Boolean", side) : sql(`${column} in (0, 1)`));
  }
  for (const [path, equality] of fixed) {
    parts.push(declaredSql(columnOf(table, path)!, scalarAt(definition, path)!, equality));
  }
  parts.push(elementSqlIn(table, condition));
  return join(parts, " and ", "1");
}

const columnOf = ({ keys }: ArrayTable, path: string): string | undefined =>
  keys.find((key) => key.path === path)?.column;
