import { Problem } from "../problems.ts";
import { Outdated, SpaceFull, UniqueViolation } from "../store/errors.ts";
import type { ByteQuota } from "../store/port.ts";
import { DefinitionWait, type WriteAccess, type WriteAccessServices } from "./access.ts";
import type { StoredDocument } from "./collection.ts";
import { toWriteProblem } from "./document.ts";
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
  type WrittenDocument,
} from "./prepare_write.ts";
import { byteQuotaOf, quotaExceeded, type QuotaServices } from "./quota.ts";

export interface WriteServices
  extends WriteAccessServices, QuotaServices, PrepareServices, FileReferenceServices {}

export type WriteInput = DocumentWrite & { readonly idempotencyKey?: string | null };

export interface WriteResult {
  /** JSON text of the stored document, or `{ id }` if the write has deleted it. */
  readonly json: string;
  readonly isNew: boolean;
}

/** A request that writes all of its documents or none. */
export interface WriteRequest<Targets extends readonly WriteAccess[]> {
  readonly repeatable: Repeatable;
  /** Checks the request against the definitions of its targets. Throws its problems. */
  prepare(targets: Targets): PreparedRequest | Promise<PreparedRequest>;
}

/** A request that has passed all checks that do not need the store. */
export interface PreparedRequest {
  /** Whether the request writes several records: documents, or rows of the files in a document. */
  readonly needsTransaction: boolean;
  /** Stores all records in `scope`. May run more than once. */
  store(scope: Scope, quota: ByteQuota | undefined): Promise<Answer>;
  /** Returns a more precise problem after the store has rejected the request. */
  explain(problem: Problem): Promise<Refusal>;
}

export interface Refusal {
  readonly problem: Problem;
  /** Whether a retry may succeed, because another request has created the document to change. */
  readonly canRetry: boolean;
}

const ATTEMPTS_MAX = 3;

/** Throws problems of the body and of access, and the errors of {@linkcode performWrite}. */
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
 * Performs a write, a bulk insert or a batch. All retries of writes happen here. Before a retry
 * nothing has been stored, and the request is checked again. Reasons:
 *
 * - The definition of a target has changed, or is being changed.
 * - Another request has stored the answer to the same idempotency key.
 * - Another request has created the document that an upsert was about to create.
 *
 * The engine itself retries after a busy file, a write conflict or a lost primary, because only the
 * engine knows whether a commit has taken effect. Throws `DOCUMENT_QUOTA_EXCEEDED`,
 * `TOO_MANY_IDEMPOTENCY_KEYS`, `IDEMPOTENCY_KEY_REUSED`, the store's problems, `StoreUnavailable`.
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

/** Checks quota and idempotency key, then stores the documents and the answer. */
async function storeOnce(
  services: WriteServices,
  target: WriteAccess,
  { prepared, repeatable }: { prepared: PreparedRequest; repeatable: Repeatable },
): Promise<Answer> {
  const { engine, plans } = services;
  const { projectId } = target;
  const plan = await plans.ofProject(projectId);
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
    const refusal = error instanceof SpaceFull ? quotaExceeded(plan, error) : toWriteProblem(error);
    if (!(refusal instanceof Problem) || !LIMIT_CODES.includes(refusal.code)) throw refusal;
    // If the request has been answered in the meantime, the stored answer does not need quota.
    const earlier = await findAnswer(services, target, repeatable);
    if (earlier === null) throw refusal;
    return earlier;
  }
}

const LIMIT_CODES: readonly string[] = ["DOCUMENT_QUOTA_EXCEEDED", "TOO_MANY_IDEMPOTENCY_KEYS"];

/** Whether another request has stored the answer to the same key since the attempt began. */
const isAnswered = ({ key }: Repeatable, { cause }: Problem): boolean =>
  key !== null && cause instanceof UniqueViolation && cause.path === "keyHash";

export interface OpenedWrite {
  readonly prepared: PreparedWrite;
  readonly target: WriteAccess;
}

interface WriteScope {
  readonly scope: Scope;
  readonly quota: ByteQuota | undefined;
}

export async function storeDocument(
  services: WriteServices,
  { scope, quota }: WriteScope,
  { prepared, target }: OpenedWrite,
): Promise<WrittenDocument> {
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

/** Explains an upsert's violation of the unique field by which it selects. */
export async function explainConflict(
  { prepared, target }: OpenedWrite,
  problem: Problem,
): Promise<Refusal> {
  const { cause } = problem;
  const taken = cause instanceof UniqueViolation &&
    await prepared.explainTaken?.(target, cause.path);
  if (taken === "again") return { problem, canRetry: true };
  return { problem: taken || problem, canRetry: false };
}

/** Identifies a request, so that its key cannot be reused for another. */
function requestText({ collection }: WriteAccess, write: DocumentWrite): string {
  const { name } = collection.definition;
  if (write.action === "create") return JSON.stringify(["one", name, write.body]);
  return JSON.stringify([write, name]);
}
