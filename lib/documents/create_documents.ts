import { BULK_DOCUMENTS_MAX } from "../limits.ts";
import { inSlices } from "../next_turn.ts";
import { Problem } from "../problems.ts";
import type { Json } from "../store/port.ts";
import { indexedArrays, isObject, valueAt } from "../store/shape.ts";
import { settled, type WriteAccess } from "./access.ts";
import type { StoredDocument } from "./collection.ts";
import { DefaultsRoom } from "./defaults.ts";
import { asMembers } from "./document.ts";
import { FaultyDocuments } from "./faulty_documents.ts";
import type { Repeatable } from "./idempotency.ts";
import { keepFiles } from "./keep_files.ts";
import { documentOf } from "./prepare_write.ts";
import { refusedDocuments } from "./refused_documents.ts";
import type { WriteServices } from "./write_document.ts";
import { writeOnce } from "./write_once.ts";

export interface CreateInput {
  readonly body: Json;
  /** The `Idempotency-Key` header. */
  readonly idempotencyKey: string | null;
}

/**
 * Stores all documents or none. Resolves to the JSON text of `{ insertedCount, ids }`. Throws
 * `DOCUMENT_QUOTA_EXCEEDED` and `TOO_MANY_IDEMPOTENCY_KEYS`.
 */
export const createDocuments = (
  services: WriteServices,
  target: WriteAccess,
  input: CreateInput,
): Promise<string> => settled([target], ([target]) => createAll(services, target, input));

async function createAll(
  services: WriteServices,
  target: WriteAccess,
  { body, idempotencyKey: key }: CreateInput,
): Promise<string> {
  const preparing = { ...services, defaultsRoom: new DefaultsRoom() };
  const { list, path } = listIn(body);
  const faulty = new FaultyDocuments(list.length, path);
  const documents: StoredDocument[] = [];
  await inSlices(list.entries(), ([i, one]) => {
    const document = faulty.try(i, () => documentOf(preparing, target, asMembers(one)));
    if (document !== null) documents.push(document);
  });
  faulty.refuse();
  const ids = documents.map(({ _id }) => _id);
  const answer = { data: JSON.stringify({ insertedCount: ids.length, ids }), isNew: true };
  const repeatable = bulkRequest(target, { body, idempotencyKey: key });
  const stored = writeOnce(services, target, repeatable, async (tx, room) => {
    const writing = { room, by: target.by };
    const records = tx.records<StoredDocument>(target.collection.records, writing);
    for (const step of insertSteps(target, documents)) await records.insertMany(step);
    for (const [i, after] of documents.entries()) {
      const kept = keepFiles(tx, services, { target, before: null, after });
      await kept.catch((error) => faulty.add(i, error));
    }
    faulty.refuse();
    return answer;
  });
  return (await stored.catch((error) => tellRefused(target, { documents, faulty, error }))).data;
}

/**
 * Elements of indexed arrays that one step inserts. SQLite has a row for each of them, so 100
 * documents of 10,000 elements would keep other requests waiting for seconds.
 */
const STEP_ELEMENTS = 5_000;

/** Divides new documents into steps, between which a transaction lets other requests go first. */
function* insertSteps(
  { collection: { records } }: WriteAccess,
  documents: readonly StoredDocument[],
): Generator<readonly StoredDocument[]> {
  const paths = indexedArrays(records);
  let step: StoredDocument[] = [];
  let elements = 0;
  for (const document of documents) {
    step.push(document);
    for (const path of paths) {
      const value = valueAt(document, path);
      if (Array.isArray(value)) elements += value.length;
    }
    if (elements < STEP_ELEMENTS) continue;
    yield step;
    [step, elements] = [[], 0];
  }
  if (step.length > 0) yield step;
}

/** Throws the refusal again, with the documents that it is about if that can be told. */
async function tellRefused(
  target: WriteAccess,
  { documents, faulty, error }: {
    readonly documents: readonly StoredDocument[];
    readonly faulty: FaultyDocuments;
    readonly error: Error;
  },
): Promise<never> {
  for (const { index, problem } of await refusedDocuments(target, documents, error.cause)) {
    faulty.add(index, problem);
  }
  faulty.refuse();
  throw error;
}

/** What a bulk that is sent again is known by. */
export const bulkRequest = (
  { collection: { definition: { name } } }: WriteAccess,
  { body, idempotencyKey: key }: CreateInput,
): Repeatable => ({ key, request: key === null ? "" : JSON.stringify(["bulk", name, body]) });

/** The documents of a body, and the path of their list in it. */
function listIn(body: Json): { readonly list: readonly Json[]; readonly path: string } {
  const isBare = !isObject(body);
  const list = isBare ? body : body.documents;
  if (!Array.isArray(list) || list.length === 0 || list.length > BULK_DOCUMENTS_MAX) {
    throw new Problem("INVALID_BODY", {
      message: `Send { "documents": [ … ] } with 1 to ${BULK_DOCUMENTS_MAX} documents.`,
    });
  }
  return { list, path: isBare ? "" : "documents." };
}
