import type { Db, Document } from "mongodb";
import { conjuncts, equalityPath, rangePath } from "../advice.ts";
import type { Definition, Explanation, Filter, SortKey } from "../port.ts";
import { retryOnce } from "./failures.ts";
import { searchPathsOf } from "../search.ts";
import { indexNamed, OWN_ID_INDEX, WORDS_INDEX } from "./indexes.ts";

/** Returns the index and the number of examined entries by running a command. */
export async function explainCommand(
  db: Db,
  definition: Definition,
  { command, filter, maxTimeMS }: { command: Document; filter: Filter; maxTimeMS: number },
): Promise<Pick<Explanation, "index" | "examined">> {
  const explain = { explain: command, verbosity: "executionStats", maxTimeMS };
  const answer = await retryOnce(() => db.command(explain));
  const { totalKeysExamined = 0, totalDocsExamined = 0 } = answer.executionStats ?? {};
  return {
    index: indexOf(definition, filter, answer.queryPlanner?.winningPlan),
    examined: Math.max(totalKeysExamined, totalDocsExamined),
  };
}

/** Returns the keys of the index that serves a plan, other than by `isDeleted` alone. */
function indexOf(
  definition: Definition,
  filter: Filter,
  plan: Document | undefined,
): readonly SortKey[] | null {
  const name = findMember(plan, "indexName");
  if (name === null) return /^(?:IDHACK|EXPRESS_)/.test(stagesOf(plan).join()) ? BY_ID : null;
  if (name === OWN_ID_INDEX) return BY_ID;
  if (name === WORDS_INDEX) {
    return searchPathsOf(definition).map((path) => ({ path, descending: false }));
  }
  const keys = indexNamed(definition, name)?.keys;
  if (keys === undefined) return null;
  const asked = conjuncts(filter).flatMap((one) => [equalityPath(one), rangePath(one)]);
  const isSorted = stagesOf(plan).every((stage) => stage !== "SORT");
  return isSorted || asked.includes(keys[0]!.path) ? keys : null;
}

const BY_ID: readonly SortKey[] = [{ path: "_id", descending: false }];

/** Returns the first text member of a name at any depth; null if there is none. */
function findMember(plan: unknown, name: string): string | null {
  if (typeof plan !== "object" || plan === null) return null;
  for (const [key, value] of Object.entries(plan)) {
    if (key === name && typeof value === "string") return value;
    const inner = findMember(value, name);
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
