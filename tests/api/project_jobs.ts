import { BlobsUnavailable } from "@/lib/files/blobs.ts";
import { newPath } from "@/lib/files/paths.ts";
import { removeLeftover } from "@/lib/files/removals.ts";
import type { BlobStores } from "@/lib/files/stores.ts";
import type { TestOwner } from "./test_owner.ts";

export async function failedRemoval(
  { app: { services }, projectId }: Pick<TestOwner, "app" | "projectId">,
  { name, target, message }: { name: string; target: string; message: string },
): Promise<string> {
  const named = () => Promise.reject(new BlobsUnavailable(message));
  const blobStores: BlobStores = { ...services.blobStores, blobsOf: named };
  const path = newPath(projectId, crypto.randomUUID(), name);
  await removeLeftover({ ...services, blobStores }, projectId, { path, target });
  return path;
}
