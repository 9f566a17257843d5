import { type Clock, timestamp } from "../clock.ts";
import type { NewId } from "../ids.ts";
import { BULK_DOCUMENTS_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import type { Engine, Json, Records, Room, Transaction } from "../store/port.ts";
import { isObject } from "../store/shape.ts";
import { settled, type WriteAccess } from "./access.ts";
import { newDocument, type StoredDocument } from "./collection.ts";
import { DefaultsRoom } from "./defaults.ts";
import {
  asMembers,
  type Members,
  validateDocument,
  withoutServerFields,
  withOwner,
  writing,
} from "./document.ts";
import { answeredBefore, onceOnly, type Repeatable } from "./idempotency.ts";
import { type QuotaServices, withinQuota } from "./quota.ts";

export interface CreateInput {
  readonly body: Json;
  /** The `Idempotency-Key` header. */
  readonly idempotencyKey: string | null;
}

export interface CreateServices extends QuotaServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
}

/**
 * Stores one document. Resolves to its JSON text. Throws `DOCUMENT_QUOTA_EXCEEDED` and
 * `TOO_MANY_IDEMPOTENCY_KEYS`.
 */
export const createDocument = (
  services: CreateServices,
  target: WriteAccess,
  input: CreateInput,
): Promise<string> => settled(target, (target) => createOne(services, target, input));

async function createOne(
  services: CreateServices,
  target: WriteAccess,
  { body, idempotencyKey }: CreateInput,
): Promise<string> {
  const document = prepared(services, target, asMembers(body));
  const { projectId, collection } = target;
  if (idempotencyKey === null) {
    return await withinQuota(services, projectId, async (room) => {
      const records = services.engine.records<StoredDocument>(projectId, collection.records, room);
      return (await writing(() => records.insert(document))).json;
    });
  }
  const repeatable = { key: idempotencyKey, request: requestText("one", target, body) };
  return await stored(
    services,
    target,
    repeatable,
    async (records) => (await records.insert(document)).json,
  );
}

/**
 * Stores all documents or none. Resolves to the JSON text of `{ insertedCount, ids }`. Throws
 * `DOCUMENT_QUOTA_EXCEEDED` and `TOO_MANY_IDEMPOTENCY_KEYS`.
 */
export const createDocuments = (
  services: CreateServices,
  target: WriteAccess,
  input: CreateInput,
): Promise<string> => settled(target, (target) => createAll(services, target, input));

async function createAll(
  services: CreateServices,
  target: WriteAccess,
  { body, idempotencyKey }: CreateInput,
): Promise<string> {
  const room = new DefaultsRoom();
  const documents = listOf(body)
    .map((one, i) => inList(i, () => prepared(services, target, one, room)));
  const ids = documents.map(({ _id }) => _id);
  const answer = JSON.stringify({ insertedCount: ids.length, ids });
  const repeatable = {
    key: idempotencyKey,
    request: idempotencyKey === null ? "" : requestText("bulk", target, body),
  };
  return await stored(services, target, repeatable, async (records) => {
    await records.insertMany(documents);
    return answer;
  });
}

/** Codes of writes that found no room. */
const NO_ROOM: readonly string[] = ["DOCUMENT_QUOTA_EXCEEDED", "TOO_MANY_IDEMPOTENCY_KEYS"];

/** {@linkcode onceOnly}, where there is room; what was answered before needs none. */
async function stored(
  services: CreateServices,
  target: WriteAccess,
  repeatable: Repeatable,
  write: (records: Records<StoredDocument>) => Promise<string>,
): Promise<string> {
  const within = (room: Room) => (tx: Transaction) =>
    write(tx.records<StoredDocument>(target.collection.records, room));
  try {
    return await withinQuota(
      services,
      target.projectId,
      (room) => writing(() => onceOnly(services, target, { ...repeatable, room }, within(room))),
    );
  } catch (error) {
    if (!(error instanceof Problem) || !NO_ROOM.includes(error.code)) throw error;
    const answer = await answeredBefore(services, target, repeatable);
    if (answer === null) throw error;
    return answer;
  }
}

const prepared = (
  { clock, newId }: CreateServices,
  target: WriteAccess,
  members: Members,
  room?: DefaultsRoom,
): StoredDocument => newDocument(newId(), validated(target, members, room), timestamp(clock));

const validated = (target: WriteAccess, members: Members, room?: DefaultsRoom): Members => {
  const own = withOwner(target, withoutServerFields(members, null));
  return validateDocument(target.collection, own, { ...(room && { room }) });
};

/**
 * Why these members are no document that could be created, as far as they alone can tell: whether
 * a unique value is taken, and whether there is room, is seen when they are stored.
 */
export function creationProblem(target: WriteAccess, body: Json): Problem | null {
  try {
    validated(target, asMembers(body));
    return null;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

const requestText = (operation: string, { collection }: WriteAccess, body: Json): string =>
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
