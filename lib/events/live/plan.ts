import type { Caller } from "../../auth/principals.ts";
import { type AccessServices, findCollection } from "../../documents/access.ts";
import type { Collection } from "../../documents/collection.ts";
import { type ListPlan, planList } from "../../documents/list_documents.ts";
import { splitCursor } from "../../documents/query.ts";
import { Problem } from "../../problems.ts";
import { jsonText } from "../../store/json_text.ts";

export interface LiveQuery {
  readonly collectionName: string;
  /** Query string of a list request, with the additional parameter `snapshot`. */
  readonly query: string;
}

export interface LivePlan extends LiveQuery {
  readonly caller: Caller;
  readonly collection: Collection;
  readonly list: ListPlan;
  /** Whether the list is sent before its changes. */
  readonly snapshot: boolean;
  /** Key of the channel: plans with equal keys receive the same events. */
  readonly channel: string;
}

/** Throws the problems of a list request, `INVALID_QUERY` for other parameters, `EVENTS_OFF`. */
export async function planLive(
  services: AccessServices,
  caller: Caller,
  { collectionName, query: given }: LiveQuery,
): Promise<LivePlan> {
  const collection = await findCollection(services, caller, collectionName);
  const { snapshot, query } = extractSnapshot(given);
  const { rest, cursor } = splitCursor(query);
  if (cursor !== null) throw notSupported("cursor", "the changes follow its first page");
  const list = planList(services, caller, { collection, text: rest });
  const { request, filter } = list;
  if (request.page !== null) throw notSupported("page", "the changes follow its first page");
  if (request.offset !== null) throw notSupported("offset", "the changes follow its first page");
  if (request.populate.length > 0) {
    throw notSupported("populate", "it would change with other collections: listen to them");
  }
  if (request.countOnly) throw notSupported("count", "it has the total");
  if (request.explain) throw notSupported("explain", "ask the list for it");
  if (!collection.definition.events) throw new Problem("EVENTS_OFF");
  const { projection, meta, total } = request;
  const shown = projection &&
    { leavesOut: projection.leavesOut, names: treeEntries(projection.names) };
  const channel = jsonText([filter, shown, meta, total] as never); // Scalars, lists and objects.
  return { caller, collectionName, query: rest, collection, list, snapshot, channel };
}

const notSupported = (name: string, why: string) =>
  new Problem("INVALID_QUERY", {
    message: `"${name}" cannot be used with a live list: leave it out, ${why}.`,
  });

type NameTree = ReadonlyMap<string, NameTree | null>;

const treeEntries = (names: NameTree): unknown =>
  [...names].map(([name, inner]) => [name, inner && treeEntries(inner)]);

/** Separates the parameter `snapshot` from the parameters of the list. */
function extractSnapshot(query: string): { snapshot: boolean; query: string } {
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
