import { Problem } from "../problems.ts";
import type { Room, Transaction } from "../store/port.ts";
import { writing } from "./document.ts";
import {
  type Answer,
  answeredBefore,
  type KeyOwner,
  onceOnly,
  type OnceServices,
  type Repeatable,
} from "./idempotency.ts";
import { type QuotaServices, withinQuota } from "./quota.ts";

/** Codes of writes that found no room. */
const NO_ROOM: readonly string[] = ["DOCUMENT_QUOTA_EXCEEDED", "TOO_MANY_IDEMPOTENCY_KEYS"];

/**
 * {@linkcode onceOnly}, where there is room; what was answered before needs none. Throws what the
 * store refuses in the client's words, `DOCUMENT_QUOTA_EXCEEDED` and `TOO_MANY_IDEMPOTENCY_KEYS`.
 */
export async function writeOnce(
  services: OnceServices & QuotaServices,
  owner: KeyOwner,
  repeatable: Repeatable,
  write: (tx: Transaction, room: Room | undefined) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await withinQuota(
      services,
      owner.projectId,
      (room) =>
        writing(() => onceOnly(services, owner, { ...repeatable, room }, (tx) => write(tx, room))),
    );
  } catch (error) {
    if (!(error instanceof Problem) || !NO_ROOM.includes(error.code)) throw error;
    const answer = await answeredBefore(services, owner, repeatable);
    if (answer === null) throw error;
    return answer;
  }
}
