import type { Caller } from "../auth/principals.ts";
import type { QueryWarning } from "../http/respond.ts";
import type { Figure, Group, GroupKey } from "../store/aggregation.ts";
import { and } from "../store/filter.ts";
import type { Scalar } from "../store/port.ts";
import { type AccessServices, openForReading } from "./access.ts";
import { type AggregateRequest, parseAggregateQuery } from "./aggregate_query.ts";
import { boundedAnswer } from "./bounded_answer.ts";

type Value = Scalar | { readonly [path: string]: Scalar };

/** What is answered of a group: `key`, and the figures that were asked for. */
export type ShownGroup = { readonly [name: string]: Value };

export interface ShownGroups {
  readonly groups: readonly ShownGroup[];
  /** Whether there are more than the limit. */
  readonly more: boolean;
  /** Of conditions on fields that nobody declared. */
  readonly warnings: readonly QueryWarning[];
}

/**
 * Groups of the documents that a list of the same filter would show to the caller, and what they
 * come to. Throws `QueryTooSlow` and `ANSWER_TOO_LARGE`.
 */
export async function aggregateDocuments(
  services: AccessServices,
  caller: Caller,
  { collectionName, query }: { collectionName: string; query: string },
): Promise<ShownGroups> {
  const source = await openForReading(services, caller, collectionName);
  const { includeDeleted, warnings, ...request } = parseAggregateQuery(source.collection, query);
  // The caller's part comes last: no parameter can widen it.
  const filter = and(request.filter, source.visible(includeDeleted));
  const { groups, more } = await boundedAnswer(() =>
    source.records.aggregate({ ...request, filter })
  );
  return { groups: groups.map((group) => shownGroup(request, group)), more, warnings };
}

function shownGroup(
  { keys, figures }: Pick<AggregateRequest, "keys" | "figures">,
  group: Group,
): ShownGroup {
  const key = Object.fromEntries(keys.map(({ path }: GroupKey, i) => [path, group.keys[i]!]));
  const shown: Record<string, Value> = { key };
  for (const [op, those] of Map.groupBy(figures.entries(), ([, figure]) => figure.op)) {
    const values = those.map((
      [i, figure],
    ): [string, Scalar] => [pathOf(figure), group.figures[i]!]);
    shown[op] = op === "count" ? values[0]![1] : Object.fromEntries(values);
  }
  return shown;
}

const pathOf = (figure: Figure): string => figure.op === "count" ? "" : figure.path;
