import { Problem } from "../problems.ts";
import { Outdated, SpaceFull, UniqueViolation } from "../store/errors.ts";
import type { ByteQuota } from "../store/port.ts";
import { DefinitionWait, type WriteAccess, type WriteAccessServices } from "./access.ts";
import type { StoredDocument } from "./collection.ts";
import { refusalOf } from "./document.ts";
import {
  announceRemovals,
  type FileReferenceServices,
  type Scope,
  updateFileReferences,
} from "./file_references.ts";
import {
  type Answer,
  claimKey,
  findAnswer,
  keepAnswer,
  prepareKey,
  type Repeatable,
} from "./idempotency.ts";
import {
  type DocumentWrite,
  type PreparedWrite,
  type PrepareServices,
  prepareWrite,
  type Written,
} from "./prepare_write.ts";
import { byteQuotaOf, quotaExceeded, type QuotaServices } from "./quota.ts";

export interface WriteServices
  extends WriteAccessServices, QuotaServices, PrepareServices, FileReferenceServices {}

/** A write, and the `Idempotency-Key` header of those that have one. */
export type WriteInput = DocumentWrite & { readonly idempotencyKey?: string | null };

export interface WriteResult {
  /** JSON text of the stored document, or `{ id }` if the write has deleted it. */
  readonly json: string;
  /** Whether the write has created the document. */
  readonly isNew: boolean;
}

/** A request that writes documents: all of them, or none. */
export interface WriteRequest<Targets extends readonly WriteAccess[]> {
  readonly repeatable: Repeatable;
  /** Checks the request against the definitions of its targets. Throws what is wrong with it. */
  prepare(targets: Targets): PreparedRequest | Promise<PreparedRequest>;
}

/** A request that is right as far as this can be decided without the store. */
export interface PreparedRequest {
  /** Whether the request writes several records: documents, or rows of the files in a document. */
  readonly needsTransaction: boolean;
  /** Stores everything in `scope`, and may run more than once. Returns the answer to the client. */
  store(scope: Scope, quota: ByteQuota | undefined): Promise<Answer>;
  /** Finds out more about a refusal, after nothing was stored. */
  explain(problem: Problem): Promise<Refusal>;
}

export interface Refusal {
  readonly problem: Problem;
  /** Whether another request has just created the document that this one can change instead. */
  readonly canRetry: boolean;
}

/** How many times a request is attempted that others overtake. */
const ATTEMPTS_MAX = 3;

/**
 * Writes one document. Throws what is wrong with the body, what row-level security forbids, and the
 * refusals of {@linkcode performWrite}.
 */
export async function writeDocument(
  services: WriteServices,
  target: WriteAccess,
  { idempotencyKey: key = null, ...input }: WriteInput,
): Promise<WriteResult> {
  const { data, isNew } = await performWrite(services, [target], {
    repeatable: { key, request: key === null ? "" : requestText(target, input) },
    prepare([target]) {
      const write = { prepared: prepareWrite(services, target, input), target };
      return {
        needsTransaction: target.collection.files.length > 0,
        async store(scope, quota) {
          const { id, stored, isNew } = await storeDocument(services, { scope, quota }, write);
          return { data: stored?.json ?? JSON.stringify({ id }), isNew };
        },
        explain: (problem) => explainConflict(write, problem),
      };
    },
  });
  return { json: data, isNew };
}

/**
 * Performs a request: single writes, bulks and batches all do. This is the only place that starts a
 * write over. Nothing has been stored when it does, and the request is checked again from the start:
 *
 * - The definition of a target has changed, or is being changed.
 * - Another request has stored the answer to the same idempotency key.
 * - Another request has created the document that an upsert was about to create.
 *
 * A busy file, a write conflict and a lost primary do not arrive here. The engine retries them,
 * because only the engine knows whether a commit has taken effect.
 *
 * Throws `DOCUMENT_QUOTA_EXCEEDED`, `TOO_MANY_IDEMPOTENCY_KEYS`, `IDEMPOTENCY_KEY_REUSED`, what the
 * store refuses in the client's words, and `StoreUnavailable`.
 */
export async function performWrite<const Targets extends readonly WriteAccess[]>(
  services: WriteServices,
  targets: Targets,
  { prepare, repeatable }: WriteRequest<Targets>,
): Promise<Answer> {
  let definitions: DefinitionWait | null = null;
  for (let overtaken = 0;;) {
    const prepared = await prepare(targets);
    if (prepared.needsTransaction) await announceRemovals(services, targets);
    try {
      return await storeOnce(services, targets[0]!, { prepared, repeatable });
    } catch (error) {
      if (error instanceof Outdated) {
        definitions ??= new DefinitionWait(services);
        targets = await definitions.reopen(targets, error);
        continue;
      }
      if (!(error instanceof Problem)) throw error;
      const { problem, canRetry } = isAnswered(repeatable, error)
        ? { problem: error, canRetry: true }
        : await prepared.explain(error);
      if (!canRetry || ++overtaken === ATTEMPTS_MAX) throw problem;
    }
  }
}

/** Makes one attempt: the quota, the idempotency key, the documents and the answer, in this order. */
async function storeOnce(
  services: WriteServices,
  target: WriteAccess,
  { prepared, repeatable }: { prepared: PreparedRequest; repeatable: Repeatable },
): Promise<Answer> {
  const { engine, plans } = services;
  const { projectId } = target;
  const plan = await plans.of(projectId);
  const quota = byteQuotaOf(plan);
  try {
    if (repeatable.key === null && !prepared.needsTransaction) {
      return await prepared.store({ records: (...of) => engine.records(projectId, ...of) }, quota);
    }
    const key = await prepareKey(services, target, repeatable);
    return await engine.transaction(projectId, async (tx) => {
      const earlier = key && await claimKey(services, tx, key);
      if (earlier !== null) return earlier;
      const answer = await prepared.store(tx, quota);
      if (key !== null) await keepAnswer(services, tx, { key, answer, quota });
      return answer;
    });
  } catch (error) {
    const refusal = error instanceof SpaceFull ? quotaExceeded(plan, error) : refusalOf(error);
    if (!(refusal instanceof Problem) || !NO_ROOM.includes(refusal.code)) throw refusal;
    // The same request may have been answered since the attempt began: that answer needs no room.
    const earlier = await findAnswer(services, target, repeatable);
    if (earlier === null) throw refusal;
    return earlier;
  }
}

/** Codes of the refusals for want of room. */
const NO_ROOM: readonly string[] = ["DOCUMENT_QUOTA_EXCEEDED", "TOO_MANY_IDEMPOTENCY_KEYS"];

/** Whether another request has stored the answer to the same key since the attempt began. */
const isAnswered = ({ key }: Repeatable, { cause }: Problem): boolean =>
  key !== null && cause instanceof UniqueViolation && cause.path === "keyHash";

/** A write, and the collection that it is for. */
export interface OpenedWrite {
  readonly prepared: PreparedWrite;
  readonly target: WriteAccess;
}

interface Within {
  readonly scope: Scope;
  readonly quota: ByteQuota | undefined;
}

/** Stores one document, and updates which files it refers to. */
export async function storeDocument(
  services: WriteServices,
  { scope, quota }: Within,
  { prepared, target }: OpenedWrite,
): Promise<Written> {
  const { collection, by } = target;
  const writing = prepared.isLimited ? { by, quota } : { by };
  const records = scope.records<StoredDocument>(collection.records, writing);
  if (collection.files.length === 0) return await prepared.run({ ...target, records });
  const before = prepared.changes && await records.findOne(prepared.changes);
  const written = await prepared.run({ ...target, records });
  await updateFileReferences(scope, services, {
    target,
    before: before?.value ?? null,
    after: written.stored?.value ?? null,
  });
  return written;
}

/** Explains why a unique value was taken, if the write was an upsert that looked for the value. */
export async function explainConflict(
  { prepared, target }: OpenedWrite,
  problem: Problem,
): Promise<Refusal> {
  const { cause } = problem;
  const taken = cause instanceof UniqueViolation && await prepared.taken?.(target, cause.path);
  if (taken === "again") return { problem, canRetry: true };
  return { problem: taken || problem, canRetry: false };
}

/** Returns what an idempotency key stands for: a different request with the same key is refused. */
function requestText({ collection }: WriteAccess, write: DocumentWrite): string {
  const { name } = collection.definition;
  if (write.action === "create") return JSON.stringify(["one", name, write.body]);
  return JSON.stringify([write, name]);
}
