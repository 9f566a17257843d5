import { Problem } from "../problems.ts";
import type { Plan, Plans } from "../projects/plans.ts";
import { SpaceFull } from "../store/errors.ts";
import type { Definition, Engine, Id, Room } from "../store/port.ts";
import { USERS } from "../auth/users.ts";
import { MAIL_TEXTS, MAILS } from "../mail/mails.ts";
import { DELIVERIES } from "../projects/delivery_records.ts";
import { KEPT_ANSWERS } from "./idempotency.ts";

export interface QuotaServices {
  readonly plans: Plans;
}

/**
 * Kinds of records that grow as a project's documents do, and are counted with them: answers kept for
 * clients, users, mails and messages to webhooks.
 */
export const ALSO_COUNTED: readonly Definition[] = [
  KEPT_ANSWERS,
  USERS,
  MAILS,
  MAIL_TEXTS,
  DELIVERIES,
];

/** Bytes of a project's documents, and of the records that count with them. */
export const documentBytes = (engine: Engine, projectId: Id): Promise<number> =>
  engine.bytes(projectId, ALSO_COUNTED);

/**
 * Holds a project's documents to its plan, as far as `Records` do that. What is moved to
 * the trash or out of it takes a few bytes more, and is not limited. Throws
 * `DOCUMENT_QUOTA_EXCEEDED`.
 * @param write What stores records by this room; where the plan has no bound nothing is counted.
 */
export async function withinQuota<T>(
  { plans }: QuotaServices,
  projectId: Id,
  write: (room: Room | undefined) => Promise<T>,
): Promise<T> {
  const plan = await plans.of(projectId);
  const { documentBytes: bytesMax } = plan;
  const room = bytesMax === Infinity ? undefined : { bytesMax, beside: ALSO_COUNTED };
  try {
    return await write(room);
  } catch (error) {
    if (error instanceof SpaceFull) throw exceeded(plan, error);
    throw error;
  }
}

/** Of a write that would make the project's documents grow beyond its plan. */
function exceeded({ name, documentBytes }: Plan, cause: SpaceFull): Problem {
  const most = Math.floor(documentBytes / 1_048_576);
  return new Problem("DOCUMENT_QUOTA_EXCEEDED", {
    message: `A project's documents, users, mails and messages may take ${most} MB on the ` +
      `${name} plan, and this would be more: delete some for good, or use a larger plan.`,
    cause,
  });
}
