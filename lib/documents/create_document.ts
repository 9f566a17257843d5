import { type Clock, timestamp } from "../clock.ts";
import type { NewId } from "../ids.ts";
import { BULK_DOCUMENTS_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { bytesOf, recordText } from "../store/json_text.ts";
import type { Engine, Json, Transaction } from "../store/port.ts";
import { isObject } from "../store/shape.ts";
import { settled, type Writable } from "./access.ts";
import { newDocument, type StoredDocument } from "./collection.ts";
import {
  asMembers,
  fitWhole,
  type Members,
  withoutServerFields,
  withOwner,
  writing,
} from "./document.ts";
import { answeredBefore, keptBytes, onceOnly, type Repeatable } from "./idempotency.ts";
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

/**
 * Stores one document. Resolves to its JSON text. Throws `DOCUMENT_QUOTA_EXCEEDED` and
 * `TOO_MANY_IDEMPOTENCY_KEYS`.
 */
export const createDocument = (
  services: CreateServices,
  target: Writable,
  input: CreateInput,
): Promise<string> => settled(target, (target) => createOne(services, target, input));

async function createOne(
  services: CreateServices,
  target: Writable,
  { body, idempotencyKey }: CreateInput,
): Promise<string> {
  const document = prepared(services, target, asMembers(body));
  const bytes = bytesOf(recordText(document));
  if (idempotencyKey === null) {
    using _ = await admitted(services, target, bytes);
    return (await writing(() => target.records.insert(document))).json;
  }
  const repeatable = { key: idempotencyKey, request: requestText("one", target, body) };
  const all = bytes + keptBytes(bytes);
  return await withinQuota(services, target, { repeatable, bytes: all }, async (tx) => {
    const records = tx.records<StoredDocument>(target.collection.records);
    return (await records.insert(document)).json;
  });
}

/**
 * Stores all documents or none. Resolves to the JSON text of `{ insertedCount, ids }`. Throws
 * `DOCUMENT_QUOTA_EXCEEDED` and `TOO_MANY_IDEMPOTENCY_KEYS`.
 */
export const createDocuments = (
  services: CreateServices,
  target: Writable,
  input: CreateInput,
): Promise<string> => settled(target, (target) => createAll(services, target, input));

async function createAll(
  services: CreateServices,
  target: Writable,
  { body, idempotencyKey }: CreateInput,
): Promise<string> {
  const documents = listOf(body).map((one, i) => inList(i, () => prepared(services, target, one)));
  const ids = documents.map(({ _id }) => _id);
  const answer = JSON.stringify({ insertedCount: ids.length, ids });
  const stored = documents.reduce((sum, document) => sum + bytesOf(recordText(document)), 0);
  const isKept = idempotencyKey !== null;
  const repeatable = {
    key: idempotencyKey,
    request: isKept ? requestText("bulk", target, body) : "",
  };
  const bytes = stored + (isKept ? keptBytes(answer.length) : 0);
  return await withinQuota(services, target, { repeatable, bytes }, async (tx) => {
    await tx.records<StoredDocument>(target.collection.records).insertMany(documents);
    return answer;
  });
}

/** Codes of writes that found no room. */
const NO_ROOM: readonly string[] = ["DOCUMENT_QUOTA_EXCEEDED", "TOO_MANY_IDEMPOTENCY_KEYS"];

/** {@linkcode onceOnly}, if so many bytes have room; what was answered before needs none. */
async function withinQuota(
  services: CreateServices,
  target: Writable,
  { repeatable, bytes }: { repeatable: Repeatable; bytes: number },
  write: (tx: Transaction) => Promise<string>,
): Promise<string> {
  try {
    using _ = await admitted(services, target, bytes);
    return await writing(() => onceOnly(services, target, repeatable, write));
  } catch (error) {
    if (!(error instanceof Problem) || !NO_ROOM.includes(error.code)) throw error;
    const answer = await answeredBefore(services, target, repeatable);
    if (answer === null) throw error;
    return answer;
  }
}

const admitted = (
  { documentQuota }: CreateServices,
  { projectId }: Writable,
  bytes: number,
): Promise<Admission> => documentQuota.admit(projectId, { bytes, mayShrink: false });

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
