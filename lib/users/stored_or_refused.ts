import { type QuotaServices, withinQuota } from "../documents/quota.ts";
import { Problem } from "../problems.ts";
import { UniqueViolation } from "../store/errors.ts";
import type { ByteQuota, Id } from "../store/port.ts";

/**
 * What a write of users met as taken, in their words. Throws `USERNAME_TAKEN`, `EMAIL_TAKEN`, and
 * `DOCUMENT_QUOTA_EXCEEDED` if users are written with the quota that `work` is given.
 */
export async function storedOrRefused<T>(
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
