import { aiUsage } from "../ai/usage.ts";
import type { Clock } from "../clock.ts";
import type { Catalog } from "../documents/catalog.ts";
import { collectionSizes } from "../documents/collection_sizes.ts";
import { documentBytes } from "../documents/quota.ts";
import type { BlobStores } from "../files/stores.ts";
import { getStorageUsage } from "../files/usage.ts";
import type { Engine } from "../store/port.ts";
import type { ProjectMember } from "../projects/members.ts";
import { type Plans, shownLimit } from "../projects/plans.ts";
import { readRequestCounts } from "../projects/request_counts.ts";

interface UsageServices {
  readonly engine: Engine;
  readonly catalog: Pick<Catalog, "find">;
  readonly clock: Clock;
  readonly plans: Plans;
  readonly blobStores: BlobStores;
}

/**
 * What a project takes beside what its plan allows, and how it is used; of AI what the account that
 * asks has used, because that is whose it is.
 */
export async function projectUsage(
  services: UsageServices,
  { project, account }: Pick<ProjectMember, "project" | "account">,
) {
  const { engine, plans } = services;
  const { _id: projectId } = project;
  // One after the other: of what is refused nothing goes on.
  const plan = await plans.of(projectId);
  const sizes = await collectionSizes(services, projectId);
  const bytes = await documentBytes(engine, projectId);
  const storage = await getStorageUsage(services, projectId);
  const ai = await aiUsage(services, account);
  const requests = await readRequestCounts(services, projectId);
  return {
    plan: plan.name,
    collections: { used: sizes.length, limit: shownLimit(plan.collections) },
    documents: {
      count: sizes.reduce((sum, { count }) => sum + count, 0),
      bytes,
      limit: shownLimit(plan.documentBytes),
    },
    storage,
    ai,
    requests,
  };
}
