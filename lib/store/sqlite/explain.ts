import { adviseKnowing, boundedBy, fixedBy } from "../advice.ts";
import { QueryTooSlow } from "../errors.ts";
import { ALL, and } from "../filter.ts";
import type { Definition, Explanation, Filter, Index, ListQuery, SortKey } from "../port.ts";
import { searchPathsOf } from "../search.ts";
import { indexName } from "./index_names.ts";
import { isSearch, type SearchWay } from "./filter_sql.ts";
import { type PageStatement, pageStatement, soughtStatement } from "./keyset.ts";
import type { QueryPlan } from "./plan.ts";
import { FEW_ROWS } from "./scan.ts";
import { countStatement } from "./statements.ts";
import type { TextLookup } from "./words_table.ts";

/** What an explanation is made from. */
export interface Source {
  readonly plan: QueryPlan;
  /** The steps of a statement's query plan. */
  planOf(statement: string): Promise<readonly string[]>;
  /** Whether few records may hold a text. */
  isNarrow(lookup: TextLookup): Promise<boolean>;
  /** Throws `QueryTooSlow`. */
  count(filter: Filter): Promise<number>;
}

/** How a statement comes by its rows. */
interface Way {
  /** Keys of the index that finds them or has them in order; null if none does either. */
  readonly index: readonly SortKey[] | null;
  /** What the index was asked for. */
  readonly lookedUp: Filter;
  /** Whether more is asked of the rows than that. */
  readonly filtered: boolean;
  readonly sorted: boolean;
}

/** SQLite's own plan says which index it takes; how much lies there is counted. */
export async function explain(source: Source, query: ListQuery): Promise<Explanation> {
  const { plan } = source;
  const { definition, conditions, text } = plan;
  const search = conditions.find(isSearch);
  if (search !== undefined) {
    const keys = searchPathsOf(definition).map((path) => ({ path, descending: false }));
    const examined = await countOr(source, search, Infinity);
    return { index: keys, examined, advice: adviseKnowing(definition, query, examined) };
  }
  if (text !== null && await source.isNarrow(text)) {
    const keys = [{ path: text.path, descending: false }];
    const examined = await countOr(source, query.filter, Infinity);
    return { index: keys, examined, advice: adviseKnowing(definition, query, examined) };
  }
  const usual = await pageBy(source, pageStatement(plan, query, { search: usualWay(plan) }), query);
  const sought = soughtStatement(plan, query);
  const page = sought === null || usual.examined <= FEW_ROWS
    ? usual
    : fewer(usual, await pageBy(source, sought, query));
  const total = query.total ? await examinedForTotal(source) : 0;
  const examined = Math.max(page.examined, total);
  return { index: page.index, examined, advice: adviseKnowing(definition, query, examined) };
}

/** Returns how records are read whose words are not looked up. */
const usualWay = ({ isByWords }: QueryPlan): SearchWay => isByWords ? "test" : "lookup";

type Found = Pick<Explanation, "index" | "examined">;

/** What takes many rows is looked for in the way that is better where few match. */
const fewer = (usual: Found, sought: Found): Found => sought.examined <= FEW_ROWS ? sought : usual;

async function pageBy(
  source: Source,
  { sql }: PageStatement,
  query: ListQuery,
): Promise<Found> {
  const way = wayOf(source.plan, await source.planOf(sql.seq));
  return { index: way.index, examined: await examinedForPage(source, way, query) };
}

async function examinedForPage(source: Source, way: Way, query: ListQuery): Promise<number> {
  const rows = await countOr(source, way.lookedUp, Infinity);
  if (way.sorted) return rows;
  const wanted = (query.offset ?? 0) + query.limit + 1;
  if (!way.filtered) return Math.min(rows, wanted);
  // Where matches lie is not known: as if they were spread evenly.
  const matches = await countOr(source, query.filter, 1);
  return Math.min(rows, Math.ceil(wanted * rows / Math.max(matches, 1)));
}

async function examinedForTotal(source: Source): Promise<number> {
  const count = countStatement(source.plan, usualWay(source.plan));
  if (count.kept) return 0;
  const way = wayOf(source.plan, await source.planOf(count.fragment.sql));
  return await countOr(source, way.lookedUp, Infinity);
}

/** What takes too long to count is estimated by what is known: all records, or so few. */
async function countOr(source: Source, filter: Filter, most: number): Promise<number> {
  try {
    return await source.count(filter);
  } catch (error) {
    if (!(error instanceof QueryTooSlow)) throw error;
    return Math.min(most, await source.count(ALL));
  }
}

function wayOf({ definition, filter, conditions }: QueryPlan, steps: readonly string[]): Way {
  const sorted = steps.some((step) =>
    step.includes("FOR ORDER BY") || step.includes("OF ORDER BY")
  );
  const step = steps.find((one) => /^(?:SEARCH|SCAN) a_.* INDEX i_/.test(one)) ??
    steps.find((one) => /^(?:SEARCH|SCAN) r_/.test(one)) ?? "";
  const keys = keysOf(definition, step);
  if (steps.includes("MULTI-INDEX OR")) {
    return { index: keys, lookedUp: filter, filtered: false, sorted };
  }
  const bounds = (step.match(/[<>=]\?/g) ?? []).length;
  const side = conditions.filter((one) => definition.trash && fixedBy(one) === "isDeleted");
  const found = keys === null ? [] : servedBy(keys, conditions);
  const lookedUp = bounds === 0 ? [] : [...side, ...found];
  return {
    index: found.length > 0 || !sorted ? keys : null,
    lookedUp: and(...lookedUp),
    filtered: lookedUp.length < conditions.length,
    sorted,
  };
}

/** The conditions that the leading keys of an index answer: equalities, and one range behind. */
function servedBy(keys: readonly SortKey[], conditions: readonly Filter[]): Filter[] {
  const served: Filter[] = [];
  for (const { path } of keys) {
    const fixing = conditions.filter((one) => fixedBy(one) === path);
    if (fixing.length === 0) {
      return [...served, ...conditions.filter((one) => boundedBy(one) === path)];
    }
    served.push(...fixing);
  }
  return served;
}

/** Keys of the index that a step of a plan names. */
function keysOf(definition: Definition, step: string): readonly SortKey[] | null {
  if (step.includes("INDEX sqlite_autoindex_")) return [{ path: "_id", descending: false }];
  const indexes: Index[] = [...definition.indexes];
  if (definition.expiry !== undefined) {
    indexes.push({ keys: [{ path: definition.expiry, descending: false }] });
  }
  const used = indexes.find((index) => step.includes(`INDEX ${indexName(definition, index)}`));
  return used?.keys ?? null;
}
