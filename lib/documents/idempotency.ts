import type { Clock } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import type { NewId } from "../ids.ts";
import { IDEMPOTENCY_KEY_LENGTH_MAX, IDEMPOTENCY_MS, KEPT_ANSWERS_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { purgeExpired } from "../store/expiry.ts";
import { ALL, eq } from "../store/filter.ts";
import type { ByteQuota, Engine, Stored, Transaction } from "../store/port.ts";
import type { ReadAccess } from "./access.ts";
import { ensureLock, takeLock } from "../projects/locks.ts";
import { field, optional, recordKind, type RecordOf } from "../store/record_kind.ts";

/** Answers to requests with an idempotency key, stored in each project's space. */
export const KEPT_ANSWERS = recordKind({
  name: "_idempotency",
  fields: {
    /** Hash of the caller and the key they chose. */
    keyHash: field.text,
    /** Hash of the operation, the collection and the body. */
    request: field.text,
    data: field.text,
    /** Missing if an earlier version kept the answer. */
    isNew: optional(field.flag),
    expiresAt: field.date,
  },
  indexes: [{ keys: [{ path: "keyHash", descending: false }], unique: true }],
  trash: false,
  counted: true,
  expiry: "expiresAt",
});

type KeptAnswer = RecordOf<typeof KEPT_ANSWERS>;

/** Different owners may use equal keys. */
export type KeyOwner = Pick<ReadAccess, "projectId" | "callerTag">;

export interface OnceServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** The answer to a request, which every repetition of the request gets. */
export interface Answer {
  /** JSON text of the answer's `data`. */
  readonly data: string;
  /** Whether the request created a document, which decides the answer's status. */
  readonly isNew: boolean;
}

export interface Repeatable {
  readonly key: string | null;
  /** Text of the operation, the collection and the body that the key identifies. */
  readonly request: string;
}

export const IDEMPOTENCY_KEY = new RegExp(`^[\\x20-\\x7e]{1,${IDEMPOTENCY_KEY_LENGTH_MAX}}$`);

/** Throws `INVALID_IDEMPOTENCY_KEY`. */
export function checkedIdempotencyKey(text: string | null): string | null {
  if (text !== null && !IDEMPOTENCY_KEY.test(text)) throw new Problem("INVALID_IDEMPOTENCY_KEY");
  return text;
}

/** The hashed key of a request, prepared for a transaction. */
export interface RequestKey {
  readonly keyHash: string;
  readonly requestHash: string;
  /** Whether concurrent requests could together exceed the limit, so that they need a lock. */
  readonly isNearLimit: boolean;
}

/** Removes expired answers if there are too many. Throws `TOO_MANY_IDEMPOTENCY_KEYS`. */
export async function prepareKey(
  { engine, clock }: OnceServices,
  owner: KeyOwner,
  { key, request }: Repeatable,
): Promise<RequestKey | null> {
  if (key === null) return null;
  const kept = engine.records<KeptAnswer>(owner.projectId, KEPT_ANSWERS);
  const count = await kept.count(ALL);
  if (count >= KEPT_ANSWERS_MAX) {
    await purgeExpired(kept, KEPT_ANSWERS, clock);
    if (await kept.count(ALL) >= KEPT_ANSWERS_MAX) throw tooManyKeys();
  }
  const isNearLimit = count >= KEPT_ANSWERS_MAX / 2;
  if (isNearLimit) await ensureLock(engine, owner.projectId, "kept answers");
  return { ...hashesOf(owner, key, request), isNearLimit };
}

/**
 * Returns the answer to an earlier request with the same key. If it returns null, the transaction
 * may store an answer. Throws `IDEMPOTENCY_KEY_REUSED` and `TOO_MANY_IDEMPOTENCY_KEYS`.
 */
export async function claimKey(
  { clock }: Pick<OnceServices, "clock">,
  tx: Transaction,
  { keyHash, requestHash, isNearLimit }: RequestKey,
): Promise<Answer | null> {
  const kept = tx.records<KeptAnswer>(KEPT_ANSWERS);
  const earlier = await kept.findOne(eq("keyHash", keyHash));
  const answer = validAnswer(earlier, requestHash, clock);
  if (answer !== null) return answer;
  if (earlier !== null) await kept.deleteOne(eq("_id", earlier.value._id));
  if (isNearLimit) {
    await takeLock(tx, "kept answers");
    if (await kept.count(ALL) >= KEPT_ANSWERS_MAX) throw tooManyKeys();
  }
  return null;
}

/** Stores the answer in the transaction of the write. It counts towards the document quota. */
export async function keepAnswer(
  { clock, newId }: Pick<OnceServices, "clock" | "newId">,
  tx: Transaction,
  { key: { keyHash, requestHash: request }, answer, quota }: {
    readonly key: RequestKey;
    readonly answer: Answer;
    readonly quota: ByteQuota | undefined;
  },
): Promise<void> {
  const expiresAt = new Date(clock.now() + IDEMPOTENCY_MS).toISOString();
  await tx.records<KeptAnswer>(KEPT_ANSWERS, { quota })
    .insert({ _id: newId(), keyHash, request, ...answer, expiresAt });
}

/** Seconds; the oldest answer expires within a day. */
const RETRY_SECONDS = 3_600;

const tooManyKeys = () => new Problem("TOO_MANY_IDEMPOTENCY_KEYS", { retryAfter: RETRY_SECONDS });

/** Returns the answer to an earlier request with the same key. Throws `IDEMPOTENCY_KEY_REUSED`. */
export async function findAnswer(
  { engine, clock }: Pick<OnceServices, "engine" | "clock">,
  owner: KeyOwner,
  { key, request }: Repeatable,
): Promise<Answer | null> {
  if (key === null) return null;
  const { keyHash, requestHash } = hashesOf(owner, key, request);
  const earlier = await engine.records<KeptAnswer>(owner.projectId, KEPT_ANSWERS)
    .findOne(eq("keyHash", keyHash));
  return validAnswer(earlier, requestHash, clock);
}

const hashesOf = ({ callerTag }: KeyOwner, key: string, request: string) => ({
  keyHash: sha256(`${callerTag}\n${key}`),
  requestHash: sha256(request),
});

function validAnswer(
  earlier: Stored<KeptAnswer> | null,
  requestHash: string,
  clock: Clock,
): Answer | null {
  if (earlier === null || Date.parse(earlier.value.expiresAt) <= clock.now()) return null;
  if (earlier.value.request !== requestHash) throw new Problem("IDEMPOTENCY_KEY_REUSED");
  const { data, isNew = true } = earlier.value;
  return { data, isNew };
}
