import { boundedBy, fixedBy } from "../advice.ts";
import { scalarAt } from "../shape.ts";
import type { ArrayTable } from "./array_tables.ts";
import { GUARD } from "./budget.ts";
import { scalarSql } from "./columns.ts";
import {
  allSql,
  declaredSql,
  elementSqlIn,
  keptFromIndexes,
  type SearchWay,
} from "./filter_sql.ts";
import { type Fragment, join, sql } from "./fragment.ts";
import { type ArrayLookup, isSide, type QueryPlan } from "./plan.ts";
import { tableName } from "./table_name.ts";
import { wordsTableOf } from "./words_table.ts";

/** What a statement reads records from. */
export interface Source {
  /** The SQL behind `from`; it has a column `seq`. */
  readonly from: string;
  /** Everything that is asked, but for the side of the trash where the filter leaves that open. */
  readonly filter: Fragment;
  /** Columns that distinguish live from deleted records. To read one side, all of them are asked. */
  readonly sides: readonly string[];
  /** Returns the value of a path as the source is ordered by it. */
  valueOf(path: string): string;
}

export interface SourceOptions {
  /** Whether records may come in the order of the array's table. */
  readonly bySort: boolean;
  /** Whether a range of values may be looked up, which is dear where most are in it. */
  readonly byRange: boolean;
  /** Whether live and deleted records are read each by itself. */
  readonly twice: boolean;
  /** Whether they are only counted. */
  readonly isCount?: boolean;
  /** How records are found whose words are searched for; those go before arrays. */
  readonly search: SearchWay;
}

/**
 * Returns where to read the records of a list or a count. An equality with an element of an array
 * that has a table is a join with that: each record is found once. Where the table has the order, it
 * is read in it; elsewhere SQLite chooses whether to begin with the table or with the records.
 */
export function sourceOf(plan: QueryPlan, options: SourceOptions): Source {
  const { definition, array, isByWords } = plan;
  const { search, isCount = false } = options;
  const condition = whereSql(plan, search);
  const plain: Source = {
    from: tableName(definition),
    // SQLite takes the trash for as large as all else, and would find all the rest by an index.
    filter: isCount && !mayBeSought(plan) ? keptFromIndexes(condition) : condition,
    sides: definition.trash ? [scalarSql(definition, "isDeleted")] : [],
    valueOf: (path) => scalarSql(definition, path),
  };
  if (array === null || (search === "lookup" && isByWords)) return plain;
  if (array.condition.op === "eq") return joined(plan, { array, plain, options });
  const isRange = array.condition.op !== "in";
  return isRange && !options.byRange ? plain : { ...plain, filter: foundFirst(plan, array) };
}

/** Returns the filter as a condition that is true for matches. */
export function whereSql(
  { definition, conditions, text }: QueryPlan,
  search: SearchWay,
): Fragment {
  if (text === null || search === "test") return allSql(definition, conditions, search);
  const { sql: found, values } = wordsTableOf(definition)!.holding(text);
  const asked = keptFromIndexes(allSql(definition, conditions, search));
  return join([{ sql: `seq in (${found})`, values }, asked], " and ", "1");
}

/** Whether an index may find what is asked for by more than the side of the trash. */
const mayBeSought = ({ definition, conditions, isByWords }: QueryPlan): boolean =>
  isByWords ||
  conditions.some((one) => {
    if (one.op === "or") return true;
    const path = fixedBy(one) ?? boundedBy(one);
    return path === "_id" || (path !== null && path === definition.expiry) ||
      definition.indexes.some(({ keys }) => keys.some((key) => key.path === path));
  });

interface Joining {
  readonly array: ArrayLookup;
  readonly plain: Source;
  readonly options: SourceOptions;
}

function joined(plan: QueryPlan, { array, plain, options }: Joining): Source {
  const { definition, conditions } = plan;
  const { table, condition } = array;
  const isOrdered = array.isOrdered && options.bySort;
  const isAlone = array.isWhole && (isOrdered || options.isCount === true);
  // SQLite begins with what stands first behind a `cross join`; else with either table, by all
  // conditions of both.
  const others = isOrdered || isAlone
    ? array.others
    : conditions.filter((one) => one !== condition);
  const asked = askedOf(plan, array, options);
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
 * Several values, or a range of them, may lie in one array: the records that have them are collected
 * before they are read. The guard counts that, too.
 */
function foundFirst(plan: QueryPlan, array: ArrayLookup): Fragment {
  const { definition, conditions } = plan;
  const asked = askedOf(plan, array, { twice: false });
  const found = sql(
    `seq in (select seq from ${array.table.name} where ${GUARD} and ${asked.sql})`,
    ...asked.values,
  );
  const others = conditions.filter((one) => one !== array.condition);
  return join([found, allSql(definition, others, "test")], " and ", "1");
}

/** Returns what is asked of the array's table. */
function askedOf(
  { definition, conditions }: QueryPlan,
  { table, condition, fixed }: ArrayLookup,
  { twice }: Pick<SourceOptions, "twice">,
): Fragment {
  const parts: Fragment[] = [];
  if (definition.trash && !twice) {
    const side = conditions.find(isSide);
    const column = columnOf(table, "isDeleted")!;
    // Both sides are named, so that the index can be asked.
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
