import { getAiUsage } from "../ai/usage.ts";
import type { Clock } from "../clock.ts";
import type { Catalog } from "../documents/catalog.ts";
import { readCollectionSizes } from "../documents/collection_sizes.ts";
import { readDocumentBytes } from "../documents/quota.ts";
import type { BlobStores } from "../files/stores.ts";
import { getStorageUsage } from "../files/usage.ts";
import type { Engine } from "../store/port.ts";
import type { ProjectMember } from "../projects/members.ts";
import { type Plans, toJsonLimit } from "../projects/plans.ts";
import { readRequestCounts } from "../projects/request_counts.ts";

interface UsageServices {
  readonly engine: Engine;
  readonly catalog: Pick<Catalog, "find">;
  readonly clock: Clock;
  readonly plans: Plans;
  readonly blobStores: BlobStores;
}

/** AI usage is the calling account's, because AI is counted per account. */
export async function getProjectUsage(
  services: UsageServices,
  { project, account }: Pick<ProjectMember, "project" | "account">,
) {
  const { engine, plans } = services;
  const { _id: projectId } = project;
  // Sequential, so that no query keeps running after another has failed.
  const plan = await plans.ofProject(projectId);
  const sizes = await readCollectionSizes(services, projectId);
  const bytes = await readDocumentBytes(engine, projectId);
  const storage = await getStorageUsage(services, projectId);
  const ai = await getAiUsage(services, account);
  const requests = await readRequestCounts(services, projectId);
  return {
    plan: plan.name,
    collections: { used: sizes.length, limit: toJsonLimit(plan.collections) },
    documents: {
      count: sizes.reduce((sum, { count }) => sum + count, 0),
      bytes,
      limit: toJsonLimit(plan.documentBytes),
    },
    storage,
    ai,
    requests,
  };
}
