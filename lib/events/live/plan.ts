import type { Caller } from "../../auth/principals.ts";
import { type AccessServices, findCollection } from "../../documents/access.ts";
import type { Collection } from "../../documents/collection.ts";
import { type ListPlan, planList } from "../../documents/list_documents.ts";
import { splitCursor } from "../../documents/query.ts";
import { Problem } from "../../problems.ts";
import { jsonText } from "../../store/json_text.ts";

/** What is listened to: a list of one collection, as a caller may see it. */
export interface LiveQuery {
  readonly collectionName: string;
  /** As a list takes it, with `snapshot`. */
  readonly query: string;
}

export interface LivePlan extends LiveQuery {
  readonly caller: Caller;
  readonly collection: Collection;
  readonly list: ListPlan;
  /** Whether the list itself is sent first. */
  readonly snapshot: boolean;
  /** Plans that are told the same of each change have the same one. */
  readonly channel: string;
}

/**
 * Reads what is to be listened to. Throws what a list throws for its query and its caller,
 * `INVALID_QUERY` for what no live list has, and `EVENTS_OFF`.
 */
export async function planLive(
  services: AccessServices,
  caller: Caller,
  { collectionName, query: given }: LiveQuery,
): Promise<LivePlan> {
  const collection = await findCollection(services, caller, collectionName);
  const { snapshot, query } = withoutSnapshot(given);
  const { rest, cursor } = splitCursor(query);
  if (cursor !== null) throw refused("cursor", "the changes follow its first page");
  const list = planList(services, caller, { collection, text: rest });
  const { request, filter } = list;
  if (request.page !== null) throw refused("page", "the changes follow its first page");
  if (request.offset !== null) throw refused("offset", "the changes follow its first page");
  if (request.populate.length > 0) {
    throw refused("populate", "it would change with other collections: listen to them");
  }
  if (request.countOnly) throw refused("count", "it has the total");
  if (request.explain) throw refused("explain", "ask the list for it");
  if (!collection.definition.events) throw new Problem("EVENTS_OFF");
  const { projection, meta, total } = request;
  const shown = projection && { leavesOut: projection.leavesOut, names: treeOf(projection.names) };
  const channel = jsonText([filter, shown, meta, total] as never); // Scalars, lists and objects.
  return { caller, collectionName, query: rest, collection, list, snapshot, channel };
}

const refused = (name: string, why: string) =>
  new Problem("INVALID_QUERY", {
    message: `"${name}" cannot be used with a live list: leave it out, ${why}.`,
  });

type Tree = ReadonlyMap<string, Tree | null>;

const treeOf = (names: Tree): unknown =>
  [...names].map(([name, inner]) => [name, inner && treeOf(inner)]);

/** The parameters that are a live list's own. */
function withoutSnapshot(query: string): { snapshot: boolean; query: string } {
  if (!/snapshot|%/.test(query)) return { snapshot: true, query };
  const parameters = new URLSearchParams(query);
  const given = parameters.get("snapshot");
  if (given === null) return { snapshot: true, query };
  if (!/^(?:true|false)$/i.test(given)) {
    throw new Problem("INVALID_QUERY", { message: '"snapshot" must be true or false.' });
  }
  parameters.delete("snapshot");
  return { snapshot: /^true$/i.test(given), query: parameters.toString() };
}
