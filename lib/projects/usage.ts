import { aiUsage } from "../ai/usage.ts";
import type { Clock } from "../clock.ts";
import type { DocumentQuota } from "../documents/quota.ts";
import { storedCollections } from "../documents/save_collection.ts";
import type { BlobStores } from "../files/stores.ts";
import { getStorageUsage } from "../files/usage.ts";
import { ALL } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import type { ProjectMember } from "./members.ts";
import type { Plans } from "./plans.ts";
import { readRequestCounts } from "./request_counts.ts";

interface UsageServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly plans: Plans;
  readonly blobStores: BlobStores;
  readonly documentQuota: DocumentQuota;
}

/**
 * What a project takes beside what its plan allows, and how it is used; of AI what the account that
 * asks has used, because that is whose it is.
 */
export async function projectUsage(
  services: UsageServices,
  { project, account }: Pick<ProjectMember, "project" | "account">,
) {
  const { plans, documentQuota } = services;
  const { _id: projectId } = project;
  const [plan, stored, bytes, storage, ai, requests] = await Promise.all([
    plans.of(projectId),
    countDocuments(services, projectId),
    documentQuota.used(projectId),
    getStorageUsage(services, projectId),
    aiUsage(services, account),
    readRequestCounts(services, projectId),
  ]);
  return {
    plan: plan.name,
    collections: { used: stored.collections, limit: plan.collections },
    documents: { count: stored.documents, bytes, limit: plan.documentBytes },
    storage,
    ai,
    requests,
  };
}

/** Those in the trash too. An estimate where the engine would have to look at each. */
async function countDocuments(
  { engine }: { engine: Engine },
  projectId: Id,
): Promise<{ collections: number; documents: number }> {
  const collections = await storedCollections({ engine }, projectId);
  const query = { filter: ALL, sort: [], limit: 1, total: "estimate" } as const;
  let documents = 0;
  for (const { records } of collections) {
    documents += (await engine.records(projectId, records).list(query)).total ?? 0;
  }
  return { collections: collections.length, documents };
}
