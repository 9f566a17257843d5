import { Problem } from "../problems.ts";
import type { Plan, Plans } from "../projects/plans.ts";
import { SpaceFull } from "../store/errors.ts";
import type { ByteQuota, Definition, Engine, Id } from "../store/port.ts";
import { USERS } from "../auth/users.ts";
import { MAIL_TEXTS, MAILS } from "../mail/mails.ts";
import { DELIVERIES } from "../projects/delivery_records.ts";
import { KEPT_ANSWERS } from "./idempotency.ts";

export interface QuotaServices {
  readonly plans: Plans;
}

/**
 * Kinds of records that count towards the document quota: answers kept for idempotency keys, users,
 * mails, and messages to webhooks.
 */
export const ALSO_COUNTED: readonly Definition[] = [
  KEPT_ANSWERS,
  USERS,
  MAILS,
  MAIL_TEXTS,
  DELIVERIES,
];

/** Returns how many bytes of its document quota a project uses. */
export const documentBytes = (engine: Engine, projectId: Id): Promise<number> =>
  engine.bytes(projectId, ALSO_COUNTED);

/** Returns how many bytes a project's documents may have; undefined if its plan has no limit. */
export const byteQuotaOf = ({ documentBytes: bytesMax }: Plan): ByteQuota | undefined =>
  bytesMax === Infinity ? undefined : { bytesMax, alsoCounted: ALSO_COUNTED };

/**
 * Holds a project to the document quota of its plan. A document that is moved to the trash or out of
 * it grows by a few bytes, and is not limited. Throws `DOCUMENT_QUOTA_EXCEEDED`.
 * @param write Stores records with this quota; nothing is counted if the plan has no limit.
 */
export async function withinQuota<T>(
  { plans }: QuotaServices,
  projectId: Id,
  write: (quota: ByteQuota | undefined) => Promise<T>,
): Promise<T> {
  const plan = await plans.of(projectId);
  try {
    return await write(byteQuotaOf(plan));
  } catch (error) {
    if (error instanceof SpaceFull) throw quotaExceeded(plan, error);
    throw error;
  }
}

/** Returns the refusal of a write that would exceed the document quota. */
export function quotaExceeded({ name, documentBytes }: Plan, cause: SpaceFull): Problem {
  const most = Math.floor(documentBytes / 1_048_576);
  return new Problem("DOCUMENT_QUOTA_EXCEEDED", {
    message: `A project's documents, users, mails and messages may take ${most} MB on the ` +
      `${name} plan, and this would be more: delete some for good, or use a larger plan.`,
    cause,
  });
}
