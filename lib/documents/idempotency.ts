import type { Clock } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import type { NewId } from "../ids.ts";
import { IDEMPOTENCY_KEY_LENGTH_MAX, IDEMPOTENCY_MS, KEPT_ANSWERS_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { UniqueViolation } from "../store/errors.ts";
import { purgeExpired } from "../store/expiry.ts";
import { ALL, eq } from "../store/filter.ts";
import type { Engine, Room, Stored, Transaction } from "../store/port.ts";
import type { ReadAccess } from "./access.ts";
import { ensureLock, takeLock } from "../projects/locks.ts";
import { field, optional, recordKind, type RecordOf } from "../store/record_kind.ts";

/** The first answer to a request that may be sent again. In each project's space. */
export const KEPT_ANSWERS = recordKind({
  name: "_idempotency",
  fields: {
    /** Hash of the caller and the key they chose. */
    keyHash: field.text,
    /** Hash of method, path and body. */
    request: field.text,
    /** JSON text of the answer's `data`. */
    data: field.text,
    /** Whether a document was made; of an answer that an earlier version kept it is left out. */
    isNew: optional(field.flag),
    expiresAt: field.date,
  },
  indexes: [{ keys: [{ path: "keyHash", descending: false }], unique: true }],
  trash: false,
  counted: true,
  expiry: "expiresAt",
});

type KeptAnswer = RecordOf<typeof KEPT_ANSWERS>;

/** Whose keys they are. */
export type KeyOwner = Pick<ReadAccess, "projectId" | "callerTag">;

export interface OnceServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** What is answered, and again to whoever repeats the request. */
export interface Answer {
  /** JSON text. */
  readonly data: string;
  /** Whether a document was made, which is a status of its own. */
  readonly isNew: boolean;
}

export interface Repeatable {
  /** The `Idempotency-Key` header; null without one. */
  readonly key: string | null;
  /** Method, path and body: what the key stands for. */
  readonly request: string;
}

/** What an `Idempotency-Key` may be. */
export const IDEMPOTENCY_KEY = new RegExp(`^[\\x20-\\x7e]{1,${IDEMPOTENCY_KEY_LENGTH_MAX}}$`);

/** Throws `INVALID_IDEMPOTENCY_KEY`. @param text Null where none is sent. */
export function checkedIdempotencyKey(text: string | null): string | null {
  if (text !== null && !IDEMPOTENCY_KEY.test(text)) throw new Problem("INVALID_IDEMPOTENCY_KEY");
  return text;
}

/**
 * Runs a write at most once per caller and key: whoever comes again, or at the same time, gets the
 * first answer. The answer is stored in the write's own transaction,
 * so it is kept if and only if the write is, and it counts like what was written.
 */
export async function onceOnly(
  services: OnceServices,
  owner: KeyOwner,
  { key, request, room }: Repeatable & { readonly room: Room | undefined },
  write: (tx: Transaction) => Promise<Answer>,
): Promise<Answer> {
  const { engine, clock, newId } = services;
  if (key === null) return await engine.transaction(owner.projectId, write);
  const [keyHash, requestHash] = hashesOf(owner, key, request);
  const isNear = await makeRoom(services, owner);

  const attempt = () =>
    engine.transaction(owner.projectId, async (tx) => {
      const kept = tx.records<KeptAnswer>(KEPT_ANSWERS, { room });
      const earlier = await kept.findOne(eq("keyHash", keyHash));
      const answer = answerIn(earlier, requestHash, clock);
      if (answer !== null) return answer;
      if (earlier !== null) await kept.deleteOne(eq("_id", earlier.value._id));
      if (isNear) {
        await takeLock(tx, "kept answers");
        if (await kept.count(ALL) >= KEPT_ANSWERS_MAX) throw tooMany();
      }
      const made = await write(tx);
      const expiresAt = new Date(clock.now() + IDEMPOTENCY_MS).toISOString();
      await kept.insert({ _id: newId(), keyHash, request: requestHash, ...made, expiresAt });
      return made;
    });

  try {
    return await attempt();
  } catch (error) {
    // Another process was first in the same moment: its answer is there now.
    if (error instanceof UniqueViolation && error.path === "keyHash") return await attempt();
    throw error;
  }
}

/**
 * Makes room for one more by what has expired. Resolves to whether those under way at this moment
 * could be too many; then they wait for one another. Throws `TOO_MANY_IDEMPOTENCY_KEYS`.
 */
async function makeRoom(
  { engine, clock }: { engine: Engine; clock: Clock },
  { projectId }: KeyOwner,
): Promise<boolean> {
  const kept = engine.records<KeptAnswer>(projectId, KEPT_ANSWERS);
  const count = await kept.count(ALL);
  if (count >= KEPT_ANSWERS_MAX) {
    await purgeExpired(kept, KEPT_ANSWERS, clock);
    if (await kept.count(ALL) >= KEPT_ANSWERS_MAX) throw tooMany();
  }
  const isNear = count >= KEPT_ANSWERS_MAX / 2;
  if (isNear) await ensureLock(engine, projectId, "kept answers");
  return isNear;
}

/** The oldest of them is gone within a day. */
const RETRY_SECONDS = 3_600;

const tooMany = () => new Problem("TOO_MANY_IDEMPOTENCY_KEYS", { retryAfter: RETRY_SECONDS });

/** The first answer to a request that came before; null where there is none. */
export async function answeredBefore(
  { engine, clock }: { engine: Engine; clock: Clock },
  owner: KeyOwner,
  { key, request }: Repeatable,
): Promise<Answer | null> {
  if (key === null) return null;
  const [keyHash, requestHash] = hashesOf(owner, key, request);
  const earlier = await engine.records<KeptAnswer>(owner.projectId, KEPT_ANSWERS)
    .findOne(eq("keyHash", keyHash));
  return answerIn(earlier, requestHash, clock);
}

function hashesOf({ callerTag }: KeyOwner, key: string, request: string): [string, string] {
  return [sha256(`${callerTag}\n${key}`), sha256(request)];
}

/** Throws `IDEMPOTENCY_KEY_REUSED`. */
function answerIn(
  earlier: Stored<KeptAnswer> | null,
  requestHash: string,
  clock: Clock,
): Answer | null {
  if (earlier === null || Date.parse(earlier.value.expiresAt) <= clock.now()) return null;
  if (earlier.value.request !== requestHash) throw new Problem("IDEMPOTENCY_KEY_REUSED");
  const { data, isNew = true } = earlier.value;
  return { data, isNew };
}
