import { LRUCache } from "lru-cache";
import type { Caller } from "../auth/principals.ts";
import { callerTag, findCollection } from "./access.ts";
import { jsonText } from "../store/json_text.ts";
import { etagOf } from "./document.ts";
import { type DocumentList, listDocuments, type ListServices } from "./list_documents.ts";

export interface ListAnswer {
  /** JSON text. */
  readonly data: string;
  /** Names this very text; null where nobody could have a use for it. */
  readonly etag: string | null;
}

interface KeptAnswer extends ListAnswer {
  /** The state of the project's space that it was read from, and from no other. */
  readonly version: string;
}

/** Answers to lists, by definition, caller and query text. */
export type ListAnswers = LRUCache<string, KeptAnswer>;

/** Of all projects together, two bytes for each character. */
const ANSWERS_BYTES_MAX = 16 * 1_048_576;
const ANSWER_BYTES_MAX = 1_048_576;
const QUERY_LENGTH_MAX = 2_000;

export const createListAnswers = (): ListAnswers =>
  new LRUCache({
    maxSize: ANSWERS_BYTES_MAX,
    maxEntrySize: ANSWER_BYTES_MAX,
    sizeCalculation: ({ data }, key) => 2 * (data.length + key.length),
  });

export interface RepeatedList {
  readonly collectionName: string;
  readonly query: string;
  /** Whether the caller wants it read anew. */
  readonly anew: boolean;
  /** Whether the caller holds an answer already, to compare. */
  readonly holds: boolean;
}

/**
 * {@linkcode listDocuments} as JSON text. An answer is given again while nothing at all has been
 * committed in the project, by whichever process, so it is never stale. Lists that show documents
 * of other collections are not kept: what their definitions permit is known with a delay.
 */
export async function answerList(
  services: ListServices & { readonly answers: ListAnswers },
  caller: Caller,
  { collectionName, query, anew, holds }: RepeatedList,
): Promise<ListAnswer> {
  const { engine, answers } = services;
  if (anew || query.length > QUERY_LENGTH_MAX || engine.version === undefined) {
    const { data } = await listed(services, caller, { collectionName, query });
    return { data, etag: anew && !holds ? null : etagOf({ json: data }) };
  }
  const collection = await findCollection(services, caller, collectionName);
  const key = `${collection.version} ${callerTag(caller)}?${query}`;
  const version = engine.version(caller.projectId);
  const known = answers.get(key);
  if (known !== undefined && known.version === version) return known;
  const { data, mayKeep } = await listed(services, caller, { collectionName, query });
  const answer = { data, etag: etagOf({ json: data }), version };
  // Nobody has committed while it was read, so it shows that state and no other.
  if (mayKeep && engine.version(caller.projectId) === version) answers.set(key, answer);
  return answer;
}

async function listed(
  services: ListServices,
  caller: Caller,
  input: { collectionName: string; query: string },
): Promise<{ data: string; mayKeep: boolean }> {
  const list = await listDocuments(services, caller, input);
  if ("count" in list) return { data: JSON.stringify(list), mayKeep: true };
  if ("examined" in list) return { data: jsonText(list), mayKeep: false };
  return { data: listData(list), mayKeep: !list.isPopulated };
}

/** The documents' texts are put in as they are: a list is never parsed. */
function listData(list: DocumentList): string {
  const total = list.total === null ? "" : `,"total":${list.total}`;
  const estimate = list.totalIsEstimate ? ',"totalIsEstimate":true' : "";
  const place = list.page === null
    ? `,"cursor":${JSON.stringify(list.cursor)}`
    : `,"page":${list.page}`;
  const next = JSON.stringify(list.nextCursor);
  const prev = JSON.stringify(list.prevCursor);
  return `{"items":[${list.items}]${total}${estimate}${place}` +
    `,"nextCursor":${next},"prevCursor":${prev},"limit":${list.limit}}`;
}
