import { boundedBy, conjuncts, fixedBy, sortedBy } from "../advice.ts";
import type { Definition, Filter, ListQuery, Scalar, SortKey } from "../port.ts";
import { isOfType, scalarAt } from "../shape.ts";
import { type ArrayKey, type ArrayTable, arrayTablesOf } from "./array_tables.ts";
import { GUARD } from "./budget.ts";
import {
  declaredSql,
  elementSqlIn,
  filterSql,
  isFoundByWords,
  type Positive,
  type SearchWay,
} from "./filter_sql.ts";
import { type Fragment, join, sql } from "./fragment.ts";
import { scalarSql } from "./columns.ts";
import { tableName } from "./table_name.ts";

/** What a statement reads records from. */
export interface Source {
  /** What stands behind `from`; it has a column `seq`. */
  readonly from: string;
  /** Everything that is asked, but for the side of the trash where the filter leaves that open. */
  readonly filter: Fragment;
  /** Columns that tell live from deleted: where both are read, each by itself, all of them do. */
  readonly sides: readonly string[];
  /** The value of a path as the source is ordered by it. */
  valueOf(path: string): string;
}

type Found = Exclude<Positive, { op: "regex" }>;
type Fixed = { readonly op: "eq"; readonly path: string; readonly value: Scalar };

/** A condition that the table of an array can be asked, and the keys that are fixed with it. */
interface Lookup {
  readonly table: ArrayTable;
  readonly condition: Found;
  /** Equalities with scalars, by the paths of keys in front of the array and right behind it. */
  readonly fixed: ReadonlyMap<string, Fixed>;
  /** Whether what is left of the keys is the order that is asked for. */
  readonly isOrdered: boolean;
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
  readonly search?: SearchWay;
}

/**
 * Where to read the records of a list or a count. An equality with an element of an array that has
 * a table is a join with that: each record is found once. Where the table has the order, it is read
 * in it; elsewhere SQLite chooses whether to begin with the table or with the records.
 */
export function sourceOf(
  definition: Definition,
  { filter, sort }: Pick<ListQuery, "filter" | "sort">,
  options: SourceOptions,
): Source {
  const { search = "lookup", isCount = false } = options;
  const condition = filterSql(definition, filter, search);
  const plain: Source = {
    from: tableName(definition),
    // SQLite takes the trash for as large as all else, and would find all the rest by an index.
    filter: isCount && !mayBeSought(definition, filter)
      ? sql(`+(${condition.sql})`, ...condition.values)
      : condition,
    sides: definition.trash ? [scalarSql(definition, "isDeleted")] : [],
    valueOf: (path) => scalarSql(definition, path),
  };
  if (search === "lookup" && isFoundByWords(definition, filter)) return plain;
  const lookup = bestLookup(definition, { filter, sort });
  if (lookup === null) return plain;
  if (lookup.condition.op === "eq") return joined(definition, { lookup, filter, plain, options });
  const isRange = lookup.condition.op !== "in";
  return isRange && !options.byRange
    ? plain
    : { ...plain, filter: foundFirst(definition, lookup, filter) };
}

/** Whether an index may find what is asked for by more than on which side of the trash it is. */
const mayBeSought = (definition: Definition, filter: Filter): boolean =>
  isFoundByWords(definition, filter) ||
  conjuncts(filter).some((one) => {
    if (one.op === "or") return true;
    const path = fixedBy(one) ?? boundedBy(one);
    return path === "_id" || (path !== null && path === definition.expiry) ||
      definition.indexes.some(({ keys }) => keys.some((key) => key.path === path));
  });

interface Joining {
  readonly lookup: Lookup;
  readonly filter: Filter;
  readonly plain: Source;
  readonly options: SourceOptions;
}

function joined(definition: Definition, { lookup, filter, plain, options }: Joining): Source {
  const { table } = lookup;
  const isOrdered = lookup.isOrdered && options.bySort;
  const unasked = unaskedOf(definition, lookup, filter);
  const isAlone = unasked.length === 0 && (isOrdered || options.isCount === true);
  // SQLite begins with what stands first, if so told; else with either, by all conditions of both.
  const others = isOrdered || isAlone
    ? unasked
    : conjuncts(filter).filter((one) => one !== lookup.condition);
  const asked = askedOf(definition, lookup, { filter, twice: options.twice });
  const side = definition.trash ? [columnOf(table, "isDeleted")!] : [];
  return {
    from: isAlone
      ? table.name
      : isOrdered
      ? `${table.name} cross join ${plain.from} using (seq)`
      : `${plain.from} join ${table.name} using (seq)`,
    filter: join([asked, filterSql(definition, { op: "and", of: others }, "test")], " and ", "1"),
    sides: isOrdered ? side : [...side, ...plain.sides],
    valueOf: (path) => isOrdered ? columnOf(table, path)! : plain.valueOf(path),
  };
}

/** What the array's table cannot be asked, and what would contradict what it is asked. */
function unaskedOf({ trash }: Definition, { condition, fixed }: Lookup, filter: Filter): Filter[] {
  const all = conjuncts(filter);
  const asked: readonly (Filter | undefined)[] = [
    condition,
    ...fixed.values(),
    trash ? all.find(isSide) : undefined,
  ];
  return all.filter((one) => !asked.includes(one));
}

/**
 * Several values, or a range of them, may lie in one array: what has them is collected before it is
 * read. The guard counts that, too.
 */
function foundFirst(definition: Definition, lookup: Lookup, filter: Filter): Fragment {
  const { table, condition } = lookup;
  const asked = askedOf(definition, lookup, { filter, twice: false });
  const found = sql(
    `seq in (select seq from ${table.name} where ${GUARD} and ${asked.sql})`,
    ...asked.values,
  );
  const others = conjuncts(filter).filter((one) => one !== condition);
  return join([found, filterSql(definition, { op: "and", of: others }, "test")], " and ", "1");
}

/** What is asked of the array's table. */
function askedOf(
  definition: Definition,
  { table, condition, fixed }: Lookup,
  { filter, twice }: { filter: Filter; twice: boolean },
): Fragment {
  const parts: Fragment[] = [];
  if (definition.trash && !twice) {
    const side = conjuncts(filter).find(isSide);
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

export const isEquality = (filter: Filter): filter is Filter & Fixed => filter.op === "eq";

const isSide = (filter: Filter): filter is Filter & Fixed =>
  isEquality(filter) && filter.path === "isDeleted";

const columnOf = ({ keys }: ArrayTable, path: string): string | undefined =>
  keys.find((key) => key.path === path)?.column;

/** The one that has the order, else the one that fixes most. */
function bestLookup(
  definition: Definition,
  query: Pick<ListQuery, "filter" | "sort">,
): Lookup | null {
  let best: Lookup | null = null;
  for (const table of arrayTablesOf(definition)) {
    for (const condition of conjuncts(query.filter)) {
      if (!isFound(table, condition)) continue;
      const lookup = lookupIn(definition, { table, condition, query });
      if (lookup !== null && (best === null || rank(lookup) > rank(best))) best = lookup;
    }
  }
  return best;
}

const FORMS = { eq: 2, in: 1, gt: 0, gte: 0, lt: 0, lte: 0 } as const;

const rank = ({ condition, fixed, isOrdered }: Lookup): number =>
  FORMS[condition.op] * 100 + (isOrdered ? 10 : 0) + fixed.size;

/** Whether the table alone tells who fulfils the condition. */
function isFound({ path, type }: ArrayTable, filter: Filter): filter is Filter & Found {
  switch (filter.op) {
    case "in":
      return filter.path === path && !filter.values.includes(null);
    case "eq":
    case "gt":
    case "gte":
    case "lt":
    case "lte":
      return filter.path === path && isOfType(type, filter.value);
    default:
      return false;
  }
}

/** Null where a key in front of the array is not fixed. */
function lookupIn(
  definition: Definition,
  { table, condition, query }: {
    table: ArrayTable;
    condition: Found;
    query: Pick<ListQuery, "filter" | "sort">;
  },
): Lookup | null {
  const fixed = new Map<string, Fixed>();
  const keys = table.keys.filter(({ path }) => !(definition.trash && path === "isDeleted"));
  const at = keys.findIndex(({ path }) => path === table.path);
  let left = keys.length;
  for (const [i, { path }] of keys.entries()) {
    if (i === at) continue;
    const equality = conjuncts(query.filter).filter(isEquality).find((one) => one.path === path);
    if (equality === undefined) {
      if (i < at) return null;
      left = i;
      break;
    }
    fixed.set(path, equality);
  }
  const isOrdered = condition.op === "eq" && hasOrder(keys.slice(left), sortedBy(query.sort));
  return { table, condition, fixed, isOrdered };
}

/** Read from either end. */
const hasOrder = (keys: readonly ArrayKey[], order: readonly SortKey[]): boolean =>
  keys.length === order.length && keys.every(({ path }, i) => path === order[i]!.path) &&
  new Set(keys.map(({ descending }, i) => descending === order[i]!.descending)).size === 1;

/** Whether the array's table has exactly what is asked for, in its order. */
export const isServedByArray = (
  definition: Definition,
  query: Pick<ListQuery, "filter" | "sort">,
): boolean => wholeLookup(definition, query)?.isOrdered === true;

/** Whether the array's table has exactly what is counted, in one piece. */
export const isToldByArray = (definition: Definition, filter: Filter): boolean =>
  wholeLookup(definition, { filter, sort: [] })?.condition.op === "eq";

/** The best lookup, if it asks the array's table for all that is asked. */
function wholeLookup(
  definition: Definition,
  query: Pick<ListQuery, "filter" | "sort">,
): Lookup | null {
  const lookup = bestLookup(definition, query);
  const isWhole = lookup !== null && unaskedOf(definition, lookup, query.filter).length === 0;
  return isWhole ? lookup : null;
}
