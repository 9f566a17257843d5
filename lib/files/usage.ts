import { EXTERNAL_FILE_BYTES_MAX } from "../limits.ts";
import { type Plans, shownLimit } from "../projects/plans.ts";
import type { Engine, Id } from "../store/port.ts";
import { findUsage, NOTHING } from "./ledger.ts";
import { type BlobStores, providerOf, type StorageProvider } from "./stores.ts";

export interface Usage {
  /** Bytes of confirmed files in our store. */
  readonly used: number;
  /** Bytes held there for uploads under way. */
  readonly reserved: number;
  /** What both together may reach; null where new files go to the project's own store, or plans limit nothing. */
  readonly limit: number | null;
  readonly fileBytesMax: number;
  readonly provider: StorageProvider;
}

/** What the project is charged for, and what it may be. */
export async function getStorageUsage(
  { engine, blobStores, plans }: { engine: Engine; blobStores: BlobStores; plans: Plans },
  projectId: Id,
): Promise<Usage> {
  const provider = providerOf((await blobStores.current(projectId)).name);
  const { used, reserved } = await findUsage({ engine }, projectId) ?? NOTHING;
  const { storageBytes, fileBytesMax } = await plans.of(projectId);
  return provider === "internal"
    ? { used, reserved, limit: shownLimit(storageBytes), fileBytesMax, provider }
    : { used, reserved, limit: null, fileBytesMax: EXTERNAL_FILE_BYTES_MAX, provider };
}
