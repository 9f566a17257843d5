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

/** Records that count towards the document quota in addition to documents. */
export const ALSO_COUNTED: readonly Definition[] = [
  KEPT_ANSWERS,
  USERS,
  MAILS,
  MAIL_TEXTS,
  DELIVERIES,
];

export const readDocumentBytes = (engine: Engine, projectId: Id): Promise<number> =>
  engine.bytes(projectId, ALSO_COUNTED);

export const byteQuotaOf = ({ documentBytes: bytesMax }: Plan): ByteQuota | undefined =>
  bytesMax === Infinity ? undefined : { bytesMax, alsoCounted: ALSO_COUNTED };

/** Throws `DOCUMENT_QUOTA_EXCEEDED`. The quota is undefined if documents are not limited. */
export async function withinQuota<T>(
  { plans }: QuotaServices,
  projectId: Id,
  write: (quota: ByteQuota | undefined) => Promise<T>,
): Promise<T> {
  const plan = await plans.ofProject(projectId);
  try {
    return await write(byteQuotaOf(plan));
  } catch (error) {
    if (error instanceof SpaceFull) throw quotaExceeded(plan, error);
    throw error;
  }
}

export function quotaExceeded({ name, documentBytes }: Plan, cause: SpaceFull): Problem {
  const limitMb = Math.floor(documentBytes / 1_048_576);
  return new Problem("DOCUMENT_QUOTA_EXCEEDED", {
    message: `A project's documents, users, mails and messages may take ${limitMb} MB on the ` +
      `${name} plan, and this would be more: delete some permanently, or use a larger plan.`,
    cause,
  });
}
