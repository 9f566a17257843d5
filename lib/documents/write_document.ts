import { UniqueViolation } from "../store/errors.ts";
import type { Engine, Room } from "../store/port.ts";
import { settled, type WriteAccess } from "./access.ts";
import type { StoredDocument } from "./collection.ts";
import { writing } from "./document.ts";
import { announceRemovals, keepFiles, type KeepServices, type Scope } from "./keep_files.ts";
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

export interface WriteServices extends QuotaServices, PrepareServices, KeepServices {
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
  await announceRemovals(services, target.projectId, [target.collection]);
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

/** By one statement, which is a transaction of its own; but where files are looked at too. */
async function writeAlone(
  services: WriteServices,
  target: WriteAccess,
  prepared: PreparedWrite,
): Promise<WriteResult> {
  const { engine } = services;
  const { projectId, collection } = target;
  const statement: Scope = { records: (...given) => engine.records(projectId, ...given) };
  const within = <T>(work: (scope: Scope) => Promise<T>): Promise<T> =>
    collection.files.length === 0 ? work(statement) : engine.transaction(projectId, work);
  return await withinQuota(
    services,
    projectId,
    (room) =>
      writing(() =>
        within(async (scope) =>
          resultOf(await runWithin({ scope, room, services }, { prepared, target }))
        )
      ),
  );
}

async function writeByKey(
  services: WriteServices,
  target: WriteAccess,
  { prepared, repeatable }: { prepared: PreparedWrite; repeatable: Repeatable },
): Promise<WriteResult> {
  const { data, isNew } = await writeOnce(services, target, repeatable, async (scope, room) => {
    const written = await runWithin({ scope, room, services }, { prepared, target });
    const { json, isNew } = resultOf(written);
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

/** What a write is a part of. */
export interface Within {
  readonly scope: Scope;
  readonly room: Room | undefined;
  readonly services: WriteServices;
}

/** Does a write as part of whatever else is done in its scope. */
export async function runWithin(
  { scope, room, services }: Within,
  { prepared, target }: OpenedWrite,
): Promise<Written> {
  const writing = { by: target.by, ...(prepared.needsRoom && { room }) };
  const { collection } = target;
  const records = scope.records<StoredDocument>(collection.records, writing);
  const { changes } = prepared;
  const isLookedAt = changes !== null && collection.files.length > 0;
  const before = isLookedAt ? await records.findOne(changes) : null;
  const written = await prepared.run({ ...target, records });
  const rewritten = { before: before?.value ?? null, after: written.stored?.value ?? null };
  await keepFiles(scope, services, { target, ...rewritten });
  return written;
}

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
