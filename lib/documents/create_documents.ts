import { BULK_DOCUMENTS_MAX } from "../limits.ts";
import { inSlices } from "../next_turn.ts";
import { Problem } from "../problems.ts";
import type { Json } from "../store/port.ts";
import { indexedArrays, isObject, valueAt } from "../store/shape.ts";
import type { WriteAccess } from "./access.ts";
import type { StoredDocument } from "./collection.ts";
import { DefaultsBudget } from "./defaults.ts";
import { asMembers } from "./document.ts";
import { FaultyDocuments } from "./faulty_documents.ts";
import type { Repeatable } from "./idempotency.ts";
import { updateFileReferences } from "./file_references.ts";
import { buildDocument } from "./prepare_write.ts";
import { findRefusedDocuments } from "./refused_documents.ts";
import { performWrite, type PreparedRequest, type WriteServices } from "./write_document.ts";

export interface CreateInput {
  readonly body: Json;
  readonly idempotencyKey: string | null;
}

/**
 * Stores all documents or none. Returns the JSON text of `{ insertedCount, ids }`. Throws the
 * documents' problems and the errors of {@linkcode performWrite}.
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
  const preparing = { ...services, defaultsBudget: new DefaultsBudget() };
  const { list, path } = documentsIn(body);
  const invalid = new FaultyDocuments(list.length, path);
  const documents: StoredDocument[] = [];
  await inSlices(list.entries(), ([i, one]) => {
    const document = invalid.try(i, () => buildDocument(preparing, target, asMembers(one)));
    if (document !== null) documents.push(document);
  });
  invalid.throwIfAny();
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
      refused.throwIfAny();
      return answer;
    },
    async explain(problem) {
      const refused = new FaultyDocuments(list.length, path);
      for (const one of await findRefusedDocuments(target, documents, problem.cause)) {
        refused.add(one.index, one.problem);
      }
      refused.throwIfAny();
      return { problem, canRetry: false };
    },
  };
}

/** Number of indexed elements that one step inserts: SQLite stores a row for each of them. */
const STEP_ELEMENTS = 5_000;

/** Divides documents into steps, between which a transaction lets other requests go first. */
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

/** Returns the request that the idempotency key of a bulk insert identifies. */
export const bulkRequest = (
  { collection: { definition: { name } } }: WriteAccess,
  { body, idempotencyKey: key }: CreateInput,
): Repeatable => ({ key, request: key === null ? "" : JSON.stringify(["bulk", name, body]) });

function documentsIn(body: Json): { readonly list: readonly Json[]; readonly path: string } {
  const isBare = !isObject(body);
  const list = isBare ? body : body.documents;
  if (!Array.isArray(list) || list.length === 0 || list.length > BULK_DOCUMENTS_MAX) {
    throw new Problem("INVALID_BODY", {
      message: `Send { "documents": [ … ] } with 1 to ${BULK_DOCUMENTS_MAX} documents.`,
    });
  }
  return { list, path: isBare ? "" : "documents." };
}
