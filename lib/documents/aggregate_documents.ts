import type { Caller } from "../auth/principals.ts";
import type { QueryWarning } from "../http/respond.ts";
import type { Figure, Group, GroupKey } from "../store/aggregation.ts";
import { and } from "../store/filter.ts";
import type { Scalar } from "../store/port.ts";
import { type AccessServices, openForReading } from "./access.ts";
import { type AggregateRequest, parseAggregateQuery } from "./aggregate_query.ts";
import { withSizeLimit } from "./bounded_answer.ts";

type Value = Scalar | { readonly [path: string]: Scalar };

/** A group in the response: its `key`, and the requested figures by operation. */
export type GroupResult = { readonly [name: string]: Value };

export interface GroupResults {
  readonly groups: readonly GroupResult[];
  readonly more: boolean;
  readonly warnings: readonly QueryWarning[];
}

/** Groups the documents that the caller may see. Throws `QueryTooSlow` and `ANSWER_TOO_LARGE`. */
export async function aggregateDocuments(
  services: AccessServices,
  caller: Caller,
  { collectionName, query }: { collectionName: string; query: string },
): Promise<GroupResults> {
  const source = await openForReading(services, caller, collectionName);
  const { includeDeleted, warnings, ...request } = parseAggregateQuery(source.collection, query);
  // Row-level security is added last, so no parameter can widen it.
  const filter = and(request.filter, source.visible(includeDeleted));
  const { groups, more } = await withSizeLimit(() =>
    source.records.aggregate({ ...request, filter })
  );
  return { groups: groups.map((group) => toGroupResult(request, group)), more, warnings };
}

function toGroupResult(
  { keys, figures }: Pick<AggregateRequest, "keys" | "figures">,
  group: Group,
): GroupResult {
  const key = Object.fromEntries(keys.map(({ path }: GroupKey, i) => [path, group.keys[i]!]));
  const result: Record<string, Value> = { key };
  for (const [op, sameOperation] of Map.groupBy(figures.entries(), ([, figure]) => figure.op)) {
    const values = sameOperation.map((
      [i, figure],
    ): [string, Scalar] => [figurePath(figure), group.figures[i]!]);
    result[op] = op === "count" ? values[0]![1] : Object.fromEntries(values);
  }
  return result;
}

const figurePath = (figure: Figure): string => figure.op === "count" ? "" : figure.path;
