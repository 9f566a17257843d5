import type { Db, Document } from "mongodb";
import { boundedBy, conjuncts, fixedBy } from "../advice.ts";
import type { Definition, Explanation, Filter, SortKey } from "../port.ts";
import { repeatable } from "./failures.ts";
import { searchPathsOf } from "../search.ts";
import { indexNamed, OWN_ID_INDEX, WORDS_INDEX } from "./indexes.ts";

/** How MongoDB runs a command, by its own account: it runs it for that. */
export async function explained(
  db: Db,
  definition: Definition,
  { command, filter, maxTimeMS }: { command: Document; filter: Filter; maxTimeMS: number },
): Promise<Pick<Explanation, "index" | "examined">> {
  const explain = { explain: command, verbosity: "executionStats", maxTimeMS };
  const answer = await repeatable(() => db.command(explain));
  const { totalKeysExamined = 0, totalDocsExamined = 0 } = answer.executionStats ?? {};
  return {
    index: indexOf(definition, filter, answer.queryPlanner?.winningPlan),
    examined: Math.max(totalKeysExamined, totalDocsExamined),
  };
}

/** An index that only tells live and deleted records apart does not serve a list. */
function indexOf(
  definition: Definition,
  filter: Filter,
  plan: Document | undefined,
): readonly SortKey[] | null {
  const name = found(plan, "indexName");
  if (name === null) return /^(?:IDHACK|EXPRESS_)/.test(stagesOf(plan).join()) ? BY_ID : null;
  if (name === OWN_ID_INDEX) return BY_ID;
  if (name === WORDS_INDEX) {
    return searchPathsOf(definition).map((path) => ({ path, descending: false }));
  }
  const keys = indexNamed(definition, name)?.keys;
  if (keys === undefined) return null;
  const asked = conjuncts(filter).flatMap((one) => [fixedBy(one), boundedBy(one)]);
  const isSorted = stagesOf(plan).every((stage) => stage !== "SORT");
  return isSorted || asked.includes(keys[0]!.path) ? keys : null;
}

const BY_ID: readonly SortKey[] = [{ path: "_id", descending: false }];

/** The first member of this name, however deep. */
function found(plan: unknown, name: string): string | null {
  if (typeof plan !== "object" || plan === null) return null;
  for (const [key, value] of Object.entries(plan)) {
    if (key === name && typeof value === "string") return value;
    const inner = found(value, name);
    if (inner !== null) return inner;
  }
  return null;
}

function stagesOf(plan: unknown): string[] {
  if (typeof plan !== "object" || plan === null) return [];
  return Object.entries(plan).flatMap(([key, value]) =>
    key === "stage" && typeof value === "string" ? [value] : stagesOf(value)
  );
}
