import { type Clock, timestamp } from "../clock.ts";
import type { NewId } from "../ids.ts";
import { BULK_DOCUMENTS_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { bytesOf, recordText } from "../store/json_text.ts";
import type { Engine, Json, Transaction } from "../store/port.ts";
import { isObject } from "../store/shape.ts";
import type { Writable } from "./access.ts";
import { newDocument, type StoredDocument } from "./collection.ts";
import {
  asMembers,
  fitWhole,
  type Members,
  withoutServerFields,
  withOwner,
  writing,
} from "./document.ts";
import { answeredBefore, onceOnly, type Repeatable } from "./idempotency.ts";
import type { Admission, DocumentQuota } from "./quota.ts";

export interface CreateInput {
  readonly body: Json;
  /** The `Idempotency-Key` header. */
  readonly idempotencyKey: string | null;
}

export interface CreateServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly documentQuota: DocumentQuota;
}

/** Stores one document. Resolves to its JSON text. Throws `DOCUMENT_QUOTA_EXCEEDED`. */
export async function createDocument(
  services: CreateServices,
  target: Writable,
  { body, idempotencyKey }: CreateInput,
): Promise<string> {
  const document = prepared(services, target, asMembers(body));
  if (idempotencyKey === null) {
    using _ = await admitted(services, target, [document]);
    return (await writing(() => target.records.insert(document))).json;
  }
  const repeatable = { key: idempotencyKey, request: requestText("one", target, body) };
  return await withinQuota(services, target, { repeatable, documents: [document] }, async (tx) => {
    const records = tx.records<StoredDocument>(target.collection.records);
    return (await records.insert(document)).json;
  });
}

/**
 * Stores all documents or none. Resolves to the JSON text of `{ insertedCount, ids }`. Throws
 * `DOCUMENT_QUOTA_EXCEEDED`.
 */
export async function createDocuments(
  services: CreateServices,
  target: Writable,
  { body, idempotencyKey }: CreateInput,
): Promise<string> {
  const documents = listOf(body).map((one, i) => inList(i, () => prepared(services, target, one)));
  const repeatable = { key: idempotencyKey, request: requestText("bulk", target, body) };
  return await withinQuota(services, target, { repeatable, documents }, async (tx) => {
    const records = tx.records<StoredDocument>(target.collection.records);
    await records.insertMany(documents);
    const ids = documents.map(({ _id }) => _id);
    return JSON.stringify({ insertedCount: ids.length, ids });
  });
}

/** {@linkcode onceOnly}, if the documents have room; what was answered before needs none. */
async function withinQuota(
  services: CreateServices,
  target: Writable,
  { repeatable, documents }: { repeatable: Repeatable; documents: readonly StoredDocument[] },
  write: (tx: Transaction) => Promise<string>,
): Promise<string> {
  try {
    using _ = await admitted(services, target, documents);
    return await writing(() => onceOnly(services, target, repeatable, write));
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "DOCUMENT_QUOTA_EXCEEDED") throw error;
    const answer = await answeredBefore(services, target, repeatable);
    if (answer === null) throw error;
    return answer;
  }
}

const admitted = (
  { documentQuota }: CreateServices,
  { projectId }: Writable,
  documents: readonly StoredDocument[],
): Promise<Admission> => {
  const bytes = documents.reduce((sum, document) => sum + bytesOf(recordText(document)), 0);
  return documentQuota.admit(projectId, { bytes, mayShrink: false });
};

const prepared = (
  { clock, newId }: CreateServices,
  target: Writable,
  members: Members,
): StoredDocument => newDocument(newId(), fitted(target, members), timestamp(clock));

const fitted = (target: Writable, members: Members): Members =>
  fitWhole(target.collection, withOwner(target, withoutServerFields(members, null)));

/**
 * Why these members are no document that could be created, as far as they alone can tell: whether
 * a unique value is taken, and whether there is room, is seen when they are stored.
 */
export function creationProblem(target: Writable, body: Json): Problem | null {
  try {
    fitted(target, asMembers(body));
    return null;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

const requestText = (operation: string, { collection }: Writable, body: Json): string =>
  JSON.stringify([operation, collection.definition.name, body]);

function listOf(body: Json): Members[] {
  const list = isObject(body) ? body.documents : body;
  if (!Array.isArray(list) || list.length === 0 || list.length > BULK_DOCUMENTS_MAX) {
    throw new Problem("INVALID_BODY", {
      message: `Send { "documents": [ … ] } with 1 to ${BULK_DOCUMENTS_MAX} documents.`,
    });
  }
  return list.map((one, i) => inList(i, () => asMembers(one)));
}

/** Says which document of a list a refusal is about. */
function inList<T>(index: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new Problem(error.code, { message: `documents[${index}]: ${error.message}` });
  }
}
