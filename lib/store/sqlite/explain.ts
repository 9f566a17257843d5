import { adviseIndexIfSlow, equalityPath, rangePath } from "../advice.ts";
import { QueryTooSlow } from "../errors.ts";
import { ALL, and } from "../filter.ts";
import type { Definition, Explanation, Filter, Index, ListQuery, SortKey } from "../port.ts";
import { searchPathsOf } from "../search.ts";
import { indexName } from "./index_names.ts";
import { isSearch, type SearchMode } from "./filter_sql.ts";
import { filterIndexStatement, type PageStatement, pageStatement } from "./keyset.ts";
import type { QueryPlan } from "./plan.ts";
import { FEW_ROWS_MAX } from "./scan.ts";
import { countStatement } from "./statements.ts";
import type { TextLookup } from "./words_table.ts";

export interface ExplainSource {
  readonly plan: QueryPlan;
  planOf(statement: string): Promise<readonly string[]>;
  /** Whether only few records may contain a text. */
  isSelective(lookup: TextLookup): Promise<boolean>;
  /** Throws `QueryTooSlow`. */
  count(filter: Filter): Promise<number>;
}

interface StatementPlan {
  /** Keys of the index that finds the rows or provides their order; null if there is none. */
  readonly index: readonly SortKey[] | null;
  /** The conditions that the index answers. */
  readonly lookedUp: Filter;
  /** Whether further conditions are tested on the rows. */
  readonly isFiltered: boolean;
  /** Whether the rows are sorted after they are read. */
  readonly isSorted: boolean;
}

/** Explains a list by SQLite's query plan and by counting the rows that its index finds. */
export async function explain(source: ExplainSource, query: ListQuery): Promise<Explanation> {
  const { plan } = source;
  const { definition, conditions, text } = plan;
  const search = conditions.find(isSearch);
  if (search !== undefined) {
    const keys = searchPathsOf(definition).map((path) => ({ path, descending: false }));
    const examined = await countOrEstimate(source, search, Infinity);
    return { index: keys, examined, advice: adviseIndexIfSlow(definition, query, examined) };
  }
  if (text !== null && await source.isSelective(text)) {
    const keys = [{ path: text.path, descending: false }];
    const examined = await countOrEstimate(source, query.filter, Infinity);
    return { index: keys, examined, advice: adviseIndexIfSlow(definition, query, examined) };
  }
  const usual = await estimatePage(
    source,
    pageStatement(plan, query, { search: searchModeOf(plan) }),
    query,
  );
  const byFilterIndex = filterIndexStatement(plan, query);
  const page = byFilterIndex === null || usual.examined <= FEW_ROWS_MAX
    ? usual
    : cheaperEstimate(usual, await estimatePage(source, byFilterIndex, query));
  const total = query.total ? await examinedForTotal(source) : 0;
  const examined = Math.max(page.examined, total);
  return { index: page.index, examined, advice: adviseIndexIfSlow(definition, query, examined) };
}

/** Returns the mode of searches whose words are not looked up. */
const searchModeOf = ({ isByWords }: QueryPlan): SearchMode => isByWords ? "test" : "lookup";

type PageEstimate = Pick<Explanation, "index" | "examined">;

/** Prefers the statement by an index for the filter if it examines few rows. */
const cheaperEstimate = (usual: PageEstimate, byFilterIndex: PageEstimate): PageEstimate =>
  byFilterIndex.examined <= FEW_ROWS_MAX ? byFilterIndex : usual;

async function estimatePage(
  source: ExplainSource,
  { sql }: PageStatement,
  query: ListQuery,
): Promise<PageEstimate> {
  const statement = readStatementPlan(source.plan, await source.planOf(sql.seq));
  return { index: statement.index, examined: await examinedForPage(source, statement, query) };
}

async function examinedForPage(
  source: ExplainSource,
  statement: StatementPlan,
  query: ListQuery,
): Promise<number> {
  const rows = await countOrEstimate(source, statement.lookedUp, Infinity);
  if (statement.isSorted) return rows;
  const rowsWanted = (query.offset ?? 0) + query.limit + 1;
  if (!statement.isFiltered) return Math.min(rows, rowsWanted);
  // The positions of matches are unknown, so an even distribution is assumed.
  const matches = await countOrEstimate(source, query.filter, 1);
  return Math.min(rows, Math.ceil(rowsWanted * rows / Math.max(matches, 1)));
}

async function examinedForTotal(source: ExplainSource): Promise<number> {
  const count = countStatement(source.plan, searchModeOf(source.plan));
  if (count.isStored) return 0;
  const statement = readStatementPlan(source.plan, await source.planOf(count.fragment.sql));
  return await countOrEstimate(source, statement.lookedUp, Infinity);
}

/** Counts records, or estimates them as all records, at most `most`, if that is too slow. */
async function countOrEstimate(
  source: ExplainSource,
  filter: Filter,
  most: number,
): Promise<number> {
  try {
    return await source.count(filter);
  } catch (error) {
    if (!(error instanceof QueryTooSlow)) throw error;
    return Math.min(most, await source.count(ALL));
  }
}

function readStatementPlan(
  { definition, filter, conditions }: QueryPlan,
  steps: readonly string[],
): StatementPlan {
  const isSorted = steps.some((step) =>
    step.includes("FOR ORDER BY") || step.includes("OF ORDER BY")
  );
  const step = steps.find((one) => /^(?:SEARCH|SCAN) a_.* INDEX i_/.test(one)) ??
    steps.find((one) => /^(?:SEARCH|SCAN) r_/.test(one)) ?? "";
  const keys = keysOf(definition, step);
  if (steps.includes("MULTI-INDEX OR")) {
    return { index: keys, lookedUp: filter, isFiltered: false, isSorted };
  }
  const bounds = (step.match(/[<>=]\?/g) ?? []).length;
  const side = conditions.filter((one) => definition.trash && equalityPath(one) === "isDeleted");
  const found = keys === null ? [] : conditionsServedBy(keys, conditions);
  const lookedUp = bounds === 0 ? [] : [...side, ...found];
  return {
    index: found.length > 0 || !isSorted ? keys : null,
    lookedUp: and(...lookedUp),
    isFiltered: lookedUp.length < conditions.length,
    isSorted,
  };
}

/** Returns the conditions that the leading keys of an index answer: equalities, then a range. */
function conditionsServedBy(keys: readonly SortKey[], conditions: readonly Filter[]): Filter[] {
  const served: Filter[] = [];
  for (const { path } of keys) {
    const fixing = conditions.filter((one) => equalityPath(one) === path);
    if (fixing.length === 0) {
      return [...served, ...conditions.filter((one) => rangePath(one) === path)];
    }
    served.push(...fixing);
  }
  return served;
}

/** Returns the keys of the index that a step of a plan names. */
function keysOf(definition: Definition, step: string): readonly SortKey[] | null {
  if (step.includes("INDEX sqlite_autoindex_")) return [{ path: "_id", descending: false }];
  const indexes: Index[] = [...definition.indexes];
  if (definition.expiry !== undefined) {
    indexes.push({ keys: [{ path: definition.expiry, descending: false }] });
  }
  const used = indexes.find((index) => step.includes(`INDEX ${indexName(definition, index)}`));
  return used?.keys ?? null;
}
