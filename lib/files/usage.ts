import { EXTERNAL_FILE_BYTES_MAX } from "../limits.ts";
import { type Plans, toJsonLimit } from "../projects/plans.ts";
import type { Engine, Id } from "../store/port.ts";
import { findUsage, NO_SUMS } from "./ledger.ts";
import { type BlobStores, providerOf, type StorageProvider } from "./stores.ts";

export interface StorageUsage {
  readonly used: number;
  readonly reserved: number;
  /** Limit of `used` and `reserved` together; null for an own bucket or an unlimited plan. */
  readonly limit: number | null;
  readonly fileBytesMax: number;
  readonly provider: StorageProvider;
}

export async function getStorageUsage(
  { engine, blobStores, plans }: { engine: Engine; blobStores: BlobStores; plans: Plans },
  projectId: Id,
): Promise<StorageUsage> {
  const provider = providerOf((await blobStores.currentTarget(projectId)).name);
  const { used, reserved } = await findUsage({ engine }, projectId) ?? NO_SUMS;
  const { storageBytes, fileBytesMax } = await plans.ofProject(projectId);
  return provider === "internal"
    ? { used, reserved, limit: toJsonLimit(storageBytes), fileBytesMax, provider }
    : { used, reserved, limit: null, fileBytesMax: EXTERNAL_FILE_BYTES_MAX, provider };
}
