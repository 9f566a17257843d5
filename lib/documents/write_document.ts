import { UniqueViolation } from "../store/errors.ts";
import type { Engine, Room, Transaction } from "../store/port.ts";
import { settled, type WriteAccess } from "./access.ts";
import type { StoredDocument } from "./collection.ts";
import { writing } from "./document.ts";
import {
  type DocumentWrite,
  type PreparedWrite,
  type PrepareServices,
  prepareWrite,
  type Written,
} from "./prepare_write.ts";
import { type QuotaServices, withinQuota } from "./quota.ts";
import type { Repeatable } from "./idempotency.ts";
import { writeOnce } from "./write_once.ts";

export interface WriteServices extends QuotaServices, PrepareServices {
  readonly engine: Engine;
}

/** A write, and the `Idempotency-Key` header of those that have one. */
export type WriteInput = DocumentWrite & { readonly idempotencyKey?: string | null };

export interface WriteResult {
  /** JSON text of the document as it is stored; of one that was deleted `{ id }`. */
  readonly json: string;
  /** Whether the write has made it. */
  readonly isNew: boolean;
}

/** Where documents are written: in a transaction, or by one statement that is one by itself. */
export type Scope = Pick<Transaction, "records">;

/**
 * Writes one document. Throws what is wrong with the body, what row-level security says,
 * `DOCUMENT_QUOTA_EXCEEDED` and `TOO_MANY_IDEMPOTENCY_KEYS`.
 */
export const writeDocument = (
  services: WriteServices,
  target: WriteAccess,
  input: WriteInput,
): Promise<WriteResult> => settled([target], ([target]) => write(services, target, input));

async function write(
  services: WriteServices,
  target: WriteAccess,
  { idempotencyKey = null, ...input }: WriteInput,
): Promise<WriteResult> {
  const prepared = prepareWrite(services, target, input);
  return await untilWritten(
    { prepared, target },
    () =>
      idempotencyKey === null
        ? writeAlone(services, target, prepared)
        : writeByKey(services, target, {
          prepared,
          repeatable: { key: idempotencyKey, request: requestText(target, input) },
        }),
  );
}

/** By one statement, which is a transaction of its own. */
async function writeAlone(
  { engine, ...services }: WriteServices,
  target: WriteAccess,
  prepared: PreparedWrite,
): Promise<WriteResult> {
  const { projectId } = target;
  const scope: Scope = { records: (...given) => engine.records(projectId, ...given) };
  return await withinQuota(
    services,
    projectId,
    (room) => writing(async () => resultOf(await runWithin({ scope, room }, { prepared, target }))),
  );
}

async function writeByKey(
  services: WriteServices,
  target: WriteAccess,
  { prepared, repeatable }: { prepared: PreparedWrite; repeatable: Repeatable },
): Promise<WriteResult> {
  const { data, isNew } = await writeOnce(services, target, repeatable, async (scope, room) => {
    const { json, isNew } = resultOf(await runWithin({ scope, room }, { prepared, target }));
    return { data: json, isNew };
  });
  return { json: data, isNew };
}

const resultOf = ({ id, stored, isNew }: Written): WriteResult => ({
  json: stored?.json ?? JSON.stringify({ id }),
  isNew,
});

/** A write, and the collection that it is opened for. */
export interface OpenedWrite {
  readonly prepared: PreparedWrite;
  readonly target: WriteAccess;
}

/** Does a write as part of whatever else is done in its scope. */
export const runWithin = (
  { scope, room }: { readonly scope: Scope; readonly room: Room },
  { prepared, target }: OpenedWrite,
): Promise<Written> => {
  const writing = { by: target.by, ...(prepared.needsRoom && { room }) };
  const records = scope.records<StoredDocument>(target.collection.records, writing);
  return prepared.run({ ...target, records });
};

/** How often another may be faster with what an upsert was about to make. */
const ATTEMPTS_MAX = 3;

/**
 * Attempts a write again where another has made, meanwhile, the document that it was about to make:
 * it is there to be changed now. @param failed What was being written when the attempt failed.
 */
export async function untilWritten<T>(
  failed: OpenedWrite | (() => OpenedWrite | null),
  attempt: () => Promise<T>,
): Promise<T> {
  for (let attempts = 1;; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      const { cause } = error as Error;
      if (!(cause instanceof UniqueViolation)) throw error;
      const opened = typeof failed === "function" ? failed() : failed;
      const why = await opened?.prepared.taken?.(opened.target, cause.path) ?? null;
      if (why === "again" && attempts < ATTEMPTS_MAX) continue;
      throw why === null || why === "again" ? error : why;
    }
  }
}

/** What a key stands for: a request for something else by the same key is refused. */
const requestText = ({ collection }: WriteAccess, write: DocumentWrite): string => {
  const { name } = collection.definition;
  if (write.action === "create") return JSON.stringify(["one", name, write.body]);
  return JSON.stringify([write, name]);
};
