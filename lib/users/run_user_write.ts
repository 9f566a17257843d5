import { type QuotaServices, withinQuota } from "../documents/quota.ts";
import { Problem } from "../problems.ts";
import { UniqueViolation } from "../store/errors.ts";
import type { ByteQuota, Id } from "../store/port.ts";

/** Runs a write of users. Throws `USERNAME_TAKEN`, `EMAIL_TAKEN`, `DOCUMENT_QUOTA_EXCEEDED`. */
export async function runUserWrite<T>(
  services: QuotaServices,
  projectId: Id,
  work: (quota: ByteQuota | undefined) => Promise<T>,
): Promise<T> {
  try {
    return await withinQuota(services, projectId, work);
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error;
    const code = error.path === "usernameLower" ? "USERNAME_TAKEN" : "EMAIL_TAKEN";
    throw new Problem(code, { cause: error });
  }
}
