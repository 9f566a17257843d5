import { LRUCache } from "lru-cache";
import xxhash from "xxhash-wasm";
import type { Clock } from "../clock.ts";
import type { Caller } from "../auth/principals.ts";
import type { QueryWarning } from "../http/respond.ts";
import { callerTag, findCollection } from "./access.ts";
import { jsonText } from "../store/json_text.ts";
import { type DocumentList, listDocuments, type ListServices } from "./list_documents.ts";

export interface ListAnswer {
  /** JSON text, wrapped as the caller asked. */
  readonly text: string;
  /** Names this very text. */
  readonly etag: string;
}

interface CachedAnswer extends ListAnswer {
  /** The state of the project's space that it was read from, and from no other. */
  readonly version: string;
  /** The version of the definition that it was made by. */
  readonly definition: string;
  /** Until when that need not be looked at. */
  looked: DefinitionCheck;
}

/** For so long, and while the catalog has forgotten nothing, a definition is what it was. */
interface DefinitionCheck {
  /** In milliseconds since 1970. */
  readonly until: number;
  readonly forgotten: number;
}

/** In addition to the `CACHE_MS` that what is known of a definition may be old. */
const LOOK_EVERY_MS = 500;

/** Answers to lists, by project, caller, collection and query text. */
export type ListAnswers = LRUCache<string, CachedAnswer>;

/** Of all projects together, two bytes for each character. */
const ANSWERS_BYTES_MAX = 16 * 1_048_576;
const KEPT_ANSWER_BYTES_MAX = 1_048_576;
const QUERY_LENGTH_MAX = 2_000;

export const createListAnswers = (): ListAnswers =>
  new LRUCache({
    maxSize: ANSWERS_BYTES_MAX,
    maxEntrySize: KEPT_ANSWER_BYTES_MAX,
    sizeCalculation: ({ text }, key) => 2 * (text.length + key.length),
  });

export interface RepeatedServices extends ListServices {
  readonly answers: ListAnswers;
  readonly clock: Clock;
}

export interface RepeatedList {
  readonly collectionName: string;
  readonly query: string;
  /** Whether it is read from the store, whatever is kept. */
  readonly bypassCache: boolean;
  /** Makes the whole answer of the list's JSON text, once for as often as it is given. */
  wrap(data: string, warnings: readonly QueryWarning[]): string;
}

/**
 * {@linkcode listDocuments} as JSON text. An answer is given again while nothing at all has been
 * committed in the project, by whichever process, so it is never stale; and made anew when the
 * definition it was made by turns out to have been replaced before. Lists that show documents
 * of other collections are not kept: what their definitions permit is known with a delay.
 */
export async function cachedList(
  services: RepeatedServices,
  caller: Caller,
  input: RepeatedList,
): Promise<ListAnswer> {
  const { engine, answers, catalog, clock } = services;
  const { collectionName, query, bypassCache } = input;
  if (bypassCache || query.length > QUERY_LENGTH_MAX || engine.version === undefined) {
    return answerOf(await listDocuments(services, caller, input), input);
  }
  // No part holds a line break: paths and queries with one are refused, or sent encoded.
  const key = `${caller.projectId}\n${callerTag(caller)}\n${collectionName}\n${query}`;
  const known = answers.get(key);
  const version = engine.version(caller.projectId);
  const isSame = known?.version === version;
  const { forgotten } = catalog;
  if (isSame && known.looked.forgotten === forgotten && clock.elapsed() < known.looked.until) {
    return known;
  }
  const looked = { until: clock.elapsed() + LOOK_EVERY_MS, forgotten };
  const { version: definition } = await findCollection(services, caller, collectionName);
  if (isSame && known.definition === definition) {
    known.looked = looked;
    return known;
  }
  const asOf = { key, version: engine.version(caller.projectId), definition, looked };
  return await readAndKeep(services, caller, { ...input, ...asOf });
}

function answerOf(list: DocumentList, { wrap }: RepeatedList): ListAnswer {
  const text = wrap(dataOf(list), list.warnings);
  return { text, etag: `"${h64ToString(text)}"` };
}

/** Not a cryptographic hash: a list's tag only spares sending again what a client has already. */
const { h64ToString } = await xxhash();

type AsOf = Pick<CachedAnswer, "version" | "definition" | "looked"> & { readonly key: string };

async function readAndKeep(
  services: RepeatedServices,
  caller: Caller,
  input: RepeatedList & AsOf,
): Promise<ListAnswer> {
  const { key, version, definition, looked } = input;
  const list = await listDocuments(services, caller, input);
  // Where nobody has committed while it was read, it shows that state and no other.
  const isKept = mayKeep(list) && services.engine.version!(caller.projectId) === version;
  const answer = { ...answerOf(list, input), version, definition, looked };
  if (isKept) services.answers.set(key, answer);
  return answer;
}

const mayKeep = ({ isPopulated, explanation }: DocumentList): boolean =>
  !isPopulated && explanation === null;

/** JSON text of what a list answers. The documents' texts are put in as they are, never parsed. */
export function dataOf(list: DocumentList): string {
  const total = list.total === null ? "" : `,"total":${list.total}`;
  const estimate = list.totalIsEstimate ? ',"totalIsEstimate":true' : "";
  const place = list.page === null
    ? `,"cursor":${JSON.stringify(list.cursor)}`
    : `,"page":${list.page}`;
  const next = JSON.stringify(list.nextCursor);
  const prev = JSON.stringify(list.prevCursor);
  const count = list.count === null ? "" : `,"count":${list.count}`;
  const explain = list.explanation === null ? "" : `,"explain":${jsonText(list.explanation)}`;
  return `{"items":[${list.items}]${total}${estimate}${place}` +
    `,"nextCursor":${next},"prevCursor":${prev},"limit":${list.limit}${count}${explain}}`;
}
