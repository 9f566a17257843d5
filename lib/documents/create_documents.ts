import { BULK_DOCUMENTS_MAX } from "../limits.ts";
import { inSlices } from "../next_turn.ts";
import { Problem } from "../problems.ts";
import type { Json } from "../store/port.ts";
import { indexedArrays, isObject, valueAt } from "../store/shape.ts";
import type { WriteAccess } from "./access.ts";
import type { StoredDocument } from "./collection.ts";
import { DefaultsRoom } from "./defaults.ts";
import { asMembers } from "./document.ts";
import { FaultyDocuments } from "./faulty_documents.ts";
import type { Repeatable } from "./idempotency.ts";
import { updateFileReferences } from "./file_references.ts";
import { documentOf } from "./prepare_write.ts";
import { refusedDocuments } from "./refused_documents.ts";
import { performWrite, type PreparedRequest, type WriteServices } from "./write_document.ts";

export interface CreateInput {
  readonly body: Json;
  /** The `Idempotency-Key` header. */
  readonly idempotencyKey: string | null;
}

/**
 * Stores all documents or none. Returns the JSON text of `{ insertedCount, ids }`. Throws what is
 * wrong with the documents, and as {@linkcode performWrite} does.
 */
export async function createDocuments(
  services: WriteServices,
  target: WriteAccess,
  input: CreateInput,
): Promise<string> {
  const { data } = await performWrite(services, [target], {
    repeatable: bulkRequest(target, input),
    prepare: ([target]) => prepareAll(services, target, input.body),
  });
  return data;
}

async function prepareAll(
  services: WriteServices,
  target: WriteAccess,
  body: Json,
): Promise<PreparedRequest> {
  const preparing = { ...services, defaultsRoom: new DefaultsRoom() };
  const { list, path } = listIn(body);
  const invalid = new FaultyDocuments(list.length, path);
  const documents: StoredDocument[] = [];
  await inSlices(list.entries(), ([i, one]) => {
    const document = invalid.try(i, () => documentOf(preparing, target, asMembers(one)));
    if (document !== null) documents.push(document);
  });
  invalid.refuse();
  const ids = documents.map(({ _id }) => _id);
  const answer = { data: JSON.stringify({ insertedCount: ids.length, ids }), isNew: true };
  return {
    needsTransaction: true,
    async store(scope, quota) {
      const writing = { quota, by: target.by };
      const records = scope.records<StoredDocument>(target.collection.records, writing);
      for (const step of insertSteps(target, documents)) await records.insertMany(step);
      const refused = new FaultyDocuments(list.length, path);
      for (const [i, after] of documents.entries()) {
        const updated = updateFileReferences(scope, services, { target, before: null, after });
        await updated.catch((error) => refused.add(i, error));
      }
      refused.refuse();
      return answer;
    },
    async explain(problem) {
      const refused = new FaultyDocuments(list.length, path);
      for (const one of await refusedDocuments(target, documents, problem.cause)) {
        refused.add(one.index, one.problem);
      }
      refused.refuse();
      return { problem, canRetry: false };
    },
  };
}

/**
 * Elements of indexed arrays that one step inserts. SQLite stores a row for each element, so 100
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

/** Returns what the idempotency key of a bulk stands for. */
export const bulkRequest = (
  { collection: { definition: { name } } }: WriteAccess,
  { body, idempotencyKey: key }: CreateInput,
): Repeatable => ({ key, request: key === null ? "" : JSON.stringify(["bulk", name, body]) });

/** Returns the documents of a body, and the path of their list in the body. */
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
